"""Inputs for windows that a fact enters later than it arrives, or leaves in blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from laser.engine.agenda import Agenda
from laser.engine.inputs.dated import DatedInput
from laser.engine.inputs.input import Input, Row, horizon_at
from laser.engine.inputs.points import PointsInput
from laser.engine.relation import Key
from laser.plan.nodes import Recent
from laser.windows import TimeWindow

__all__ = ["BlockInput", "WaitingDatedInput", "WaitingPointsInput"]


class WaitingRoom:
    """Batches by the time at which they enter the window, each with the time at which it arrived."""

    __slots__ = ("batches",)

    def __init__(self) -> None:
        self.batches: dict[int, list[tuple[int, Collection[Key]]]] = {}

    def put(self, entry: int, u: int, facts: Collection[Key]) -> None:
        self.batches.setdefault(entry, []).append((u, facts))

    def take(self, t: int) -> Iterable[tuple[int, Collection[Key]]]:
        """The batches that enter at t, with the times at which they arrived."""
        return self.batches.pop(t, ())

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, u) for batches in self.batches.values() for u, facts in batches for fact in facts)


class BlockInput(Input):
    """``⊞ ◇ a`` for any time window: a fact enters at ``entry(u)`` and stays until ``exit(u)``."""

    __slots__ = ("arrived", "waiting", "window")

    def __init__(self, node: Recent, number: int, agenda: Agenda, window: TimeWindow) -> None:
        super().__init__(node, number, agenda)
        self.window = window
        self.waiting = WaitingRoom()
        self.arrived: dict[Key, int] = {}

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        for u, facts in self.waiting.take(t):
            self.enter(facts, u, t)
        if batch:  # after those that waited, because later facts stay longer
            self.arrive(batch, t)
        self.expire(t)

    def arrive(self, facts: Collection[Key], t: int) -> None:
        entry = self.window.entry(t)
        if entry <= t:
            self.enter(facts, t, t)
        else:
            self.waiting.put(entry, t, facts)
            self.agenda.wake(entry, self.number)

    def enter(self, facts: Collection[Key], u: int, t: int) -> None:
        horizon = self.window.exit(u)
        assert horizon is not None, "⊞ ◇ has a window that facts leave"
        if horizon < t:
            return  # the fact is never in the window
        alive = self.alive
        fresh = [fact for fact in facts if fact not in alive]
        alive.update(dict.fromkeys(facts, horizon))
        self.arrived.update(dict.fromkeys(facts, u))
        if len(fresh) < len(facts):
            self.raised_until = max(self.raised_until, horizon)
        self.insert(fresh, horizon)

    def expire(self, t: int) -> None:
        before = len(self.delta.removed)
        super().expire(t)
        for fact in self.delta.removed[before:]:
            del self.arrived[fact]

    def evidence(self) -> Iterator[tuple[Key, int]]:
        yield from self.arrived.items()
        yield from self.waiting.evidence()

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        for u, facts in by_time(rows):
            if self.window.entry(u) > t:
                self.arrive(facts, u)
            else:
                self.alive.update(dict.fromkeys(facts, horizon_at(self.window, u, t)))
                self.arrived.update(dict.fromkeys(facts, u))
        self.schedule_each(self.alive)


class WaitingDatedInput(DatedInput):
    """``⊞ @T a`` for a window that facts enter later than they arrive."""

    __slots__ = ("waiting",)

    def __init__(self, node: Any, number: int, agenda: Agenda, window: TimeWindow) -> None:
        super().__init__(node, number, agenda, window)
        self.waiting = WaitingRoom()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            self.arrive(batch, t)
        for u, facts in self.waiting.take(t):
            now = (u,)
            if (self.window.exit(u) or t) >= t:
                self.enter([key for fact in facts if (key := fact + now) not in self.alive], u)
        self.expire(t)

    def arrive(self, facts: Collection[Key], t: int) -> None:
        entry = self.window.entry(t)
        self.waiting.put(entry, t, facts)
        if entry > t:
            self.agenda.wake(entry, self.number)

    def evidence(self) -> Iterator[tuple[Key, int]]:
        yield from super().evidence()
        yield from self.waiting.evidence()

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        rows = list(rows)
        for u, facts in by_time(rows):
            if self.window.entry(u) > t:
                self.arrive(facts, u)
        super().load((row for row in rows if self.window.entry(row[1]) <= t), t, t0)


def by_time(rows: Iterable[Row]) -> list[tuple[int, set[Key]]]:
    """The facts of each time point, in order."""
    times: dict[int, set[Key]] = {}
    for fact, u in rows:
        times.setdefault(u, set()).add(fact)
    return sorted(times.items())


class WaitingPointsInput(WaitingDatedInput, PointsInput):
    """The time points of such a window: the clock feeds each one, and it enters when its time has come."""

    __slots__ = ()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        WaitingDatedInput.advance(self, t, t0, [("",)])

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return iter(())

    def fill(self, t: int, t0: int) -> None:
        super().fill(t, t0)
        u = t
        while u >= t0 and self.window.entry(u) > t:
            self.arrive([("",)], u)
            u -= 1
