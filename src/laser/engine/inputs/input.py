"""What all inputs share: the nodes that the stream and the clock feed.

``advance(t, t0, batch)`` moves an input to t and takes the facts of one call (a set, perhaps empty); it may be called again at
the same t with more. What it changes stands in the delta, as for every relation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeAlias

from laser.engine.relation import FOREVER, Key, Relation

__all__ = ["Input", "KeyReader", "differences"]

KeyReader: TypeAlias = Callable[[Any], Key]
"""Makes a key of what a saved state has for one, or raises."""


class Input(Relation, ABC):
    """Keys that enter with one horizon, and expire."""

    __slots__ = ()

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
        bucket = self.take_due(t - 1)
        if bucket is None:
            return
        gone = list(bucket)
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

    def dump(self) -> Any:
        """The state as plain data; what can be computed from it is left out."""
        return [[list(key), None if h >= FOREVER else h] for key, h in self.alive.items()]

    def load(self, data: Any, key_of: KeyReader) -> None:
        for key, h in data:
            self.alive[key_of(key)] = FOREVER if h is None else h
        self.schedule_each(self.alive)


def differences(before: set[Key], after: set[Key]) -> tuple[set[Key], set[Key]]:
    """What is in ``before`` only, and what is in ``after`` only.

    Where batches resemble each other, comparing equal facts is what costs, and this does it once rather than twice.
    """
    differing = before ^ after
    started = differing - before
    return differing - started, started
