"""A node that does not depend on itself, derived by rules.

At every tick, only changes are looked at:

1. *Suspects*: heads whose horizon has passed, and heads that depend on a revoked key (found by joining backwards).
2. A suspect that the present state derives (perhaps from other witnesses) is renewed; the others are gone. If no key of the
   sources was renewed, an expired head waits for step 3 instead: only new keys can derive it again.
3. New keys of the sources give new heads, by joining them with everything else.
"""

from __future__ import annotations

from laser.answers import Key
from laser.engine.codegen.module import Join
from laser.engine.operators.operator import Operator, Sources, Trigger
from laser.engine.operators.pending import PendingRelation
from laser.engine.relation import Relation

__all__ = ["RuleOperator"]


class RuleOperator(Operator):
    """Settles one relation. If the relation is self-ending, its keys are not checked when they expire."""

    def __init__(
        self, head: Relation, derive: list[Trigger], blame: list[Trigger], checks: list[Join], self_ending: bool
    ) -> None:
        super().__init__([head])
        self.head, self.derive, self.blame, self.checks, self.self_ending = head, derive, blame, checks, self_ending
        self.joins, self.blames = ([(each.reader(), each.join) for each in several] for several in (derive, blame))
        self.sources = Sources(derive)
        self.fire = head.fire if isinstance(head, PendingRelation) else None

    def settle(self, t: int, t0: int) -> None:
        head = self.head
        suspects, expired = self.ended(t) if t - 1 in head.due else ([], [])
        if suspects or self.blames:
            self.look_again(suspects, t, t0)
        lives_again = False
        for changed, join in self.joins:
            if (keys := changed()) and (found := join(keys, t, t0)):
                fresh, again = head.merge(found, t)  # type: ignore[arg-type]
                if fresh:
                    head.delta.add(fresh)
                if again:
                    lives_again = True
        if lives_again:
            head.finish_suspects(expired, t)
        elif expired:
            head.drop_expired(expired)
        if self.fire is not None:
            self.fire(t)

    def ended(self, t: int) -> tuple[list[Key], list[Key]]:
        """The heads whose horizon has passed: those that old witnesses can renew, and those that only new ones can."""
        expired = self.head.expired(t)
        return ([], expired) if self.self_ending or not self.sources.may_renew(t) else (expired, [])

    def look_again(self, suspects: list[Key], t: int, t0: int) -> None:
        """Renew or drop expired heads, and heads that depend on a revoked key."""
        head = self.head
        for changed, blame in self.blames:
            if keys := changed():
                suspects += head.suspect(blame(keys, t, t0), t)
        if suspects:
            if self.renew(suspects, t, t0) or head.promised:
                head.finish_suspects(suspects, t)
            else:
                head.drop_expired(suspects)

    def renew(self, suspects: list[Key], t: int, t0: int) -> bool:
        """Renew the suspects that the present state derives. Returns whether there are any."""
        if self.sources.asleep:
            self.sources.wake_indexes()
        renewed = False
        for check in self.checks:
            found = check(suspects, t, t0)
            if found:
                self.head.merge(found, t)
                renewed = True
        return renewed
