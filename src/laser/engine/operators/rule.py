"""How a component of nodes is brought to the present, once all that it rests on is settled.

Every tick, only what changed is looked at:

1. *Suspects*: heads whose horizon has passed, and heads that rest on something revoked (found by joining backwards).
2. A suspect that the present state derives (perhaps from other witnesses) is renewed; the others are gone.
3. New keys below give new heads, by joining them with everything else.

Within a recursion, 1 is carried on until nothing more rests on a suspect, and 2 and 3 until nothing new follows; all suspects
are dead meanwhile, so that no two of them can hold each other up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, TypeAlias

from laser.engine.agenda import Agenda
from laser.engine.arrivals import Tail
from laser.engine.relation import Horizons, Key, Relation
from laser.plan.nodes import Node

__all__ = [
    "Choice",
    "EveryComponent",
    "GateComponent",
    "PendingRelation",
    "RecursiveComponent",
    "SingleComponent",
    "Trigger",
]

Join: TypeAlias = Callable[[Collection[Key], int, int], Horizons]
Blame: TypeAlias = Callable[[Collection[Key], int, int], set[Key]]


class Choice(NamedTuple):
    """The constants that an atom of a rule asks for: one value, or a tuple of them, at some positions of a key."""

    positions: tuple[int, ...]
    values: Any


class Trigger(NamedTuple):
    """A way in which a change of a source reaches a head; ``part`` names the list of the source that it reads.

    With a ``choice``, it reads only the keys that have these constants.
    """

    source: Relation
    part: str
    join: Callable[[Collection[Key], int, int], Iterable[Key]]
    head: Relation
    derivation: int
    choice: Choice | None = None

    def delta(self) -> Collection[Key]:
        changed: Collection[Key] = getattr(self.source, self.part)
        if self.choice is None or not changed:
            return changed
        return self.source.grouped(self.part, self.choice.positions).get(self.choice.values, ())


class PendingRelation(Relation):
    """What is derived for a time that may be still to come: fires when it has come."""

    __slots__ = ("fired", "timers")

    def __init__(self, node: Node, number: int, agenda: Agenda) -> None:
        super().__init__(node, number, agenda)
        self.timers: dict[int, set[Key]] = {}
        self.fired: list[Key] = []

    @property
    def changed(self) -> bool:
        return bool(self.fired or self.added or self.removed or self.early)

    def absorb(self, found: Horizons, t: int) -> tuple[list[Key], list[Key]]:
        fresh, again = super().absorb(found, t)
        for key in fresh:
            if key[-1] > t:
                self.timers.setdefault(key[-1], set()).add(key)
                self.agenda.wake(key[-1], self.number)
        return fresh, again

    def conclude(self, suspects: Iterable[Key], t: int) -> None:
        super().conclude(suspects, t)
        self.stop_timers()

    def end(self, keys: list[Key]) -> None:
        super().end(keys)
        self.stop_timers()

    def stop_timers(self) -> None:
        """What is gone does not fire any more."""
        for key in self.removed:
            bucket = self.timers.get(key[-1])
            if bucket is not None:
                bucket.discard(key)
                if not bucket:
                    del self.timers[key[-1]]
                    if key[-1] - 1 not in self.due:
                        self.agenda.forget(key[-1], self.number)

    def tidy(self) -> None:
        before = self.due
        super().tidy()
        if self.due is not before:
            for time in self.timers:
                self.agenda.wake(time, self.number)

    def fire(self, t: int) -> None:
        self.fired = [key for key in self.timers.pop(t, ()) if self.alive.get(key, -1) >= t]

    def end_tick(self) -> None:
        super().end_tick()
        self.fired = []


class SingleComponent:
    """One node that does not depend on itself."""

    def __init__(
        self, head: Relation, derive: list[Trigger], blame: list[Trigger], checks: list[Join], final: bool
    ) -> None:
        self.heads = [head]
        self.head, self.derive, self.blame, self.checks, self.final = head, derive, blame, checks, final

    def settle(self, t: int, t0: int) -> None:
        head = self.head
        suspects: list[Key] = []
        if t - 1 in head.due:
            if self.final:
                head.end(head.expired(t) if self.blame else list(head.take_due(t - 1) or ()))
            else:
                suspects = head.expired(t)
        for trigger in self.blame:
            if delta := trigger.delta():
                suspects += head.suspect(trigger.join(delta, t, t0), t)
        if suspects:
            if self.renew(suspects, t, t0) or head.dying:
                head.conclude(suspects, t)
            else:
                head.end(suspects)
        for trigger in self.derive:
            if delta := trigger.delta():
                fresh, _ = head.absorb(trigger.join(delta, t, t0), t)  # type: ignore[arg-type]
                if fresh:
                    head.added = [*head.added, *fresh] if head.added else fresh
        if isinstance(head, PendingRelation):
            head.fire(t)

    def renew(self, suspects: list[Key], t: int, t0: int) -> bool:
        """Let suspects live that the present state derives; whether there are any."""
        renewed = False
        for check in self.checks:
            found = check(suspects, t, t0)
            if found:
                self.head.absorb(found, t)
                renewed = True
        return renewed


class RecursiveComponent:
    """Nodes that depend on each other."""

    def __init__(
        self,
        heads: list[Relation],
        derive: list[Trigger],
        blame: list[Trigger],
        checks: dict[int, list[Join]],
        count: Callable[[int, int], None],
    ) -> None:
        inside = {head.number for head in heads}
        self.heads, self.checks, self.count = heads, checks, count
        self.derive = [trigger for trigger in derive if trigger.source.number not in inside or trigger.part == "fired"]
        self.blame = [trigger for trigger in blame if trigger.source.number not in inside]
        self.inner = self.by_source([t for t in derive if t.source.number in inside and t.part == "added"])
        self.inner_blame = self.by_source([trigger for trigger in blame if trigger.source.number in inside])

    def by_source(self, triggers: list[Trigger]) -> dict[int, list[Trigger]]:
        found: dict[int, list[Trigger]] = {head.number: [] for head in self.heads}
        for trigger in triggers:
            found[trigger.source.number].append(trigger)
        return found

    def settle(self, t: int, t0: int) -> None:
        suspects = {head.number: head.expired(t) for head in self.heads}
        self.spread(suspects, t, t0)
        work: list[tuple[Relation, Collection[Key]]] = []
        for head in self.heads:
            if suspects[head.number]:
                for check in self.checks[head.number]:
                    _, again = head.absorb(check(suspects[head.number], t, t0), t)
                    work.append((head, again))
        for trigger in self.derive:
            if delta := self.fired(trigger, t):
                work += [(trigger.head, self.take(trigger, delta, t, t0))]
        self.close(work, t, t0)
        for head in self.heads:
            head.conclude(suspects[head.number], t)

    def fired(self, trigger: Trigger, t: int) -> Collection[Key]:
        if trigger.part == "fired" and isinstance(trigger.source, PendingRelation) and trigger.source in self.heads:
            if not trigger.source.fired:
                trigger.source.fire(t)
            return trigger.source.fired
        return trigger.delta()

    def spread(self, suspects: dict[int, list[Key]], t: int, t0: int) -> None:
        """Suspect whatever rests on something revoked, and what rests on that."""
        work = [(trigger, trigger.delta()) for trigger in self.blame if trigger.delta()]
        while work:
            trigger, delta = work.pop()
            hit = trigger.head.suspect(trigger.join(delta, t, t0), t)
            if hit:
                suspects[trigger.head.number] += hit
                work += [(inner, hit) for inner in self.inner_blame[trigger.head.number]]

    def take(self, trigger: Trigger, delta: Collection[Key], t: int, t0: int) -> list[Key]:
        """Join one way; the heads that are new or live again."""
        head = trigger.head
        fresh, again = head.absorb(trigger.join(delta, t, t0), t)  # type: ignore[arg-type]
        if fresh:
            self.count(len(fresh), trigger.derivation)
            if not isinstance(head.added, list):
                head.added = list(head.added)
            head.added.extend(fresh)
        return fresh + again

    def close(self, work: list[tuple[Relation, Collection[Key]]], t: int, t0: int) -> None:
        """Carry on until nothing new follows, each relation with all its new keys at once."""
        waiting: dict[int, list[Key]] = {}
        for head, keys in work:
            if keys:
                waiting.setdefault(head.number, []).extend(keys)
        while waiting:
            number, keys = waiting.popitem()
            for trigger in self.inner[number]:
                if new := self.take(trigger, keys, t, t0):
                    waiting.setdefault(trigger.head.number, []).extend(new)


class EveryComponent:
    """``⊞ □`` outside of recursion: a key holds where it has as many time points as the window."""

    def __init__(self, head: Relation, dated: Relation, size: int | None, tail: Tail | None) -> None:
        self.heads = [head]
        self.head, self.dated, self.size, self.tail = head, dated, size, tail
        self.counts: Counter[Key] = Counter()
        self.length = 0
        self.time = -1
        self.today: set[Key] = set()

    def settle(self, t: int, t0: int) -> None:
        if t != self.time:
            self.time, self.today = t, set()
        touched = self.recount(t)
        length = self.window_length(t, t0)
        if length != self.length or self.tail is not None:
            touched.update(self.head.alive)
            self.length = length
        if self.tail is not None:
            touched |= self.today
        self.decide(touched, length)
        if self.head.alive:
            self.head.agenda.wake(t + 1, self.head.number)

    def window_length(self, t: int, t0: int) -> int:
        if self.tail is not None:
            assert self.size is not None
            return t - self.tail.first(self.size, t0) + 1
        return (t - t0 if self.size is None else min(self.size, t - t0)) + 1

    def recount(self, t: int) -> set[Key]:
        counts = self.counts
        points = [key[:-1] for key in self.dated.added]
        counts.update(points)
        if self.tail is not None:
            self.today.update(key[:-1] for key in self.dated.added if key[-1] == t)
        touched = set(points)
        for key in self.dated.removed:
            point = key[:-1]
            touched.add(point)
            left = counts.pop(point) - 1
            if left:
                counts[point] = left
        return touched

    def decide(self, touched: set[Key], length: int) -> None:
        head, counts = self.head, self.counts
        whole = {key for key in touched if counts.get(key) == length}
        begun = list(whole.difference(head.alive))
        ended = [key for key in touched - whole if key in head.alive]
        head.stand(begun, ended)


class GateComponent:
    """A condition: it stands as long as one key of its source is renewed."""

    def __init__(self, head: Relation, source: Relation, key: Key) -> None:
        self.heads = [head]
        self.head, self.source, self.key = head, source, key

    def settle(self, t: int, t0: int) -> None:
        holds, stands = self.source.alive.get(self.key, -1) >= t, bool(self.head.alive)
        if holds != stands:
            self.head.stand(*(([STANDING], []) if holds else ([], [STANDING])))


STANDING: Key = ("",)
"""The only key of a gate."""
