"""The answer as changes: made lazily, because most callers look at few of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from laser.engine.machine import Shift
from laser.terms import Atom

__all__ = ["Change", "Changes"]


class Change(NamedTuple):
    """At ``time``, ``atom`` began to hold (``holds``) or ceased."""

    time: int
    atom: Atom
    holds: bool

    def __str__(self) -> str:
        return f"{self.time} {'+' if self.holds else '-'} {self.atom}"


class Changes(Sequence[Change]):
    """The changes of one call, ordered by time, then by atom. Its length is known without making them."""

    __slots__ = ("_made", "_shifts")

    def __init__(self, shifts: list[Shift]) -> None:
        self._shifts = shifts
        self._made: list[Change] | None = None

    def _changes(self) -> list[Change]:
        if self._made is None:
            made = [
                Change(shift.time, Atom.of((shift.name, *key[1:])), holds)
                for shift in self._shifts
                for keys, holds in ((shift.begun, True), (shift.ended, False))
                for key in keys
            ]
            self._made = sorted(made)
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
