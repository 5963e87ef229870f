"""The last facts of the stream in arrival order, for tuple windows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from laser.answers import Key
from laser.engine.latest import Numbered, make_latest
from laser.values import Predicate
from laser.windows import LastFacts, LastOf

__all__ = ["Arrivals", "Dump", "Moved"]

Moved = list[tuple[Key, int]]
"""Facts with their times."""


class Dump(NamedTuple):
    """The number of facts so far, the last ones in order, those of the present (which are counted once), and those of each window."""

    total: int
    facts: Moved
    present: Collection[Key]
    latest: Mapping[LastOf, Sequence[Numbered]]


class Arrivals:
    """Facts by their position in the stream, as many as the largest ``[n #]`` needs, and the facts of each ``[last n per X]``."""

    def __init__(self, limit: int, windows: Iterable[LastOf] = ()) -> None:
        self.limit = limit
        self.latest = {window: make_latest(window) for window in windows}
        self.first_kept = 0
        self.total = 0
        self.before = 0
        self.facts: dict[int, tuple[Key, int]] = {}
        self.present: set[Key] = set()
        self.time = -1

    def append(self, facts: Iterable[Key], t: int) -> None:
        """Add the facts of one call, in order; a fact that has already arrived at the present time point is not counted again."""
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
        """The facts of a predicate that the last call moved into a window and out of it."""
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

    def count(self, groups: Mapping[tuple[str, int], Collection[Key]], arrivals: Sequence[Key], t: int) -> None:
        """Pass the facts of one call, by predicate and in order, to the windows that count per key."""
        for window, latest in self.latest.items():
            signature = (window.predicate.name, window.predicate.arity + 1)
            distinct = groups.get(signature)
            if distinct:
                own = [f for f in arrivals if (f[0], len(f)) == signature] if len(groups) > 1 else arrivals
                latest.take(own, distinct, t)

    def dump(self, t: int) -> Dump:
        """The content to save at t."""
        kept = range(max(0, self.total - self.limit), self.total)
        present = set(self.present) if self.time == t else set()
        present.update(fact for latest in self.latest.values() if latest.time == t for fact in latest.present)
        rows = {window: sorted(latest.rows(), key=itemgetter(2)) for window, latest in self.latest.items()}
        return Dump(self.total, [self.facts[i] for i in kept], present, rows)

    def load(self, dump: Dump, t: int) -> None:
        """Restore what ``dump`` returned at t; ValueError if it cannot be the result of ``dump``."""
        total, facts, present, latest = dump
        counted = self.limit or all(any(window.counts(fact) for window in self.latest) for fact in present)
        if len(facts) != min(total, self.limit) or not counted:
            raise ValueError(
                f"{total} facts arrived, and it has the last {len(facts)} of them; the program needs {self.limit}"
            )
        for window, rows in latest.items():
            self.latest[window].load(rows, present, t)
        if any(before[1] > after[1] for before, after in pairwise(facts)):
            raise ValueError("the last facts of the stream are not in order")
        self.present, self.time = set(present), t
        if len(self.present) != len(present) or not self.present.issuperset(fact for fact, time in facts if time == t):
            raise ValueError("the last facts of the stream are not those of the present")
        self.total = self.before = total
        self.first_kept = total - len(facts)
        self.facts = dict(enumerate(facts, self.first_kept))

    def time_of(self, back: int) -> int | None:
        """The time of the ``back``-th last fact; None if fewer facts have arrived."""
        return self.facts[self.total - back][1] if self.total >= back else None
