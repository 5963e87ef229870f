"""The nodes that the stream and the clock feed.

``turn(t, batch)`` moves an input to t and takes the facts of one call (a set, perhaps empty); it may be called again at the
same t with more. What it changes stands in ``added``, ``removed`` and ``early``, as for every relation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import takewhile
from typing import Any

from laser.engine.relation import FOREVER, Key, Relation, Wake
from laser.engine.tail import Tail
from laser.plan.nodes import (
    Background,
    Dated,
    Input,
    LastDated,
    LastPoints,
    LastRecent,
    Node,
    Points,
    Recent,
    Unbroken,
    Unit,
)  # fmt: skip

__all__ = ["ConstantInput", "InputRelation", "LastPointsInput", "PointsInput", "TailInput", "make_input"]


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

    def revoke(self, keys: Collection[Key]) -> None:
        """Keys that end before their horizon."""
        for key in keys:
            self.alive[key] = -1
        self.removed += keys
        self.dead += keys
        self.early += keys

    def expire(self, t: int) -> None:
        """Drop the keys whose horizon has passed. (What rests on them has expired with them, so no join needs them.)"""
        bucket = self.due.pop(t - 1, None)
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

    def __init__(self, node: Node, number: int, wake: Wake, ticks: int) -> None:
        super().__init__(node, number, wake)
        self.ticks = ticks

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, horizon - self.ticks) for fact, horizon in self.alive.items())

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            facts = set(batch)  # a set, so that nothing below hashes a fact again
            fresh = facts.difference(self.alive)
            horizon = t + self.ticks
            self.alive.update(dict.fromkeys(facts, horizon))
            self.insert(fresh, horizon)
        self.expire(t)


class RecentOutput(InputRelation):
    """``⊞n ◇ a`` where no rule joins it: a set and a ring of sets, with horizons only for what arrived again.

    Bulk operations on sets use the hashes that they keep, and so beat any loop over facts.
    """

    __slots__ = ("later", "present", "ticks")

    def __init__(self, node: Node, number: int, wake: Wake, ticks: int) -> None:
        super().__init__(node, number, wake)
        self.ticks = ticks
        self.present: set[Key] = set()
        self.later: dict[Key, int] = {}

    def live(self) -> Collection[Key]:
        return self.present

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, horizon - self.ticks) for fact, horizon in self.horizons().items())

    def horizons(self) -> dict[Key, int]:
        """The horizon of each key."""
        return {key: h for h, keys in self.due.items() for key in keys} | self.later

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            facts = set(batch)
            fresh = facts.difference(self.present)
            if len(fresh) < len(facts):
                self.later.update(dict.fromkeys(facts - fresh, t + self.ticks))
            self.present |= fresh
            self.insert(fresh, t + self.ticks)
        bucket = self.due.pop(t - 1, None)
        if bucket is not None:
            if self.later:
                bucket -= self.put_off(bucket.intersection(self.later), t)
            self.present -= bucket
            self.removed += bucket

    def put_off(self, again: set[Key], t: int) -> set[Key]:
        """Of keys that arrived again after they were put into their bucket, those that still hold."""
        buckets: dict[int, list[Key]] = {}
        for key, horizon in zip(again, map(self.later.pop, again), strict=True):
            buckets.setdefault(horizon, []).append(key)
        for horizon, keys in buckets.items():
            if horizon >= t:
                self.schedule(horizon, keys)
            else:
                again.difference_update(keys)
        return again

    def dump(self) -> Any:
        return [[list(key), h] for key, h in self.horizons().items()]

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        for key, h in data:
            self.present.add(key_of(key))
            self.schedule(h, [key_of(key)])


class DatedInput(InputRelation):
    """``⊞n @T a`` and ``@T a``: a key for each fact and time."""

    __slots__ = ("ticks",)

    def __init__(self, node: Node, number: int, wake: Wake, ticks: int | None) -> None:
        super().__init__(node, number, wake)
        self.ticks = ticks

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((key[:-1], key[-1]) for key in self.alive)

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            alive, now = self.alive, (t,)
            fresh = [key for fact in set(batch) if (key := fact + now) not in alive]
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
        super().turn(t, t0, [("",)])

    def fill(self, t: int, t0: int) -> None:
        """All points of the window at once, for a run that begins in the middle of a timeline."""
        first = t0 if self.ticks is None else max(t0, t - self.ticks)
        for point in range(first, t + 1):
            self.alive["", point] = FOREVER if self.ticks is None else point + self.ticks
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


class UnbrokenInput(InputRelation):
    """``⊞n □ a``: only the starts and the ends of runs cost anything.

    ``since`` has the start of each run that reaches the present, ``lapsed`` of those that ended with the previous time point
    (more facts of the present may still revive them), ``maturing`` the runs that will be long enough at a time.
    """

    __slots__ = ("lapsed", "maturing", "since", "ticks", "time", "today", "yesterday")

    def __init__(self, node: Node, number: int, wake: Wake, ticks: int) -> None:
        super().__init__(node, number, wake)
        self.ticks = ticks
        self.time = -1
        self.today: set[Key] = set()
        self.yesterday: set[Key] = set()
        self.since: dict[Key, int] = {}
        self.lapsed: dict[Key, int] = {}
        self.maturing: dict[int, list[Key]] = {}

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        facts = set(batch)
        if t != self.time:
            self.yesterday = self.today if t == self.time + 1 else set()
            self.today, self.lapsed, self.time = facts, {}, t
            self.end_runs(self.yesterday - facts)
        else:
            self.revive_runs(facts.intersection(self.lapsed), t, t0)
            facts -= self.today
            self.today |= facts
        self.start_runs(facts - self.yesterday, t, t0)
        self.mature([fact for fact in self.maturing.pop(t, ()) if self.since.get(fact) == t - self.ticks])
        if self.today:
            self.wake(t + 1, self.number)

    def evidence(self) -> Iterator[tuple[Key, int]]:
        for fact, start in self.since.items():
            for point in range(max(start, self.time - self.ticks), self.time + 1):
                yield fact, point

    def end_runs(self, facts: set[Key]) -> None:
        since, lapsed = self.since, self.lapsed
        for fact in facts:
            lapsed[fact] = since.pop(fact)
        self.revoke([fact for fact in facts if fact in self.alive])

    def revive_runs(self, facts: set[Key], t: int, t0: int) -> None:
        for fact in facts:
            self.since[fact] = self.lapsed.pop(fact)
        self.mature([fact for fact in facts if self.since[fact] <= max(t0, t - self.ticks)])

    def start_runs(self, facts: set[Key], t: int, t0: int) -> None:
        if not facts:
            return
        self.since.update(dict.fromkeys(facts, t))
        if t == t0:
            self.mature(facts)
        else:
            self.maturing.setdefault(t + self.ticks, []).extend(facts)
            self.wake(t + self.ticks, self.number)

    def mature(self, facts: Collection[Key]) -> None:
        fresh = [fact for fact in facts if fact not in self.alive]
        self.alive.update(dict.fromkeys(fresh, FOREVER))
        self.insert(fresh, FOREVER)

    def dump(self) -> Any:
        def pairs(runs: dict[Key, int]) -> list[Any]:
            return [[list(fact), start] for fact, start in runs.items()]

        return {
            "time": self.time,
            "today": [list(fact) for fact in self.today],
            "yesterday": [list(fact) for fact in self.yesterday],
            "since": pairs(self.since),
            "lapsed": pairs(self.lapsed),
            "alive": [list(fact) for fact in self.alive],
        }

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        self.time = data["time"]
        self.today, self.yesterday = set(map(key_of, data["today"])), set(map(key_of, data["yesterday"]))
        self.since = {key_of(fact): start for fact, start in data["since"]}
        self.lapsed = {key_of(fact): start for fact, start in data["lapsed"]}
        self.alive.update((key_of(fact), FOREVER) for fact in data["alive"])
        for fact, start in (self.since | self.lapsed).items():
            if fact not in self.alive and start + self.ticks > self.time:
                self.maturing.setdefault(start + self.ticks, []).append(fact)
                self.wake(start + self.ticks, self.number)
        if self.today:
            self.wake(self.time + 1, self.number)


class TailInput(InputRelation):
    """Inputs over the last n facts of the stream; the tail says which come in and which go out."""

    __slots__ = ("counts", "tail", "tuples")

    def __init__(self, node: Node, number: int, wake: Wake, tuples: int, tail: Tail) -> None:
        super().__init__(node, number, wake)
        self.tuples, self.tail = tuples, tail
        self.counts: dict[Key, int] = {}

    def keys_of(self, moved: list[tuple[Key, int]]) -> list[Key]:
        raise NotImplementedError

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        entering, leaving = self.tail.moves(self.tuples, self.node)
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

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        for key in self.keys_of(self.tail.content(self.tuples, self.node)):
            self.counts[key] = self.counts.get(key, 0) + 1
            self.alive[key] = FOREVER


class LastRecentInput(TailInput):
    """``⊞#n ◇ a``."""

    __slots__ = ()

    def keys_of(self, moved: list[tuple[Key, int]]) -> list[Key]:
        return [fact for fact, _ in moved]


