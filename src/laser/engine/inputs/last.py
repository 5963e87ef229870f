"""The inputs for tuple windows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable
from itertools import takewhile

from laser.engine.agenda import Agenda
from laser.engine.arrivals import Arrivals, Moved
from laser.engine.inputs.input import Input, Row
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Dated, Points, Recent
from laser.windows import LastFacts

__all__ = ["LastDatedInput", "LastPointsInput", "LastRecentInput"]


class _LastInput(Input):
    """Facts of a window over the last facts; the arrivals say which ones enter and leave."""

    __slots__ = ("arrivals", "counts", "predicate", "window")

    def __init__(
        self, node: Recent | Dated, number: int, agenda: Agenda, window: LastFacts, arrivals: Arrivals
    ) -> None:
        super().__init__(node, number, agenda)
        self.window, self.arrivals, self.predicate = window, arrivals, node.predicate
        self.counts: dict[Key, int] = {}

    @abstractmethod
    def keys_of(self, moved: Moved) -> list[Key]: ...

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        entering, leaving = self.arrivals.entering_and_leaving(self.window, self.predicate)
        counts = self.counts
        for key in self.keys_of(entering):
            counts[key] = counts.get(key, 0) + 1
        leaving_keys = self.keys_of(leaving)
        for key in leaving_keys:
            counts[key] -= 1
        fresh = [key for key in dict.fromkeys(self.keys_of(entering)) if key not in self.alive]
        self.alive.update(dict.fromkeys(fresh, FOREVER))
        self.insert(fresh, FOREVER)
        gone = [key for key in dict.fromkeys(leaving_keys) if counts[key] == 0]
        for key in gone:
            del counts[key]
        self.revoke(gone)

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        for key in self.keys_of(self.arrivals.content(self.window, self.predicate)):
            self.counts[key] = self.counts.get(key, 0) + 1
            self.alive[key] = FOREVER


class LastRecentInput(_LastInput):
    """``⊞#n ◇ a``."""

    __slots__ = ()

    def keys_of(self, moved: Moved) -> list[Key]:
        return [fact for fact, _ in moved]


class LastDatedInput(_LastInput):
    """``⊞#n @T a``."""

    __slots__ = ()

    def keys_of(self, moved: Moved) -> list[Key]:
        return [(*fact, time) for fact, time in moved]


class LastPointsInput(Input):
    """The time points of a tuple window, from the time of its oldest fact to the present."""

    __slots__ = ("arrivals", "window")

    def __init__(self, node: Points, number: int, agenda: Agenda, window: LastFacts, arrivals: Arrivals) -> None:
        super().__init__(node, number, agenda)
        self.window, self.arrivals = window, arrivals

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        points = self.window.points(t, t0, self.arrivals)
        self.revoke(list(takewhile(lambda key: key[1] < points.start, self.alive)))
        if points and ("", t) not in self.alive:
            self.alive["", t] = FOREVER
            self.insert([("", t)], FOREVER)

    def fill(self, t: int, t0: int) -> None:
        self.alive.update((("", point), FOREVER) for point in self.window.points(t, t0, self.arrivals))
