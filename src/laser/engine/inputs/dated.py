"""``⊞ @T a`` of streamed facts, with the time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input, Row, horizon_at
from laser.engine.relation import FOREVER, Key
from laser.plan.nodes import Dated, Points
from laser.windows import TimeWindow

__all__ = ["DatedInput"]


class DatedInput(Input):
    """A key for each fact and time."""

    __slots__ = ("window",)

    def __init__(self, node: Dated | Points, number: int, agenda: Agenda, window: TimeWindow) -> None:
        super().__init__(node, number, agenda)
        self.window = window

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((key[:-1], key[-1]) for key in self.alive)

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        self.alive.update(((*fact, u), horizon_at(self.window, u, t)) for fact, u in rows)
        self.schedule_each(self.alive)

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            alive, now = self.alive, (t,)
            fresh = [key for fact in batch if (key := fact + now) not in alive]
            self.enter(fresh, t)
        self.expire(t)

    def enter(self, fresh: list[Key], u: int) -> None:
        """Add keys of the time point u, which are in the window from now on."""
        last = self.window.exit(u)
        horizon = FOREVER if last is None else last
        self.alive.update(dict.fromkeys(fresh, horizon))
        self.insert(fresh, horizon)
