"""What all inputs share: the nodes that the stream and the clock feed.

``advance(t, t0, batch)`` moves an input to t and takes the facts of one call (a set, perhaps empty); it may be called again at
the same t with more. What it changes stands in the delta, as for every relation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from typing import Any, ClassVar, TypeAlias

from laser.engine.relation import FOREVER, Key, Relation
from laser.windows import TimeWindow

__all__ = ["Input", "Row", "differences", "horizon_at"]

Row: TypeAlias = tuple[Any, ...]
"""A fact of the stream and its time, or the first and the last of several: what is saved of an input."""


class Input(Relation, ABC):
    """Keys that enter with one horizon, and expire."""

    __slots__ = ()
    ROW_TIMES: ClassVar[int] = 1
    """How many time points a row has."""

    @abstractmethod
    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None: ...

    def evidence(self) -> Iterator[tuple[Key, int]]:
        """Facts of the stream, with their times, that make the keys hold: enough of them, not all."""
        return iter(())

    def insert(self, fresh: Collection[Key], horizon: int) -> None:
        """Keys that were not alive."""
        if not fresh:
            return
        self.schedule(horizon, fresh)
        if self.index:
            self.index.add(fresh)
        self.delta.add(fresh)

    def expire(self, t: int) -> None:
        """Drop the keys whose horizon has passed. (What rests on them has expired with them, so no join needs them.)"""
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
        """Come to t at once, for a run that begins in the middle of a timeline; what was loaded stays."""

    def dump(self) -> Iterable[Row]:
        """The facts from which all else can be computed."""
        return self.evidence()

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        """Take over what ``dump`` gave at t, or ValueError where it could not have; facts and times are sound."""


def horizon_at(window: TimeWindow, u: int, t: int) -> int:
    """The horizon of a fact of time u, which a state of time t still has; ValueError where it has left the window."""
    end = window.exit(u)
    if end is None:
        return FOREVER
    if end < t:
        raise ValueError(f"what came at {u} is not in {window} any more at {t}")
    return end


def differences(before: set[Key], after: set[Key]) -> tuple[set[Key], set[Key]]:
    """What is in ``before`` only, and what is in ``after`` only.

    Where batches resemble each other, comparing equal facts is what costs, and this does it once rather than twice.
    """
    differing = before ^ after
    started = differing - before
    return differing - started, started
