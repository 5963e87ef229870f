"""``⊞ □`` outside of recursion: a key holds where it has as many time points as the window."""

from __future__ import annotations

from collections import Counter

from laser.answers import Key
from laser.engine.arrivals import Arrivals
from laser.engine.operators.operator import Operator
from laser.engine.relation import Relation
from laser.windows import TupleWindow, Window

__all__ = ["EveryPointOperator"]


class EveryPointOperator(Operator):
    """Counts the time points of each key. Under a tuple window the number that is needed changes with what arrives."""

    def __init__(self, head: Relation, dated: Relation, window: Window, arrivals: Arrivals) -> None:
        super().__init__([head])
        self.head, self.dated, self.window, self.arrivals = head, dated, window, arrivals
        self.counts: Counter[Key] = Counter()
        self.length = 0
        self.time = -1
        self.current: set[Key] = set()

    @property
    def counts_facts(self) -> bool:
        return isinstance(self.window, TupleWindow)

    def settle(self, t: int, t0: int) -> None:
        if t != self.time:
            self.time, self.current = t, set()
        touched = self.recount(t)
        length = len(self.window.points(t, t0, self.arrivals))
        if length != self.length or self.counts_facts:
            shrinks = length < self.length and not self.counts_facts
            touched.update(self.counts if shrinks else self.head.alive)
            self.length = length
        if self.counts_facts:
            touched |= self.current
        self.decide(touched, length)
        if self.head.alive:
            self.head.agenda.wake(t + 1, self.head.number)

    def recount(self, t: int) -> set[Key]:
        """Count what came and what went; the keys that it concerns."""
        counts, delta = self.counts, self.dated.delta
        points = [key[:-1] for key in delta.added]
        counts.update(points)
        if self.counts_facts:
            self.current.update(key[:-1] for key in delta.added if key[-1] == t)
        touched = set(points)
        for key in delta.removed:
            point = key[:-1]
            touched.add(point)
            left = counts.pop(point) - 1
            if left:
                counts[point] = left
        return touched

    def decide(self, touched: set[Key], length: int) -> None:
        head, counts = self.head, self.counts
        whole = {key for key in touched if counts.get(key) == length}
        begun = list(whole.difference(head.alive))
        ended = [key for key in touched - whole if key in head.alive]
        head.hold_until_revoked(begun, ended)

    def forget(self) -> None:
        self.counts.clear()
