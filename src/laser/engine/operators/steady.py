"""``⊞n □ a`` of derived and recorded atoms: a key that has held without a break for the length of the window."""

from __future__ import annotations

from collections.abc import Collection

from laser.answers import Key
from laser.engine.operators.operator import Operator
from laser.engine.records import Record
from laser.engine.relation import Relation
from laser.windows import Sliding

__all__ = ["SteadyOperator"]


class SteadyOperator(Operator):
    """Only begins and ends cost anything: a key is looked at again when it has held long enough."""

    def __init__(self, head: Relation, source: Relation, window: Sliding, record: Record) -> None:
        super().__init__([head])
        self.head, self.source, self.window, self.record = head, source, window, record
        self.since: dict[Key, int] = {}
        self.maturing: dict[int, list[Key]] = {}

    def settle(self, t: int, t0: int) -> None:
        since = self.since
        for key in self.source.delta.removed:
            del since[key]
        begun = self.begin(self.source.delta.added, t, t0)
        begun += [key for key in self.maturing.pop(t, ()) if self.is_long_enough(key, t, t0)]
        fresh = [key for key in dict.fromkeys(begun) if key not in self.head.alive]
        self.head.hold_until_revoked(fresh, [key for key in self.source.delta.removed if key in self.head.alive])

    def begin(self, keys: Collection[Key], t: int, t0: int) -> list[Key]:
        """Note keys that begin to hold or go on holding. Returns those that have held long enough."""
        long_enough = []
        for key in keys:
            since = self.since[key] = self.record.since(key, t)
            if self.is_long_enough(key, t, t0):
                long_enough.append(key)
            else:
                whole = self.window.exit(since)
                self.maturing.setdefault(whole, []).append(key)
                self.head.agenda.wake(whole, self.head.number)
        return long_enough

    def is_long_enough(self, key: Key, t: int, t0: int) -> bool:
        since = self.since.get(key)
        return since is not None and since <= max(t0, self.window.arrived(t))

    def forget(self) -> None:
        self.since.clear()
        self.maturing.clear()
