"""Nodes that depend on each other, computed to a fixed point.

As for a single node, only changes are looked at; but whatever depends on a suspect becomes a suspect too, until there are no
more, and new heads give new heads until nothing new follows. All suspects are dead meanwhile, so that no two of them can
support each other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from laser.answers import Key
from laser.engine.codegen.module import Join
from laser.engine.delta import ADDED, FIRED
from laser.engine.operators.operator import Operator, Sources, Trigger
from laser.engine.operators.pending import PendingRelation
from laser.engine.relation import Relation

__all__ = ["FixpointOperator"]


class FixpointOperator(Operator):
    """Settles relations that depend on each other."""

    def __init__(
        self,
        heads: list[Relation],
        derive: list[Trigger],
        blame: list[Trigger],
        checks: dict[int, list[Join]],
        count: Callable[[int, int], None],
    ) -> None:
        inside = {head.number for head in heads}
        super().__init__(heads)
        self.checks, self.count, self.sources = checks, count, Sources(derive)
        self.derive = [trigger for trigger in derive if trigger.source.number not in inside or trigger.read is FIRED]
        self.blame = [trigger for trigger in blame if trigger.source.number not in inside]
        self.inner = self.by_source([t for t in derive if t.source.number in inside and t.read is ADDED])
        self.inner_blame = self.by_source([trigger for trigger in blame if trigger.source.number in inside])

    def by_source(self, triggers: list[Trigger]) -> dict[int, list[Trigger]]:
        found: dict[int, list[Trigger]] = {head.number: [] for head in self.outputs}
        for trigger in triggers:
            found[trigger.source.number].append(trigger)
        return found

    def settle(self, t: int, t0: int) -> None:
        expired = {head.number: head.expired(t) for head in self.outputs}
        suspects = expired if self.sources.may_renew(t) else {number: [] for number in expired}
        self.spread(suspects, t, t0)
        work = self.renew(suspects, t, t0)
        for trigger in self.derive:
            if keys := self.fired(trigger, t):
                work += [(trigger.head, self.take(trigger, keys, t, t0))]
        self.close(work, t, t0)
        for head in self.outputs:
            number = head.number
            if suspects[number] or head.raised_until >= t:
                head.finish_suspects(expired[number] if expired is suspects else expired[number] + suspects[number], t)
            else:
                head.drop_expired(expired[number])

    def renew(self, suspects: dict[int, list[Key]], t: int, t0: int) -> list[tuple[Relation, Collection[Key]]]:
        """Revive the suspects that the present state derives. Returns these."""
        work: list[tuple[Relation, Collection[Key]]] = []
        for head in self.outputs:
            if suspects[head.number]:
                self.sources.wake_indexes()
                for check in self.checks[head.number]:
                    _, again = head.merge(check(suspects[head.number], t, t0), t)
                    work.append((head, again))
        return work

    def fired(self, trigger: Trigger, t: int) -> Collection[Key]:
        if trigger.read is FIRED and trigger.source in self.outputs:
            assert isinstance(trigger.source, PendingRelation)
            if not trigger.delta.fired:
                trigger.source.fire(t)
            return trigger.delta.fired
        return trigger.changed()

    def spread(self, suspects: dict[int, list[Key]], t: int, t0: int) -> None:
        """Add everything that depends on a revoked key to the suspects, and everything that depends on that."""
        work = [(trigger, keys) for trigger in self.blame if (keys := trigger.changed())]
        while work:
            trigger, keys = work.pop()
            hit = trigger.head.suspect(trigger.join(keys, t, t0), t)
            if hit:
                suspects[trigger.head.number] += hit
                work += [(inner, hit) for inner in self.inner_blame[trigger.head.number]]

    def take(self, trigger: Trigger, keys: Collection[Key], t: int, t0: int) -> list[Key]:
        """Join in one way. Returns the heads that are new or alive again."""
        head = trigger.head
        fresh, again = head.merge(trigger.join(keys, t, t0), t)  # type: ignore[arg-type]
        if fresh:
            self.count(len(fresh), trigger.rule)
            if not isinstance(head.delta.added, list):
                head.delta.added = list(head.delta.added)
            head.delta.added.extend(fresh)
        return fresh + again

    def close(self, work: list[tuple[Relation, Collection[Key]]], t: int, t0: int) -> None:
        """Continue until nothing new follows, each relation with all its new keys at once."""
        waiting: dict[int, list[Key]] = {}
        for head, keys in work:
            if keys:
                waiting.setdefault(head.number, []).extend(keys)
        while waiting:
            number, keys = waiting.popitem()
            for trigger in self.inner[number]:
                if new := self.take(trigger, keys, t, t0):
                    waiting.setdefault(trigger.head.number, []).extend(new)
