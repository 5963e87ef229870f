"""``⊞ ◇ a`` of streamed facts, for rules to join."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input, Row, horizon_at
from laser.engine.relation import Key
from laser.plan.nodes import Recent
from laser.windows import Sliding

__all__ = ["RecentInput"]


class RecentInput(Input):
    """``⊞n ◇ a``: a fact that arrives again only raises its horizon."""

    __slots__ = ("window",)

    def __init__(self, node: Recent, number: int, agenda: Agenda, window: Sliding) -> None:
        super().__init__(node, number, agenda)
        self.window = window

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, self.window.arrived(horizon)) for fact, horizon in self.alive.items())

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        self.alive.update((fact, horizon_at(self.window, u, t)) for fact, u in rows)
        self.schedule_each(self.alive)

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            facts = (
                batch if isinstance(batch, set) else set(batch)
            )  # sets keep hashes, so no fact is hashed again below
            horizon = self.window.exit(t)
            before = len(self.alive)
            self.alive.update(dict.fromkeys(facts, horizon))
            new = len(self.alive) - before
            if new < len(facts):
                self.raised_until = horizon
            self.insert(facts if new == len(facts) else list(islice(reversed(self.alive), new)), horizon)
        self.expire(t)
