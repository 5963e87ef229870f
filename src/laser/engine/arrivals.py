"""The last facts of the stream in arrival order, for tuple windows."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from laser.answers import Key
from laser.values import Predicate
from laser.windows import LastFacts

__all__ = ["Arrivals", "Moved"]

Moved = list[tuple[Key, int]]
"""Facts with their times."""


class Arrivals:
    """Facts by their position in the stream, as many as the largest tuple window asks for."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.first_kept = 0
        self.total = 0
        self.before = 0
        self.facts: dict[int, tuple[Key, int]] = {}
        self.present: set[Key] = set()
        self.time = -1

    def append(self, facts: Iterable[Key], t: int) -> None:
        """Facts of one call, in order; one that the present time point has already is not counted again."""
        if t != self.time:
            self.present, self.time = set(), t
        while self.first_kept < self.total - self.limit:
            del self.facts[self.first_kept]
            self.first_kept += 1
        self.before = self.total
        for fact in facts:
            if fact not in self.present:
                self.present.add(fact)
                self.facts[self.total] = (fact, t)
                self.total += 1

    def entering_and_leaving(self, window: LastFacts, predicate: Predicate) -> tuple[Moved, Moved]:
        """The facts of a predicate that came into a window and that fell out of it with the last call."""
        size = window.size
        entering = range(max(self.before, self.total - size), self.total)
        leaving = range(max(0, self.before - size), min(self.before, self.total - size))
        return self._of(predicate, entering), self._of(predicate, leaving)

    def content(self, window: LastFacts, predicate: Predicate) -> Moved:
        """The facts of a predicate in a window."""
        return self._of(predicate, range(max(0, self.total - window.size), self.total))

    def _of(self, predicate: Predicate, positions: Collection[int]) -> Moved:
        name, length = predicate.name, predicate.arity + 1
        facts = map(self.facts.__getitem__, positions)
        return [moved for moved in facts if moved[0][0] == name and len(moved[0]) == length]

    def time_of(self, back: int) -> int | None:
        """The time of the ``back``-th last fact; None where fewer have come."""
        return self.facts[self.total - back][1] if self.total >= back else None
