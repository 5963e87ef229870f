"""The nodes that the stream and the clock feed.

``turn(t, batch)`` moves an input to t and takes the facts of one call (a set, perhaps empty); it may be called again at the
same t with more. What it changes stands in ``added``, ``removed`` and ``early``, as for every relation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any

from laser.engine.agenda import Agenda
from laser.engine.relation import FOREVER, Key, Relation
from laser.plan.nodes import Node

__all__ = ["ConstantInput", "DatedInput", "InputRelation", "PointsInput", "RecentInput"]


class InputRelation(Relation):
    """What all inputs share: insertion of a batch with one horizon, and its expiry."""

    __slots__ = ()

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        raise NotImplementedError

    def evidence(self) -> Iterator[tuple[Key, int]]:
        """Facts of the stream, with their times, that make the keys hold: enough of them, not all."""
        return iter(())

    def insert(self, fresh: Collection[Key], horizon: int) -> None:
        """Keys that were not alive."""
        if not fresh:
            return
        self.schedule(horizon, fresh)
        if self.index:
            self.index(fresh)
        self.added = [*self.added, *fresh] if self.added else fresh

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
        if self.unindex:
            self.unindex(gone)
        self.removed += gone

    def dump(self) -> Any:
        """The state as plain data; what can be computed from it is left out."""
        return [[list(key), None if h >= FOREVER else h] for key, h in self.alive.items()]

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        for key, h in data:
            self.alive[key_of(key)] = FOREVER if h is None else h
        self.schedule_each(self.alive)


class RecentInput(InputRelation):
    """``⊞n ◇ a``: a fact that arrives again only raises its horizon."""

    __slots__ = ("ticks",)

    def __init__(self, node: Node, number: int, agenda: Agenda, ticks: int) -> None:
        super().__init__(node, number, agenda)
        self.ticks = ticks

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, horizon - self.ticks) for fact, horizon in self.alive.items())

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            facts = batch if isinstance(batch, set) else set(batch)  # nothing below hashes a fact again
            horizon = t + self.ticks
            before = len(self.alive)
            self.alive.update(dict.fromkeys(facts, horizon))
            new = len(self.alive) - before
            self.insert(facts if new == len(facts) else list(islice(reversed(self.alive), new)), horizon)
        self.expire(t)


class DatedInput(InputRelation):
    """``⊞n @T a`` and ``@T a``: a key for each fact and time."""

    __slots__ = ("ticks",)

    def __init__(self, node: Node, number: int, agenda: Agenda, ticks: int | None) -> None:
        super().__init__(node, number, agenda)
        self.ticks = ticks

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((key[:-1], key[-1]) for key in self.alive)

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            alive, now = self.alive, (t,)
            fresh = [key for fact in batch if (key := fact + now) not in alive]
            horizon = FOREVER if self.ticks is None else t + self.ticks
            alive.update(dict.fromkeys(fresh, horizon))
            self.insert(fresh, horizon)
        self.expire(t)


class PointsInput(DatedInput):
    """The time points of a window: the clock feeds each one."""

    __slots__ = ()

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        return

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return iter(())

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if self.ticks == 0:
            self.replace(("", t), t)
        else:
            super().turn(t, t0, [("",)])

    def replace(self, present: Key, t: int) -> None:
        """The present alone: it does not ask to be woken, so that a silence may pass it by."""
        if present not in self.alive:
            past = list(self.alive)
            self.bury(past)
            self.removed += past
            self.alive[present] = t
            self.insert((present,), FOREVER)

    def fill(self, t: int, t0: int) -> None:
        """All points of the window at once, for a run that begins in the middle of a timeline."""
        first = t0 if self.ticks is None else max(t0, t - self.ticks)
        for point in range(first, t + 1):
            self.alive["", point] = FOREVER if self.ticks is None else point + self.ticks
        if self.ticks != 0:
            self.schedule_each(self.alive)


class ConstantInput(InputRelation):
    """Background data, and the unit: fed once, when the timeline begins."""

    __slots__ = ()

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        fresh = [key for key in batch if key not in self.alive]
        self.alive.update(dict.fromkeys(fresh, FOREVER))
        self.insert(fresh, FOREVER)

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        return
