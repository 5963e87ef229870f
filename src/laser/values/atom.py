"""Predicates and ground atoms.

An atom *is* the flat tuple ``(predicate, *args)``: hashing and comparing it costs what the tuple costs, and the
engine keeps facts in exactly the form in which they arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar, NamedTuple

from laser.errors import FactError
from laser.values.iri import Iri, is_bracketed
from laser.values.registry import BY_CLASS, Value, to_value, value_order, write_value
from laser.values.string import RESERVED, is_name

__all__ = ["Atom", "Predicate", "check_predicate_name"]


class Predicate(NamedTuple):
    """A name with an arity: what rules are about. An IRI's name has its angle brackets."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


def check_predicate_name(name: Any) -> str:
    """The name of a predicate as it is kept, or FactError."""
    if type(name) is Iri:
        return str(name)
    if not isinstance(name, str):
        raise FactError(f"{name!r} is no predicate: its name must be a string or an Iri")
    if is_name(name) or is_bracketed(name):
        return str(name)
    if name in RESERVED:
        raise FactError(f"'{name}' is a word of the language and names no predicate")
    raise FactError(
        f"{name!r} is no predicate: a name begins with a lower-case letter and has letters, digits and _, or is an absolute IRI in <…>"
    )


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


_ONE_VALUE = (*BY_CLASS, bytes)
"""One value, though Python can iterate over some of them."""


def _no_arguments(args: object) -> FactError:
    return FactError(f"the arguments of an atom are a list, even if there is one: write [{args!r}], not {args!r}")


def _atom_order(atom: tuple[Any, ...]) -> tuple[Any, ...]:
    return (atom[0], len(atom), *map(value_order, atom[1:]))
