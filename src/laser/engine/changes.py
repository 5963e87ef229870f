"""The answer as changes: made lazily, because most callers look at few of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple, overload

from laser.engine.machine import Shift
from laser.terms import Atom, value_order

__all__ = ["Change", "Changes"]


MOST_ROWS = 200
"""Changes that a notebook shows of one call."""


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
