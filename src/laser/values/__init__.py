"""Values, predicates and ground atoms.

An atom *is* the flat tuple ``(predicate, *args)``: hashing and comparing it costs what the tuple costs, and the
engine keeps facts in exactly the form in which they arrive.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias

from laser.errors import FactError

__all__ = [
    "RESERVED",
    "Atom",
    "Iri",
    "Predicate",
    "Value",
    "is_name",
    "number",
    "to_value",
    "value_order",
    "write_value",
]

NAME = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\s<>\"{}|\\^`]*\Z")

LONGEST_DECIMAL = 14_000
"""Bits of an integer from which on Python refuses to write it in decimal (at 4300 digits)."""

RESERVED = frozenset({"not", "in", "at", "always", "div", "mod", "abs", "min", "max"})
"""Words of the language: no predicate is called so, and as strings they are written in quotes."""


class Iri(tuple):  # type: ignore[type-arg]
    """An IRI as a term. It equals no string.

    It is a tuple of one string so that hashing, equality and order run at the speed of C.

    >>> Iri("http://example.org/a")
    <http://example.org/a>
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Iri:
        if not isinstance(text, str) or not IRI.match(text):
            raise FactError(f"{text!r} is no absolute IRI")
        return tuple.__new__(cls, (text,))

    @property
    def text(self) -> str:
        return str(self[0])

    def __str__(self) -> str:
        return f"<{self[0]}>"

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, ...]:
        return (Iri, (self[0],))


Value: TypeAlias = int | float | str | Iri


class Predicate(NamedTuple):
    """A name with an arity: what rules are about. An IRI's name has its angle brackets."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


def number(value: float) -> int | float:
    """The one form of a number: 1.0 is 1, so that equal numbers also print alike."""
    return int(value) if value.is_integer() else value


def to_value(value: Any) -> Value:
    """Take a Python object as a term, or raise FactError.

    >>> to_value(True), to_value(2.0), to_value("x")
    ('true', 2, 'x')
    """
    kind = type(value)
    if kind is str or kind is int or kind is Iri:
        return value  # type: ignore[no-any-return]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iri):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FactError(f"{value} is not a term: numbers must be finite")
        return number(float(value))
    if isinstance(value, str):
        return str.__str__(value)  # not str(): an enumeration's text is its value, not its name
    return _foreign_number(value)


def _foreign_number(value: Any) -> Value:
    """Numbers of other libraries (numpy, decimal) by their own conversions."""
    try:
        if hasattr(value, "__index__"):
            return int(value.__index__())
        if hasattr(value, "__float__"):
            whole = int(value) if hasattr(value, "__int__") else None
            return whole if whole is not None and whole == value else to_value(float(value))
    except (TypeError, ValueError, OverflowError):
        pass
    raise FactError(f"{value!r} of type {type(value).__name__} is not a term: use int, float, str or Iri")


def is_name(text: str) -> bool:
    """Whether a text can be written bare, as a predicate's name or as a string."""
    return bool(NAME.match(text)) and text not in RESERVED


def check_predicate_name(name: Any) -> str:
    """The name of a predicate as it is kept, or FactError."""
    if type(name) is Iri:
        return str(name)
    if not isinstance(name, str):
        raise FactError(f"{name!r} is no predicate: its name must be a string or an Iri")
    if is_name(name) or (name[:1] == "<" and name[-1:] == ">" and IRI.match(name[1:-1])):
        return str(name)
    if name in RESERVED:
        raise FactError(f"'{name}' is a word of the language and names no predicate")
    raise FactError(f"{name!r} is no predicate: a name begins with a lower-case letter and has letters, digits and _")


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_value(value: Value) -> str:
    """A value as it is written in a program.

    >>> print(write_value("x1"), write_value("two words"), write_value(3.5))
    x1 "two words" 3.5
    """
    if type(value) is str:
        if is_name(value):
            return value
        return '"' + "".join(_ESCAPES.get(c, c) for c in value) + '"'
    if type(value) is int and value.bit_length() > LONGEST_DECIMAL:
        return hex(value)
    return str(value) if type(value) is Iri else repr(value)


def value_order(value: Value) -> tuple[int, Any]:
    """A total order over all values: numbers, then strings, then IRIs."""
    if isinstance(value, str):
        return (1, value)
    return (2, value[0]) if isinstance(value, Iri) else (0, value)


class Atom(tuple):  # type: ignore[type-arg]
    """A ground atom: a predicate's name and its arguments.

    >>> Atom("a", ("x1", 2))
    a(x1, 2)
    >>> Atom("a", ("x1", 2)) == ("a", "x1", 2)
    True
    """

    __slots__ = ()

    def __new__(cls, predicate: str | Iri, args: Iterable[Any] = ()) -> Atom:
        if isinstance(args, _ONE_VALUE):
            raise _no_arguments(args)
        try:
            return tuple.__new__(cls, (check_predicate_name(predicate), *map(to_value, args)))
        except TypeError:
            if isinstance(args, Iterable):
                raise
            raise _no_arguments(args) from None

    of: ClassVar[Callable[[tuple[Any, ...]], Atom]]
    """An atom from a flat tuple that is known to be well formed."""

    @property
    def predicate(self) -> str:
        return self[0]  # type: ignore[no-any-return]

    @property
    def args(self) -> tuple[Value, ...]:
        return tuple(self[1:])

    @property
    def signature(self) -> Predicate:
        return Predicate(self[0], len(self) - 1)

    def __str__(self) -> str:
        if len(self) == 1:
            return str(self[0])
        return f"{self[0]}({', '.join(map(write_value, self[1:]))})"

    __repr__ = __str__

    def __lt__(self, other: Any) -> bool:
        return _atom_order(self) < _atom_order(other) if isinstance(other, tuple) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return _atom_order(self) > _atom_order(other) if isinstance(other, tuple) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return _atom_order(self) <= _atom_order(other) if isinstance(other, tuple) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return _atom_order(self) >= _atom_order(other) if isinstance(other, tuple) else NotImplemented

    def __reduce__(self) -> tuple[object, ...]:
        return (_unpickled, (tuple(self),))


# Without a frame of Python's, because readers of changes and of snapshots make an atom for each row.
Atom.of = staticmethod(partial(tuple.__new__, Atom))


def _unpickled(flat: tuple[Any, ...]) -> Atom:
    """By its name, a pickle finds it again in a few bytes; ``Atom.of`` would be spelled out."""
    return Atom.of(flat)


_ONE_VALUE = (str, bytes, Iri)
"""What Python can iterate over, and is still one value."""


def _no_arguments(args: object) -> FactError:
    return FactError(f"the arguments of an atom are a list, even if there is one: write [{args!r}], not {args!r}")


def _atom_order(atom: tuple[Any, ...]) -> tuple[Any, ...]:
    return (atom[0], len(atom), *map(value_order, atom[1:]))
