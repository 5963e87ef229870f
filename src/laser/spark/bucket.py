"""One bucket of a stream: facts wait until the watermark has passed them, then they are evaluated in order of time.

What must survive is small: a *head*, the position of the bucket, and a *log* of the facts that are still needed, with one entry
for each micro-batch that brought some. The reasoner itself is a cache. It is found in the worker's memory, brought up to date
from the log if another worker has continued since, or rebuilt from the log; so batch boundaries, retries and moves from worker
to worker do not change the answers.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, assert_never

import numpy as np
import pyarrow as pa

from laser.answers import Shift
from laser.errors import StateError
from laser.spark.arrow import Fact, facts_of, selected_rows
from laser.spark.job import Job, refuse_other
from laser.spark.log_layout import in_layout, labelled
from laser.spark.part import Part, make_part
from laser.spark.partition import ByKey, Lifted, PerKey, Whole
from laser.spark.store import NOWHERE, SAVED, Entry, Head, Store, pack, pack_keys, unpack, unpack_keys
from laser.spark.succession import known_after
from laser.spark.waiting import WaitingFacts, last_of_each_key
from laser.spark.work import Work
from laser.values import Atom, Predicate

__all__ = ["Answer", "Bucket", "Late", "Span", "refuse_foreign"]


COMPACTED = 64
"""The number of entries that are merged into one."""


class Span(NamedTuple):
    """The first and the last time of some rows."""

    lowest: int
    highest: int


class Late(NamedTuple):
    """A fact that came after the answers of its time were given."""

    time: int
    fact: Fact


class Answer(NamedTuple):
    """The result of one call."""

    shifts: list[Shift]
    late: list[Late]
    work: Work


class LoggedFacts(NamedTuple):
    """An entry of the log: the latest time of its facts, and their number."""

    latest: int
    facts: int


@dataclass
class CachedReasoner:
    """A reasoner with the facts that wait for the watermark, at a version of the log."""

    version: int
    token: str
    fed: int
    waiting: WaitingFacts
    part: Part | None = None
    kept: dict[int, LoggedFacts] = field(default_factory=dict)
    """What is in the log, by version."""
    counts: list[tuple[int, int]] = field(default_factory=list)
    """For tuple windows: the last time points with facts, and how many each had."""
    saved: int = NOWHERE
    """For programs with records: the time up to which nothing needs to be evaluated again."""

    def holding(self) -> frozenset[Fact]:
        """The present output of the reasoner."""
        return frozenset() if self.part is None else self.part.holding()


SetTimer: TypeAlias = Callable[[int | None, int], int]
"""Schedules a call of the bucket at a time point, even if nothing arrives (None: never); takes and returns the head's note of timers."""


def _no_timer(wake: int | None, timer: int) -> int:
    """For a bucket that is called anyway."""
    return timer


CACHE: dict[tuple[str, int], CachedReasoner] = {}
"""The live reasoners of this worker, by lineage and bucket."""


