"""Atoms with a time in the future, or that must wait until they enter a window."""

from __future__ import annotations

from collections.abc import Iterable

from laser.answers import Key
from laser.engine.agenda import Agenda
from laser.engine.relation import Horizons, Relation
from laser.plan.nodes import Pending

__all__ = ["PendingRelation"]


class PendingRelation(Relation):
    """Keys that are derived for a time that may be in the future. A key fires when its time has come."""

    __slots__ = ("timers", "window")

    def __init__(self, node: Pending, number: int, agenda: Agenda) -> None:
        super().__init__(node, number, agenda)
        self.window = node.window
        self.timers: dict[int, set[Key]] = {}

    def merge(self, found: Horizons, t: int) -> tuple[list[Key], list[Key]]:
        fresh, again = super().merge(found, t)
        for key in fresh:
            entry = self.window.entry(key[-1])
            if entry > t:
                self.timers.setdefault(entry, set()).add(key)
                self.agenda.wake(entry, self.number)
        return fresh, again

    def finish_suspects(self, suspects: Iterable[Key], t: int) -> None:
        super().finish_suspects(suspects, t)
        self.stop_timers()

    def drop_expired(self, keys: list[Key]) -> None:
        super().drop_expired(keys)
        self.stop_timers()

    def stop_timers(self) -> None:
        """Cancel the timers of keys that are gone."""
        for key in self.delta.removed:
            entry = self.window.entry(key[-1])
            bucket = self.timers.get(entry)
            if bucket is not None:
                bucket.discard(key)
                if not bucket:
                    del self.timers[entry]
                    if entry - 1 not in self.due:
                        self.agenda.forget(entry, self.number)

    def compact_due(self) -> None:
        before = self.due
        super().compact_due()
        if self.due is not before:
            for time in self.timers:
                self.agenda.wake(time, self.number)

    def fire(self, t: int) -> None:
        """Announce the keys whose time has come."""
        self.delta.fired = [key for key in self.timers.pop(t, ()) if self.alive.get(key, -1) >= t]

    def forget(self) -> None:
        super().forget()
        self.timers.clear()
