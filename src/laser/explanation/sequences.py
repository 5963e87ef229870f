"""Long runs of time points, whose items are computed on access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from laser.explanation.explanation import Proof
from laser.explanation.table import TimedAtom
from laser.values import Atom

__all__ = ["EAGER", "LazyProofs", "TimePoints"]

EAGER = 64
"""A longer run is proved only on access."""


class LazyProofs(Sequence[Proof]):
    """The proofs of a long run."""

    def __init__(self, entries: Sequence[TimedAtom], prove: Callable[[TimedAtom], Proof]) -> None:
        self._entries, self._prove = entries, prove

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Proof: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Proof]: ...
    def __getitem__(self, index: int | slice) -> Proof | Sequence[Proof]:
        if isinstance(index, slice):
            return LazyProofs(self._entries[index], self._prove)
        return self._prove(self._entries[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]


def _same(left: object, right: object) -> bool:
    return left == right


class TimePoints(Sequence[TimedAtom]):
    """One atom at every time point from a first to a last."""

    def __init__(self, low: int, high: int, atom: Atom) -> None:
        self._times, self._atom = range(low, high + 1), atom

    def __len__(self) -> int:
        return len(self._times)

    @overload
    def __getitem__(self, index: int) -> TimedAtom: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TimedAtom]: ...
    def __getitem__(self, index: int | slice) -> TimedAtom | Sequence[TimedAtom]:
        if isinstance(index, slice):
            return [(time, self._atom) for time in self._times[index]]
        return self._times[index], self._atom
