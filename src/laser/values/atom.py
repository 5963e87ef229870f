"""Predicates and ground atoms.

An atom *is* the flat tuple ``(predicate, *args)``, so it is hashed and compared as fast as a tuple, and the engine
stores facts in exactly the form in which they arrive.
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
    """A name with an arity. An IRI as name includes its angle brackets."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


def check_predicate_name(name: Any) -> str:
    """The name of a predicate in its stored form, or FactError."""
    if type(name) is Iri:
        return str(name)
    if not isinstance(name, str):
        raise FactError(f"{name!r} is not a predicate: its name must be a string or an Iri")
    if is_name(name) or is_bracketed(name):
        return str(name)
    if name in RESERVED:
        raise FactError(f"'{name}' is a reserved word and cannot be the name of a predicate")
    raise FactError(
        f"{name!r} is not a predicate: a name is a lower-case letter followed by letters, digits and _, or an absolute IRI in <…>"
    )


class Atom(tuple):  # type: ignore[type-arg]
    """A ground atom: the name of a predicate and its arguments.

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
    """An atom from a flat tuple that is already known to be valid."""

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


# Built in C, without a Python call per atom, because readers of changes and snapshots make one atom for each row.
Atom.of = staticmethod(partial(tuple.__new__, Atom))


def _unpickled(flat: tuple[Any, ...]) -> Atom:
    """A function of the module takes only a few bytes in a pickle; ``Atom.of`` would take more."""
    return Atom.of(flat)


_ONE_VALUE = (*BY_CLASS, bytes)
"""Types that count as one value, although Python can iterate over some of them."""


def _no_arguments(args: object) -> FactError:
    return FactError(
        f"the arguments of an atom must be a list, even if there is only one: write [{args!r}], not {args!r}"
    )


def _atom_order(atom: tuple[Any, ...]) -> tuple[Any, ...]:
    return (atom[0], len(atom), *map(value_order, atom[1:]))
