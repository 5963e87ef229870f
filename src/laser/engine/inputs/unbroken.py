"""``⊞n □ a`` of streamed facts, by the starts and the ends of runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from laser.engine.agenda import Agenda
from laser.engine.differences import differences
from laser.engine.inputs.input import InputRelation
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Node

__all__ = ["UnbrokenInput"]


class UnbrokenInput(InputRelation):
    """``⊞n □ a``: only the starts and the ends of runs cost anything.

    ``since`` has the start of each run that reaches the present, ``lapsed`` of those that ended with the previous time point
    (more facts of the present may still revive them), ``maturing`` the runs that will be long enough at a time.
    """

    __slots__ = ("lapsed", "maturing", "since", "ticks", "time", "today", "yesterday")

    def __init__(self, node: Node, number: int, agenda: Agenda, ticks: int) -> None:
        super().__init__(node, number, agenda)
        self.ticks = ticks
        self.time = -1
        self.today: set[Key] = set()
        self.yesterday: set[Key] = set()
        self.since: dict[Key, int] = {}
        self.lapsed: dict[Key, int] = {}
        self.maturing: dict[int, set[Key]] = {}

    def turn(self, t: int, t0: int, batch: Collection[Key]) -> None:
        facts = batch if isinstance(batch, set) else set(batch)
        if t != self.time:
            self.yesterday = self.today if t == self.time + 1 else set()
            self.today, self.lapsed, self.time = facts, {}, t
            ended, started = differences(self.yesterday, facts)
            self.end_runs(ended)
        else:
            self.revive_runs(facts.intersection(self.lapsed), t, t0)
            started = facts - self.today - self.yesterday
            self.today = self.today | facts
        self.start_runs(started, t, t0)
        self.mature([fact for fact in self.maturing.pop(t, ()) if self.since.get(fact) == t - self.ticks])
        if self.today:
            self.agenda.wake(t + 1, self.number)

    def evidence(self) -> Iterator[tuple[Key, int]]:
        for fact, start in self.since.items():
            for point in range(max(start, self.time - self.ticks), self.time + 1):
                yield fact, point

    def end_runs(self, facts: set[Key]) -> None:
        since, lapsed = self.since, self.lapsed
        for fact in facts:
            start = lapsed[fact] = since.pop(fact)
            bucket = self.maturing.get(start + self.ticks)
            if bucket is not None:
                bucket.discard(fact)
                if not bucket:
                    del self.maturing[start + self.ticks]
                    self.agenda.forget(start + self.ticks, self.number)
        self.revoke([fact for fact in facts if fact in self.alive])

    def revive_runs(self, facts: set[Key], t: int, t0: int) -> None:
        for fact in facts:
            self.since[fact] = self.lapsed.pop(fact)
        ripe = {fact for fact in facts if self.since[fact] <= max(t0, t - self.ticks)}
        self.mature(ripe)
        for fact in facts - ripe:
            self.ripen(self.since[fact], (fact,))

    def start_runs(self, facts: set[Key], t: int, t0: int) -> None:
        if not facts:
            return
        self.since.update(dict.fromkeys(facts, t))
        if t == t0:
            self.mature(facts)
        else:
            self.ripen(t, facts)

    def ripen(self, start: int, facts: Collection[Key]) -> None:
        """Have runs looked at when they will be long enough."""
        self.maturing.setdefault(start + self.ticks, set()).update(facts)
        self.agenda.wake(start + self.ticks, self.number)

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
        for fact, start in self.since.items():
            if fact not in self.alive:
                self.ripen(start, (fact,))
        if self.today:
            self.agenda.wake(self.time + 1, self.number)
