"""``⊞n ◇ a`` if no rule joins it: facts arrive, are reported, and expire, by operations on whole sets.

Such operations reuse the hashes that sets store, and so are faster than any loop over facts. Only facts that start or stop
arriving cost more than a lookup: a fact that arrives tick after tick moves from bucket to bucket with its batch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice, repeat

from laser.engine.agenda import Agenda
from laser.engine.inputs.input import Input, Row, differences, horizon_at
from laser.engine.relation import Key
from laser.plan.nodes import Recent
from laser.windows import Sliding

__all__ = ["RecentSetsInput"]


SAMPLE = 8
"""The number of facts of a batch that are compared to find out whether it resembles another batch."""


class RecentSetsInput(Input):
    """The facts of a window, each in one bucket of ``due``: that of its latest arrival, as long as it arrives at every tick.

    A fact that arrives again after a pause stays in its old bucket, and ``renewed_until`` has its horizon. So a fact is stored
    once, however often it arrives. A bucket may be the same set that a caller was given as a change: it is replaced
    rather than modified, unless it is in ``own``.
    """

    __slots__ = ("own", "present", "renewed_until", "window")
    due: dict[int, set[Key]]  # type: ignore[assignment]  # batches as they came, not lists of them

    def __init__(self, node: Recent, number: int, agenda: Agenda, window: Sliding) -> None:
        super().__init__(node, number, agenda)
        self.window = window
        self.present: set[Key] = set()
        self.renewed_until: dict[Key, int] = {}
        self.own: set[int] = set()

    def live(self) -> Collection[Key]:
        return self.present

    def evidence(self) -> Iterator[tuple[Key, int]]:
        return ((fact, self.window.arrived(horizon)) for fact, horizon in self.horizons().items())

    def horizons(self) -> dict[Key, int]:
        """The horizon of each fact."""
        found = {key: h for h, keys in self.due.items() for key in keys}
        found.update((key, h) for key, h in self.renewed_until.items() if h > found[key])
        return found

    def advance(self, t: int, t0: int, batch: Collection[Key]) -> None:
        if batch:
            self.arrive(batch if isinstance(batch, set) else set(batch), self.window.exit(t))
        gone = self.due.pop(t - 1, None)
        if gone is not None:
            self.own.discard(t - 1)
            if self.renewed_until:
                gone = self.reschedule(gone, t)
            if gone:
                self.present -= gone
                self.delta.removed = gone  # type: ignore[assignment]  # nothing joins this node, so nothing adds to the list

    def arrive(self, facts: set[Key], horizon: int) -> None:
        fresh = kept = facts
        if not facts.isdisjoint(self.present):
            starting = self.move_bucket(facts, horizon)
            fresh = self.note_repeats(starting, horizon)
            if len(fresh) < len(starting):
                kept = fresh if starting is facts else facts - (starting - fresh)
        if kept:
            self.put(kept, horizon)
        if fresh:
            self.present |= fresh
            self.delta.add(fresh)

    def move_bucket(self, facts: set[Key], horizon: int) -> set[Key]:
        """If most facts also arrived one tick ago, take them out of that tick's bucket. Returns the other facts."""
        before = self.due.get(horizon - 1)
        if before is None or 2 * sum(map(facts.__contains__, islice(before, SAMPLE))) < min(SAMPLE, len(before)):
            return facts
        self.due[horizon - 1], starting = differences(before, facts)
        self.own.add(horizon - 1)
        return starting

    def note_repeats(self, facts: set[Key], horizon: int) -> set[Key]:
        """Record the facts that arrive again. Returns the other facts."""
        if facts.isdisjoint(self.present):
            return facts
        fresh = facts - self.present
        self.renewed_until.update(dict.fromkeys(facts - fresh, horizon))
        return fresh

    def put(self, facts: set[Key], horizon: int) -> None:
        """Have facts looked at when their horizon has passed."""
        bucket = self.due.get(horizon)
        if bucket is None:
            self.due[horizon] = facts
            self.agenda.wake(horizon + 1, self.number)
        elif horizon in self.own:
            bucket |= facts
        else:
            self.due[horizon] = bucket | facts
            self.own.add(horizon)

    def reschedule(self, due: set[Key], t: int) -> set[Key]:
        """Move facts that arrived again to the bucket of their new horizon. Returns the other facts."""
        again = due if len(due) < len(self.renewed_until) else due & self.renewed_until.keys()
        if not again:
            return due
        horizons = list(map(self.renewed_until.pop, again, repeat(-1)))
        if len(again) == len(due) and horizons[0] >= t and horizons.count(horizons[0]) == len(due):
            self.put(due, horizons[0])  # typical of a periodic stream
            return set()
        buckets: dict[int, set[Key]] = {}
        for key, horizon in zip(again, horizons, strict=True):
            if horizon >= t:
                buckets.setdefault(horizon, set()).add(key)
        for horizon, keys in buckets.items():
            self.put(keys, horizon)
        return due.difference(*buckets.values())

    def load(self, rows: Iterable[Row], t: int, t0: int) -> None:
        buckets: dict[int, set[Key]] = {}
        for fact, horizon in {fact: horizon_at(self.window, u, t) for fact, u in rows}.items():
            buckets.setdefault(horizon, set()).add(fact)
        for horizon, facts in buckets.items():
            self.present |= facts
            self.put(facts, horizon)