class LastDatedInput(TailInput):
    """``⊞#n @T a``."""

    __slots__ = ()

    def keys_of(self, moved: list[tuple[Key, int]]) -> list[Key]:
        return [(*fact, time) for fact, time in moved]


class LastPointsInput(InputRelation):
    """The time points of a tuple window, from the time of its oldest fact to the present."""

    __slots__ = ("tail", "tuples")

    def __init__(self, node: Node, number: int, wake: Wake, tuples: int, tail: Tail) -> None:
        super().__init__(node, number, wake)
        self.tuples, self.tail = tuples, tail

    def dump(self) -> Any:
        return None

    def load(self, data: Any, key_of: Callable[[Any], Key]) -> None:
        return

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        first = self.tail.first(self.tuples, t0)
        self.revoke(list(takewhile(lambda key: key[1] < first, self.alive)))
        if first <= t and ("", t) not in self.alive:
            self.alive["", t] = FOREVER
            self.insert([("", t)], FOREVER)

    def fill(self, t: int, t0: int) -> None:
        """All points of the window at once."""
        self.alive.update((("", point), FOREVER) for point in range(self.tail.first(self.tuples, t0), t + 1))


def make_input(node: Input, number: int, wake: Wake, tail: Tail, joined: bool) -> InputRelation:
    """The relation that serves an input node; ``joined`` says whether rules read it."""
    match node:
        case Recent(ticks=ticks):
            return (RecentInput if joined else RecentOutput)(node, number, wake, ticks)
        case Dated(ticks=ticks):
            return DatedInput(node, number, wake, ticks)
        case Points(ticks=ticks):
            return PointsInput(node, number, wake, ticks)
        case Unbroken(ticks=ticks):
            return UnbrokenInput(node, number, wake, ticks)
        case LastRecent(tuples=tuples):
            return LastRecentInput(node, number, wake, tuples, tail)
        case LastDated(tuples=tuples):
            return LastDatedInput(node, number, wake, tuples, tail)
        case LastPoints(tuples=tuples):
            return LastPointsInput(node, number, wake, tuples, tail)
        case Background() | Unit():
            return ConstantInput(node, number, wake)
