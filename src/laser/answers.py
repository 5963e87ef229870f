"""Answers: what changes, what holds, and from when to when. Changes are made lazily: most callers look at few of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple, Protocol, TypeAlias, overload

from laser.values import Atom, value_order

__all__ = ["Change", "Changes", "Interval", "Key", "Shift", "Snapshot", "atoms_of"]

Key: TypeAlias = tuple[Any, ...]
"""The flat tuple of an atom: a label and the values."""


MOST_ROWS = 200
"""Changes that a notebook shows of one call."""


class Shift(NamedTuple):
    """What changed of one predicate's output at one time point; keys carry some label, their values count."""

    time: int
    name: str
    begun: Collection[Key]
    ended: Collection[Key]


class Interval(NamedTuple):
    """A maximal run of time points at which an atom is in the output."""

    atom: Atom
    since: int
    until: int


class Change(NamedTuple):
    """At ``time``, ``atom`` began to hold (``holds``) or ceased."""

    time: int
    atom: Atom
    holds: bool

    def __str__(self) -> str:
        return f"{self.time} {'+' if self.holds else '-'} {self.atom}"


_change = partial(tuple.__new__, Change)
"""A change without a frame of Python's: readers make one for each row."""


def _place(shift: Shift) -> tuple[int, str, int]:
    """A shift is of one time point and one predicate, and has at least one key."""
    return (shift.time, shift.name, len(next(iter(shift.begun or shift.ended))))


def _ordered(shift: Shift) -> list[Change]:
    """The changes of one predicate, by the order of atoms; where all values can be compared, that is the tuples' own."""
    began, ceased = (True,), (False,)
    rows = [key[1:] + began for key in shift.begun] + [key[1:] + ceased for key in shift.ended]
    try:
        rows.sort()
    except TypeError:
        rows.sort(key=lambda row: [*map(value_order, row[:-1]), row[-1]])
    time, name = shift.time, (shift.name,)
    return [_change((time, Atom.of(name + row[:-1]), row[-1])) for row in rows]


class Changes(Sequence[Change]):
    """The changes of one call, ordered by time, then by atom. Its length is known without making them."""

    __slots__ = ("_made", "_shifts")

    def __init__(self, shifts: list[Shift]) -> None:
        self._shifts = shifts
        self._made: list[Change] | None = None

    @property
    def shifts(self) -> Sequence[Shift]:
        """The same changes as the engine has them, by time and predicate, without making or ordering atoms."""
        return self._shifts

    def _changes(self) -> list[Change]:
        if self._made is None:
            self._made = [change for shift in sorted(self._shifts, key=_place) for change in _ordered(shift)]
        return self._made

    def __len__(self) -> int:
        return sum(len(shift.begun) + len(shift.ended) for shift in self._shifts)

    def __iter__(self) -> Iterator[Change]:
        return iter(self._changes())

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> list[Change]: ...
    def __getitem__(self, index: int | slice) -> Change | list[Change]:
        return self._changes()[index]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Sequence) and self._changes() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._changes())

    def _repr_html_(self) -> str:
        """A table for notebooks: what began and what ceased, when; the first of very many."""
        rows = [f"<tr><td>{c.time}<td>{'+' if c.holds else '−'}<td>{escape(str(c.atom))}" for c in self[:MOST_ROWS]]
        more = f"<p>… and {len(self) - MOST_ROWS} more" if len(self) > MOST_ROWS else ""
        return f"<table><tr><th>time<th><th>atom{''.join(rows)}</table>{more}" if rows else "<p>no change"


class Holder(Protocol):
    """Whatever can say what holds now: a machine."""

    def holding(self) -> Iterable[tuple[str, Collection[Key]]]: ...


def atoms_of(name: str, keys: Collection[Key]) -> Iterable[Atom]:
    """Atoms of a predicate from keys of one relation, which share their label."""
    if _are_named(name, keys):
        return map(Atom.of, keys)
    first = (name,)
    return [Atom.of(first + key[1:]) for key in keys]


def _flat(name: str, keys: Collection[Key]) -> Iterable[Key]:
    """The same as tuples, which are enough to find atoms by."""
    if _are_named(name, keys):
        return keys
    first = (name,)
    return [first + key[1:] for key in keys]


def _are_named(name: str, keys: Collection[Key]) -> bool:
    return not keys or next(iter(keys))[0] == name


class Snapshot:
    """What holds now. Nothing is kept for a caller who never asks, and little for one who asked once."""

    def __init__(self) -> None:
        self._atoms: set[Atom] | None = None
        self._unseen: list[Shift] = []
        self._size = 0

    def note(self, shifts: Iterable[Shift]) -> None:
        """Changes that the set does not have yet; when they outgrow it, making it anew is cheaper."""
        if self._atoms is None:
            return
        for shift in shifts:
            self._unseen.append(shift)
            self._size += len(shift.begun) + len(shift.ended)
        if self._size > len(self._atoms) + 1000:
            self.forget()

    def forget(self) -> None:
        self._atoms, self._unseen, self._size = None, [], 0

    def of(self, machine: Holder) -> frozenset[Atom]:
        """The output of a machine all of whose changes were noted."""
        if self._atoms is None:
            self._atoms = {atom for name, keys in machine.holding() for atom in atoms_of(name, keys)}
        for shift in self._unseen:
            self._atoms.difference_update(_flat(shift.name, shift.ended))
            self._atoms.update(atoms_of(shift.name, shift.begun))
        self._unseen, self._size = [], 0
        return frozenset(self._atoms)
