"""Inputs over windows that a fact does not enter at once, or does not leave tick by tick."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from laser.engine.agenda import Agenda
from laser.engine.inputs.dated import DatedInput
from laser.engine.inputs.input import Input, KeyReader
from laser.engine.inputs.points import PointsInput
from laser.engine.relation import Key
from laser.plan.nodes import Recent
from laser.windows import TimeWindow

__all__ = ["BlockInput", "WaitingDatedInput", "WaitingPointsInput"]


class WaitingRoom:
    """Batches by the time at which they enter, each with the time at which it arrived."""

    __slots__ = ("batches",)

    def __init__(self) -> None:
        self.batches: dict[int, list[tuple[int, Collection[Key]]]] = {}

    def put(self, entry: int, u: int, facts: Collection[Key]) -> None:
        self.batches.setdefault(entry, []).append((u, facts))

    def take(self, t: int) -> Iterable[tuple[int, Collection[Key]]]:
        """The batches that enter at t, as they arrived."""
        return self.batches.pop(t, ())

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, u) for batches in self.batches.values() for u, facts in batches for fact in facts)

    def dump(self) -> Any:
        return [[[list(fact), u] for fact in facts] for batches in self.batches.values() for u, facts in batches]

    def load(self, data: Any, key_of: KeyReader, window: TimeWindow) -> None:
        for batch in data:
            u = int(batch[0][1])
            self.put(window.entry(u), u, {key_of(fact) for fact, _ in batch})


class BlockInput(Input):
    """``⊞ ◇ a`` for any time window: a fact enters at ``entry(u)`` and is kept until ``exit(u)``."""

    __slots__ = ("arrived", "waiting", "window")

    def __init__(self, node: Recent, number: int, agenda: Agenda, window: TimeWindow) -> None:
        super().__init__(node, number, agenda)
        self.window = window
        self.waiting = WaitingRoom()
        self.arrived: dict[Key, int] = {}

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        for u, facts in self.waiting.take(t):
            self.enter(facts, u, t)
        if batch:  # after those that waited: who comes later stays longer
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
            return  # it is never in the window
        alive = self.alive
        fresh = [fact for fact in facts if fact not in alive]
        alive.update(dict.fromkeys(facts, horizon))
        self.arrived.update(dict.fromkeys(facts, u))
        self.insert(fresh, horizon)

    def expire(self, t: int) -> None:
        before = len(self.delta.removed)
        super().expire(t)
        for fact in self.delta.removed[before:]:
            del self.arrived[fact]

    def evidence(self) -> Iterator[tuple[Key, int]]:
        yield from self.arrived.items()
        yield from self.waiting.evidence()

    def dump(self) -> Any:
        return {"in": [[list(fact), u] for fact, u in self.arrived.items()], "waiting": self.waiting.dump()}

    def load(self, data: Any, key_of: KeyReader) -> None:
        for fact, u in data["in"]:
            key, horizon = key_of(fact), self.window.exit(int(u))
            assert horizon is not None
            self.arrived[key], self.alive[key] = int(u), horizon
        self.schedule_each(self.alive)
        self.waiting.load(data["waiting"], key_of, self.window)
        for entry in self.waiting.batches:
            self.agenda.wake(entry, self.number)


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

    def dump(self) -> Any:
        return {"in": super().dump(), "waiting": self.waiting.dump()}

    def load(self, data: Any, key_of: KeyReader) -> None:
        super().load(data["in"], key_of)
        self.waiting.load(data["waiting"], key_of, self.window)
        for entry in self.waiting.batches:
            self.agenda.wake(entry, self.number)


class WaitingPointsInput(WaitingDatedInput, PointsInput):
    """The time points of such a window: the clock feeds each one, and it enters when its time has come."""

    __slots__ = ()

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        WaitingDatedInput.advance(self, t, t0, [("",)])

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return iter(())

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: KeyReader) -> None:
        return

    def fill(self, t: int, t0: int) -> None:
        super().fill(t, t0)
        u = t
        while u >= t0 and self.window.entry(u) > t:
            self.arrive([("",)], u)
            u -= 1
