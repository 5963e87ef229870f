"""What all inputs have in common. Inputs are the nodes that the stream and the clock feed.

``advance(t, t0, batch)`` moves an input to t and adds the facts of one call (a set, possibly empty); it may be called again at
the same t with more facts. As for every relation, the changes are in the delta.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from typing import Any, ClassVar, TypeAlias

from laser.engine.relation import FOREVER, Key, Relation
from laser.windows import TimeWindow

__all__ = ["Input", "Row", "differences", "horizon_at"]

Row: TypeAlias = tuple[Any, ...]
"""A saved row of an input: a fact of the stream with its time, or with the first and last of several times."""


class Input(Relation, ABC):
    """Keys that enter with the same horizon, and expire."""

    __slots__ = ()
    ROW_TIMES: ClassVar[int] = 1
    """The number of time points in a row."""

    @abstractmethod
    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None: ...

    def evidence(self) -> Iterator[tuple[Key, int]]:
        """Facts of the stream, with their times, that are sufficient for the keys to hold. There may be others."""
        return iter(())

    def insert(self, fresh: Collection[Key], horizon: int) -> None:
        """Add keys that were not alive."""
        if not fresh:
            return
        self.schedule(horizon, fresh)
        if self.index:
            self.index.add(fresh)
        self.delta.add(fresh)

    def expire(self, t: int) -> None:
        """Drop the keys whose horizon has passed. (Keys that depend on them have expired, too, so no join needs them.)"""
        if t - 1 not in self.due:
            return
        gone = self.take_due(t - 1)
        horizons = list(map(self.alive.pop, gone))
        if max(horizons) >= t:
            renewed = {key: h for key, h in zip(gone, horizons, strict=True) if h >= t}
            self.alive.update(renewed)
            self.schedule_each(renewed)
            gone = [key for key, h in zip(gone, horizons, strict=True) if h < t]
        if self.index:
            self.index.discard(gone)
        self.delta.removed += gone

    def fill(self, t: int, t0: int) -> None:
        """Move to t at once, for a run that begins in the middle of a timeline; loaded facts stay."""

    def dump(self) -> Iterable[Row]:
        """The facts from which the rest of the state can be computed."""
        return self.evidence()

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        """Restore what ``dump`` returned at t; ValueError if it cannot be the result of ``dump``. Facts and times are already checked."""


def horizon_at(window: TimeWindow, u: int, t: int) -> int:
    """The horizon of a fact of time u in a state of time t; ValueError if the fact has left the window."""
    end = window.exit(u)
    if end is None:
        return FOREVER
    if end < t:
        raise ValueError(f"a fact of time {u} has left {window} at {t}")
    return end


def differences(before: set[Key], after: set[Key]) -> tuple[set[Key], set[Key]]:
    """The elements that are only in ``before``, and those that are only in ``after``.

    If batches are similar, most of the time goes into comparing equal facts; this function does that once instead of twice.
    """
    differing = before ^ after
    started = differing - before
    return differing - started, started