@dataclass
class Bucket:
    """The logic of one bucket over a store."""

    job: Job
    number: int
    store: Store
    fingerprint: str
    cache: dict[tuple[str, int], CachedReasoner] = field(default_factory=lambda: CACHE)
    elders: Mapping[str, Job] = field(default_factory=dict)
    """The earlier jobs of the stream, by their ids."""
    rebuilt: int = 0
    """The number of times a reasoner was rebuilt from the log since the beginning of the turn."""
    reasoning: int = 0
    """Nanoseconds within reasoners since then."""

    def turn(
        self, tables: Iterable[pa.Table], span: Span | None, complete: int, set_timer: SetTimer = _no_timer
    ) -> Answer:
        """Take the new facts, and answer all time points up to ``complete``; ``span`` is that of the rows of all buckets."""
        self.rebuilt = self.reasoning = 0
        head = self._head()
        live = self._take(head)
        late: list[Late] = []
        in_time = [self._in_time(table, head, complete, late) for table in tables]
        arrived = [table for table in map(selected_rows, in_time) if table.num_rows]
        if arrived:
            head = self._log(pa.concat_tables(arrived), head, live)
        head = self._begin(head, span, complete)
        shifts: list[Shift] = []
        if head.start != NOWHERE and head.start <= complete and head.fed < complete:
            shifts = [*self._change_over(live, head), *self._feed(live, head.start, complete)]
            head = head._replace(fed=complete, before="", known=max(head.known, self._oldest_kept(complete)))
            self._keep_keys(live, complete)
            self._trim(live, complete)
            if live.saved != NOWHERE:
                head = head._replace(known=max(head.known, live.saved - self.job.keep + 1))
        timer = set_timer(self._wake(live, head), head.timer)
        self.store.put_head(head._replace(late=head.late + len(late), timer=timer))
        live.version, live.token, live.fed = head.version, head.token, head.fed
        self.cache[head.lineage, self.number] = live
        facts, selected = (sum(table.num_rows for table in some) for some in (in_time, arrived))
        return Answer(shifts, late, self._work(live, shifts)._replace(facts=facts, selected=selected, late=len(late)))

    def _work(self, live: CachedReasoner, shifts: list[Shift]) -> Work:
        return Work(
            changes=sum(len(shift.begun) + len(shift.ended) for shift in shifts),
            rebuilt=self.rebuilt,
            reasoning=self.reasoning,
            kept=sum(entry.facts for entry in live.kept.values()),
            waiting=live.waiting.count,
            keys=0 if live.part is None else live.part.key_count,
        )

    # -- position

    def _head(self) -> Head:
        head = self.store.head()
        if head is None:
            start = NOWHERE if self.job.settings.start is None else self.job.settings.start
            return Head(
                self.fingerprint,
                self.job.partition.buckets,
                uuid.uuid4().hex,
                0,
                "",
                fed=NOWHERE,
                start=start,
                lowest=NOWHERE,
                highest=NOWHERE,
                timer=NOWHERE,
                late=0,
            )
        if head.job in self.elders:
            head = self._succeed(head)
        refuse_foreign(head, self.job.partition.buckets, self.fingerprint)
        return head

    # -- after the rules were changed

    def _succeed(self, head: Head) -> Head:
        """Continue from another job, in a new lineage: reasoners of the old rules cannot be used."""
        known = known_after(self.elders[head.job], self.job, head)
        before = (head.before or head.job) if head.fed != NOWHERE else ""
        return head._replace(job=self.fingerprint, lineage=uuid.uuid4().hex, before=before, known=known)

    def _change_over(self, live: CachedReasoner, head: Head) -> list[Shift]:
        """The first answers of changed rules: the differences between their answers at the next time point and the last ones of the old rules."""
        if not head.before:
            return []
        elder = Bucket(self.elders[head.before], self.number, self.store, head.before, {})
        before = elder._rebuild(head).holding()
        self.store.remove_entry(SAVED)
        self._feed(live, head.start, head.fed + 1)
        ended, begun = _by_predicate(before - live.holding()), _by_predicate(live.holding() - before)
        changed = [predicate for predicate in {**ended, **begun} if predicate in self.job.outputs.tags]
        return [Shift(head.fed + 1, p, p.name, begun.get(p, []), ended.get(p, [])) for p in changed]

    def _begin(self, head: Head, span: Span | None, complete: int) -> Head:
        """The timeline begins with the first fact of any bucket, as soon as no earlier one can arrive in time."""
        if span is not None:
            head = head._replace(highest=max(head.highest, span.highest))
        if head.start != NOWHERE:
            return head
        known = [time for time in (head.lowest, span.lowest if span else NOWHERE) if time != NOWHERE]
        if not known:
            return head
        least = min(known)
        return head._replace(lowest=least, start=least if least <= complete else NOWHERE)

    # -- the live reasoner

    def _take(self, head: Head) -> CachedReasoner:
        """The live reasoner of this head, removed from the cache, so that a failure leaves none behind."""
        live = self.cache.pop((head.lineage, self.number), None)
        if live is None or not self._catch_up(live, head):
            live = self._rebuild(head)
            self.rebuilt += head.version > 0 or head.fed != NOWHERE
        return live

    def _catch_up(self, live: CachedReasoner, head: Head) -> bool:
        """Bring a reasoner up to date; False if it does not belong to this history, or the log does not reach back to it."""
        if live.fed > head.fed or live.version > head.version:
            return False
        if live.version == head.version:
            if live.token != head.token:
                return False
        else:
            mine = self.store.entry(live.version) if live.version else Entry("", 0, b"")
            if mine is None or mine.token != live.token:
                return False
            for version in range(live.version + 1, head.version + 1):
                entry = self.store.entry(version)
                if entry is None:
                    return False
                self._wait(live, version, entry)
            if min(live.waiting.times, default=head.fed + 1) <= live.fed:
                return False  # a failed attempt had advanced without these facts
        if head.fed > live.fed:
            self._replay(live, head)
        return True

    def _rebuild(self, head: Head) -> CachedReasoner:
        live = CachedReasoner(head.version, head.token, NOWHERE, self._nothing_waits())
        for version, entry in sorted(self.store.entries()):
            if version != SAVED:
                self._wait(live, version, entry)
        self._resume(live, head)
        if head.fed != NOWHERE:
            self._replay(live, head)
        return live

    def _resume(self, live: CachedReasoner, head: Head) -> None:
        """Start from the last saved state of this job, if there is one."""
        saved = self.store.entry(SAVED) if self.job.has_records else None
        if saved is not None and saved.token == self.fingerprint:
            live.part = make_part(self.job, self.number, head.start, json.loads(saved.facts))
            live.fed = live.saved = saved.latest
            live.waiting.drop_up_to(saved.latest)

    def _nothing_waits(self) -> WaitingFacts:
        return WaitingFacts(self.job.inputs, ordered=self.job.reach.counts_facts)

    def _forget(self, live: CachedReasoner, fed: int) -> None:
        """Drop facts that no window reaches any more; only the keys that they name are remembered."""
        reach, partition = self.job.reach, self.job.partition
        if reach.ticks is not None and not reach.counts_facts:
            live.waiting.forget_before(fed - reach.ticks, keep_keys=partition.knows_keys)

    def _replay(self, live: CachedReasoner, head: Head) -> None:
        """Evaluate earlier facts again, without their answers, which were already given; their keys are in the log."""
        self._forget(live, head.fed)
        self._feed(live, head.start, head.fed)
        if live.part is not None:
            live.part.new_keys.clear()

    def _wait(self, live: CachedReasoner, version: int, entry: Entry) -> None:
        if version < 0:
            live.waiting.add_keys(unpack_keys(entry.facts))
        else:
            facts = in_layout(unpack(entry.facts), self.job.inputs)
            live.kept[version] = LoggedFacts(entry.latest, facts.num_rows)
            live.waiting.add(facts)

    def _feed(self, live: CachedReasoner, start: int, complete: int) -> list[Shift]:
        """Evaluate the waiting facts up to and including a time, and move there."""
        began = time.perf_counter_ns()
        if live.part is None:
            live.part = make_part(self.job, self.number, start)
        shifts: list[Shift] = []
        for point, facts in live.waiting.up_to(complete):
            if point >= start:
                shifts += live.part.advance(point, facts)
                if self.job.reach.tuples:
                    live.counts.append((point, len(set(facts))))
        shifts += live.part.advance(complete, [])
        self.reasoning += time.perf_counter_ns() - began
        return shifts

    # -- the log

    def _keep_keys(self, live: CachedReasoner, fed: int) -> None:
        """Remember the keys that were seen for the first time: a lifted program never forgets them."""
        if live.part is not None and live.part.new_keys:
            self.store.put_entry(-2 - fed, Entry("", NOWHERE, pack_keys(live.part.new_keys)))
            live.part.new_keys.clear()

    def _in_time(self, table: pa.Table, head: Head, complete: int, late: list[Late]) -> pa.Table:
        """The facts that are not late; the others are added to a list.

        What is complete decides, not what this bucket has answered: else what is late would depend on the number of buckets.
        """
        gone = max(complete, head.start - 1) if head.start != NOWHERE else NOWHERE
        times = table.column("time").to_numpy()
        in_time = times > gone
        if in_time.all():
            return table
        for batch in table.filter(pa.array(~in_time)).to_batches():
            late += map(Late, batch.column("time").to_pylist(), facts_of(batch, self.job.inputs))
        return table.filter(pa.array(in_time))

    def _log(self, table: pa.Table, head: Head, live: CachedReasoner) -> Head:
        latest = int(np.max(table.column("time").to_numpy()))
        head = head._replace(version=head.version + 1, token=uuid.uuid4().hex)
        self.store.put_entry(head.version, Entry(head.token, latest, pack(labelled(table, self.job.inputs))))
        live.kept[head.version] = LoggedFacts(latest, table.num_rows)
        live.waiting.add(table)
        return head

    def _trim(self, live: CachedReasoner, fed: int) -> None:
        """Forget facts that no later answer needs."""
        reach = self.job.reach
        if self.job.has_records:
            self._save(live, fed)
            return
        match self.job.partition:
            case PerKey() if reach.tuples:
                self._compact(live, fed)
            case Whole() | ByKey() | Lifted() | PerKey():
                if reach.latest:
                    self._compact(live, fed)
                else:
                    self._drop_before(live, self._low(live, fed))
            case _:
                assert_never(self.job.partition)

    def _save(self, live: CachedReasoner, fed: int) -> None:
        """For rules whose records depend on the whole stream: save the reasoner now and then, instead of the facts."""
        since = [version for version, entry in live.kept.items() if live.saved < entry.latest <= fed]
        if live.part is not None and len(since) >= COMPACTED:
            state = json.dumps(live.part.save()).encode()
            self.store.put_entry(SAVED, Entry(self.fingerprint, fed, state))
            live.saved = fed
            self._drop_before(live, fed - self.job.keep + 1)

    def _drop_before(self, live: CachedReasoner, low: int) -> None:
        gone = [version for version, entry in live.kept.items() if entry.latest < low]
        for version in gone:
            self.store.remove_entry(version)
            del live.kept[version]

    def _low(self, live: CachedReasoner, fed: int) -> int:
        low, tuples = self._oldest_kept(fed), self.job.reach.tuples
        return min(low, _time_of_last(live.counts, tuples)) if tuples else low

    def _oldest_kept(self, fed: int) -> int:
        """The time since which all facts are kept; atoms that hold at ``fed`` must be known, to find when they end."""
        kept = self.job.kept
        return NOWHERE if kept is None else max(fed - kept, NOWHERE)

    def _compact(self, live: CachedReasoner, fed: int) -> None:
        """If facts are counted per key: merge many entries into one, with the last facts of each key."""
        done = sorted(version for version, entry in live.kept.items() if entry.latest <= fed)
        if self.job.reach.ticks is None or len(done) < COMPACTED:
            return
        found = {version: entry for version in done if (entry := self.store.entry(version)) is not None}
        for version in done:  # another worker may already have removed some
            self.store.remove_entry(version)
            del live.kept[version]
        if found:
            table = pa.concat_tables([in_layout(unpack(entry.facts), self.job.inputs) for entry in found.values()])
            last, latest = max(found), max(entry.latest for entry in found.values())
            low, adds_key = self._oldest_kept(fed), self.job.partition.adds_key
            kept = last_of_each_key(table, self.job.inputs, low, self.job.reach, adds_key)
            self.store.put_entry(last, Entry(found[last].token, latest, pack(kept)))
            live.kept[last] = LoggedFacts(latest, kept.num_rows)

    def _wake(self, live: CachedReasoner, head: Head) -> int | None:
        """The next time point at which something may change, even if nothing arrives."""
        if head.start == NOWHERE:
            return None if head.lowest == NOWHERE else head.lowest
        wakes = list(live.waiting.times)
        wake = live.part.next_wake if live.part is not None else head.start
        if wake is not None:
            wakes.append(max(wake, head.fed + 1))
        return min(wakes, default=None)


def _by_predicate(facts: Iterable[Fact]) -> dict[Predicate, list[Fact]]:
    """Facts in an order that is the same if a micro-batch is repeated."""
    found: dict[Predicate, list[Fact]] = {}
    for fact in sorted(map(Atom.of, facts)):
        found.setdefault(Predicate(fact[0], len(fact) - 1), []).append(fact)
    return found


def refuse_foreign(head: Head, buckets: int, fingerprint: str) -> None:
    """StateError if a checkpoint belongs to another job, or has another number of buckets."""
    if head.buckets != buckets:
        raise StateError(
            f"the checkpoint was made with {head.buckets} buckets, and now there are {buckets}: "
            f"give buckets={head.buckets}, or begin with a new checkpoint"
        )
    refuse_other(head.job, fingerprint)


def _time_of_last(counts: list[tuple[int, int]], tuples: int) -> int:
    """A time since which this many facts came; older ones are forgotten."""
    total = 0
    for i in range(len(counts) - 1, -1, -1):
        total += counts[i][1]
        if total >= tuples:
            del counts[:i]
            return counts[0][0]
    return NOWHERE
