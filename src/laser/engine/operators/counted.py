"""Counts the time points at which a key holds, outside of recursion."""

from __future__ import annotations

from abc import abstractmethod

from laser.answers import Key
from laser.engine.arrivals import Arrivals
from laser.engine.latest import Latest
from laser.engine.operators.operator import Operator
from laser.engine.relation import Relation
from laser.windows import TupleWindow, Window

__all__ = ["EveryPointByKeyOperator", "EveryPointOperator", "ManyPointsOperator"]


class _CountingOperator(Operator):
    """Keeps the number of time points of each key."""

    def __init__(self, head: Relation, dated: Relation) -> None:
        super().__init__([head])
        self.head, self.dated = head, dated
        self.counts: dict[Key, int] = {}

    def recount(self) -> set[Key]:
        """Update the counts by the changes. Returns the keys concerned."""
        counts, delta = self.counts, self.dated.delta
        touched = {key[:-1] for key in delta.added}
        for key in delta.added:
            point = key[:-1]
            counts[point] = counts.get(point, 0) + 1
        for key in delta.removed:
            point = key[:-1]
            touched.add(point)
            left = counts.pop(point) - 1
            if left:
                counts[point] = left
        return touched

    def decide(self, touched: set[Key]) -> None:
        """Let those of the keys hold that have enough time points."""
        head = self.head
        enough = {key for key in touched if self.is_enough(key, self.counts.get(key, 0))}
        begun = list(enough.difference(head.alive)) if enough else []
        ended = [key for key in touched - enough if key in head.alive] if head.alive else []
        if begun or ended:
            head.hold_until_revoked(begun, ended)

    @abstractmethod
    def is_enough(self, key: Key, count: int) -> bool: ...

    def forget(self) -> None:
        self.counts.clear()


class ManyPointsOperator(_CountingOperator):
    """``⊞ ◇≥n``: n time points are enough, whatever the window."""

    def __init__(self, head: Relation, dated: Relation, times: int) -> None:
        super().__init__(head, dated)
        self.times = times

    def settle(self, t: int, t0: int) -> None:
        self.decide(self.recount())

    def is_enough(self, key: Key, count: int) -> bool:
        return count >= self.times


class _PresentOperator(_CountingOperator):
    """Knows which keys hold at the present."""

    def __init__(self, head: Relation, dated: Relation) -> None:
        super().__init__(head, dated)
        self.time = -1
        self.current: set[Key] = set()

    def of_the_present(self, t: int) -> set[Key]:
        """The keys that hold at t: only they can hold at every time point of a tuple window that has become shorter."""
        if t != self.time:
            self.time, self.current = t, set()
        self.current.update(key[:-1] for key in self.dated.delta.added if key[-1] == t)
        return self.current


class EveryPointByKeyOperator(_PresentOperator):
    """``⊞#n[X] □``: the number must equal that of the window of the key, which ends with the present."""

    def __init__(self, head: Relation, dated: Relation, latest: Latest, per: tuple[int, ...]) -> None:
        super().__init__(head, dated)
        self.latest, self.per = latest, per
        self.start = 0

    def settle(self, t: int, t0: int) -> None:
        self.start = t0
        self.decide(self.recount() | self.of_the_present(t) | self.head.alive.keys())
        if self.head.alive:
            self.head.agenda.wake(t + 1, self.head.number)

    def is_enough(self, key: Key, count: int) -> bool:
        own = [key[place + 1] for place in self.per]
        return count == len(self.latest.points(own, self.time, self.start))


class EveryPointOperator(_PresentOperator):
    """``⊞ □``: the number must equal that of the window. The length of a tuple window changes with the arrivals."""

    def __init__(self, head: Relation, dated: Relation, window: Window, arrivals: Arrivals) -> None:
        super().__init__(head, dated)
        self.window, self.arrivals = window, arrivals
        self.counts_facts = isinstance(window, TupleWindow)
        self.length = 0

    def settle(self, t: int, t0: int) -> None:
        touched = self.recount()
        length = len(self.window.points(t, t0, self.arrivals))
        if length != self.length or self.counts_facts:
            shrinks = length < self.length and not self.counts_facts
            touched.update(self.counts if shrinks else self.head.alive)
            self.length = length
        if self.counts_facts:
            touched |= self.of_the_present(t)
        self.decide(touched)
        if self.head.alive:
            self.head.agenda.wake(t + 1, self.head.number)

    def is_enough(self, key: Key, count: int) -> bool:
        return count == self.length > 0
