"""The inputs for windows that count per key."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input, Row
from laser.engine.latest import Latest, LatestOne
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Beginning, Dated, Recent

__all__ = ["BeginningInput", "LatestDatedInput", "LatestRecentInput", "NewestInput", "NewestOutput"]


class _LatestInput(Input):
    """Facts of a window; ``latest`` says which ones have entered and left."""

    __slots__ = ("latest",)

    def __init__(self, node: Recent | Dated | Beginning, number: int, agenda: Agenda, latest: Latest) -> None:
        super().__init__(node, number, agenda)
        self.latest = latest

    def change(self, begun: list[Key], ended: list[Key]) -> None:
        """Add keys that begin to hold, and remove keys that end."""
        self.alive.update(dict.fromkeys(begun, FOREVER))
        self.insert(begun, FOREVER)
        self.revoke(ended)


class NewestInput(_LatestInput):
    """``⊞#1[X] ◇ a``: each key has one fact, which the next one replaces."""

    __slots__ = ()
    latest: LatestOne

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        self.change(*self.latest.replaced())

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        self.alive.update((fact, FOREVER) for fact, _, _ in self.latest.rows())


class NewestOutput(_LatestInput):
    """The same if no rule joins it: it reports changes, and keeps nothing that the queues do not have."""

    __slots__ = ()
    latest: LatestOne

    def live(self) -> Collection[Key]:
        return [fact for fact, _, _ in self.latest.rows()]

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        begun, ended = self.latest.replaced()
        self.delta.add(begun)
        self.delta.removed += ended


class LatestRecentInput(_LatestInput):
    """``⊞#n[X] ◇ a``: a fact can be in the window more than once."""

    __slots__ = ("counts",)

    def __init__(self, node: Recent, number: int, agenda: Agenda, latest: Latest) -> None:
        super().__init__(node, number, agenda, latest)
        self.counts: dict[Key, int] = {}

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        counts = self.counts
        begun = [fact for fact, _, _ in self.latest.entering if self.add(fact) == 1]
        ended = []
        for fact, _, _ in self.latest.leaving:
            left = counts.pop(fact) - 1
            if left:
                counts[fact] = left
            else:
                ended.append(fact)
        self.change([fact for fact in begun if fact in counts and fact not in self.alive], ended)

    def add(self, fact: Key) -> int:
        self.counts[fact] = number = self.counts.get(fact, 0) + 1
        return number

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        for fact, _, _ in self.latest.rows():
            self.add(fact)
            self.alive[fact] = FOREVER


class LatestDatedInput(_LatestInput):
    """``⊞#n[X] @T a``: a fact occurs at most once at a time point."""

    __slots__ = ()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        begun, ended = (
            [(*fact, time) for fact, time, _ in rows] for rows in (self.latest.entering, self.latest.leaving)
        )
        self.change(begun, ended)

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        self.alive.update(((*fact, time), FOREVER) for fact, time, _ in self.latest.rows())


class BeginningInput(_LatestInput):
    """The begin of the window of each key that has enough facts to fill it."""

    __slots__ = ("begins",)

    def __init__(self, node: Beginning, number: int, agenda: Agenda, latest: Latest) -> None:
        super().__init__(node, number, agenda, latest)
        self.begins: dict[Any, Key] = {}

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        begun: list[Key] = []
        ended: list[Key] = []
        for fact in {row[0] for row in self.latest.entering}:
            key = self.latest.key_of(fact)
            before, now = self.begins.get(key), self.begin(fact)
            if now is not None and now != before:
                self.begins[key] = now
                begun.append(now)
                ended += [] if before is None else [before]
        self.change(begun, ended)

    def begin(self, fact: Key) -> Key | None:
        """The key of a fact with the time of its oldest fact, if it has enough facts."""
        window = self.latest.window
        queue = self.latest.queue(self.latest.key_of(fact))
        return ("", *window.key_of(fact), queue[0][1]) if len(queue) == window.size else None

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        for queue in self.latest.queues():
            begin = self.begin(queue[0][0])
            if begin is not None:
                self.begins[self.latest.key_of(queue[0][0])] = begin
                self.alive[begin] = FOREVER
