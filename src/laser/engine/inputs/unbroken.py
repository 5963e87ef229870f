"""``⊞n □ a`` of streamed facts, computed from the begins and ends of runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input, Row, differences
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Unbroken
from laser.windows import Sliding

__all__ = ["UnbrokenInput"]


class UnbrokenInput(Input):
    """``⊞n □ a``: only the begins and ends of runs cost anything.

    ``since`` has the begin of each run that reaches the present, ``lapsed`` of those that ended at the previous time point
    (more facts of the present can still revive them), ``maturing`` the runs that will be long enough at each time.
    """

    ROW_TIMES = 2
    __slots__ = ("current", "lapsed", "maturing", "previous", "since", "time", "window")

    def __init__(self, node: Unbroken, number: int, agenda: Agenda, window: Sliding) -> None:
        super().__init__(node, number, agenda)
        self.window = window
        self.time = -1
        self.current: set[Key] = set()
        self.previous: set[Key] = set()
        self.since: dict[Key, int] = {}
        self.lapsed: dict[Key, int] = {}
        self.maturing: dict[int, set[Key]] = {}

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        facts = batch if isinstance(batch, set) else set(batch)
        if t != self.time:
            self.previous = self.current if t == self.time + 1 else set()
            self.current, self.lapsed, self.time = facts, {}, t
            ended, started = differences(self.previous, facts)
            self.end_runs(ended)
        else:
            self.revive_runs(facts.intersection(self.lapsed), t, t0)
            started = facts - self.current - self.previous
            self.current = self.current | facts
        self.start_runs(started, t, t0)
        self.complete_runs(
            [fact for fact in self.maturing.pop(t, ()) if self.since.get(fact) == self.window.arrived(t)]
        )
        if self.current:
            self.agenda.wake(t + 1, self.number)

    def evidence(self) -> Iterator[tuple[Key, int]]:
        for fact, start in self.since.items():
            for point in range(max(start, self.window.arrived(self.time)), self.time + 1):
                yield fact, point

    def end_runs(self, facts: set[Key]) -> None:
        since, lapsed = self.since, self.lapsed
        for fact in facts:
            start = lapsed[fact] = since.pop(fact)
            whole = self.window.exit(start)
            bucket = self.maturing.get(whole)
            if bucket is not None:
                bucket.discard(fact)
                if not bucket:
                    del self.maturing[whole]
                    self.agenda.forget(whole, self.number)
        self.revoke([fact for fact in facts if fact in self.alive])

    def revive_runs(self, facts: set[Key], t: int, t0: int) -> None:
        for fact in facts:
            self.since[fact] = self.lapsed.pop(fact)
        ripe = {fact for fact in facts if self.since[fact] <= max(t0, self.window.arrived(t))}
        self.complete_runs(ripe)
        for fact in facts - ripe:
            self.schedule_run(self.since[fact], (fact,))

    def start_runs(self, facts: set[Key], t: int, t0: int) -> None:
        if not facts:
            return
        self.since.update(dict.fromkeys(facts, t))
        if t == t0:
            self.complete_runs(facts)
        else:
            self.schedule_run(t, facts)

    def schedule_run(self, start: int, facts: Collection[Key]) -> None:
        """Have runs looked at when they will be long enough."""
        whole = self.window.exit(start)  # the last time at which the window still begins with the run
        self.maturing.setdefault(whole, set()).update(facts)
        self.agenda.wake(whole, self.number)

    def complete_runs(self, facts: Collection[Key]) -> None:
        fresh = [fact for fact in facts if fact not in self.alive]
        self.alive.update(dict.fromkeys(fresh, FOREVER))
        self.insert(fresh, FOREVER)

    def dump(self) -> Iterable[Row]:
        """The runs that reach the present, and those that ended just before it."""
        yield from ((fact, start, self.time) for fact, start in self.since.items())
        yield from ((fact, start, self.time - 1) for fact, start in self.lapsed.items())

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        self.time = t
        for fact, first, last in rows:
            if fact in self.since or fact in self.lapsed:
                raise ValueError(f"{fact} has two runs at {t}")
            if last >= t - 1:
                (self.since if last == t else self.lapsed)[fact] = first
        self.current = set(self.since)
        self.previous = {fact for fact, start in self.since.items() if start < t}.union(self.lapsed)
        whole = max(t0, self.window.arrived(t))
        self.alive.update((fact, FOREVER) for fact, start in self.since.items() if start <= whole)
        for fact, start in self.since.items():
            if start > whole:
                self.schedule_run(start, (fact,))
        if self.current:
            self.agenda.wake(t + 1, self.number)
