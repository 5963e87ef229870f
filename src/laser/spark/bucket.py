"""One bucket of a stream: facts wait until the watermark has passed them, then they are fed in the order of time.

What must survive is small: a *head*, which says how far the bucket is, and a *log* of the facts still in reach, an entry for
each micro-batch that brought some. The reasoner itself is a cache. It is found in the worker's memory, brought up to date
from the log where another worker was at it since, or made anew from the log; so batch boundaries, retries and moves from
worker to worker do not show in the answers.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

import numpy as np
import pyarrow as pa

from laser.answers import Shift
from laser.errors import StateError
from laser.spark.arrow import Fact, facts_of
from laser.spark.job import Job, refuse_other
from laser.spark.log_layout import in_layout, labelled
from laser.spark.part import Part, make_part
from laser.spark.partition import ByKey, Lifted, PerKey, Whole
from laser.spark.store import NOWHERE, SAVED, Entry, Head, Store, pack, pack_keys, unpack, unpack_keys
from laser.spark.waiting import WaitingFacts, last_of_each_key
from laser.values import Atom, Predicate

__all__ = ["Answer", "Bucket", "Late", "Span", "refuse_foreign"]


COMPACTED = 64
"""So many entries are made one at a time."""


class Span(NamedTuple):
    """The first and the last time of some rows."""

    lowest: int
    highest: int


class Late(NamedTuple):
    """A fact that came after the answers of its time were given."""

    time: int
    fact: Fact


class Answer(NamedTuple):
    """What one call tells, and when the bucket wants to be called again if nothing arrives (None: never)."""

    shifts: list[Shift]
    late: list[Late]
    wake: int | None


@dataclass
class CachedReasoner:
    """A reasoner with what waits for the watermark, as of a version of the log."""

    version: int
    token: str
    fed: int
    waiting: WaitingFacts
    part: Part | None = None
    kept: dict[int, int] = field(default_factory=dict)
    """The versions in the log with the latest time of each."""
    counts: list[tuple[int, int]] = field(default_factory=list)
    """For tuple windows: the last time points with facts, and how many each had."""
    saved: int = NOWHERE
    """For programs with records: the time up to which nothing has to be fed again."""

    def holding(self) -> frozenset[Fact]:
        """What the reasoner says now."""
        return frozenset() if self.part is None else self.part.holding()


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
    """The jobs that had the stream before this one, by their ids."""

    def turn(self, tables: Iterable[pa.Table], span: Span | None, complete: int) -> Answer:
        """Take what arrived, and answer all time points up to ``complete``; ``span`` is of the rows of all buckets."""
        head = self._head()
        live = self._take(head)
        late: list[Late] = []
        arrived = [
            table for table in (self._in_time(table, head, complete, late) for table in tables) if table.num_rows
        ]
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
        wake = self._wake(live, head)
        self.store.put_head(head._replace(late=head.late + len(late)))
        live.version, live.token, live.fed = head.version, head.token, head.fed
        self.cache[head.lineage, self.number] = live
        return Answer(shifts, late, wake)

    # -- where it stands

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
        """Go on where another job was, in a lineage of its own: reasoners of the old rules are of no use."""
        known = head.known
        if set(self.job.inputs.tags) - set(self.elders[head.job].inputs.tags):
            known = head.highest + 1  # facts of an input that nobody read are not in the log
        before = (head.before or head.job) if head.fed != NOWHERE else ""
        return head._replace(job=self.fingerprint, lineage=uuid.uuid4().hex, before=before, known=known)

    def _change_over(self, live: CachedReasoner, head: Head) -> list[Shift]:
        """The first answers of new rules: what they say at the next time point, next to what the old ones said at the last one."""
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
        """The timeline begins with the first fact of any bucket, once no earlier one can come in time."""
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
        """The live reasoner of this head: out of the cache, so that a failure on the way leaves none behind."""
        live = self.cache.pop((head.lineage, self.number), None)
        if live is None or not self._catch_up(live, head):
            live = self._rebuild(head)
        return live

    def _catch_up(self, live: CachedReasoner, head: Head) -> bool:
        """Bring a reasoner up to date; False where it is not of this history, or the log does not reach back to it."""
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
                return False  # an attempt that failed had gone ahead without these facts
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
        """Begin where this job was saved last, if it was."""
        saved = self.store.entry(SAVED) if self.job.has_records else None
        if saved is not None and saved.token == self.fingerprint:
            live.part = make_part(self.job, self.number, head.start, json.loads(saved.facts))
            live.fed = live.saved = saved.latest
            live.waiting.drop_up_to(saved.latest)

    def _nothing_waits(self) -> WaitingFacts:
        return WaitingFacts(self.job.inputs, ordered=self.job.reach.counts_facts)

    def _forget(self, live: CachedReasoner, fed: int) -> None:
        """What is out of reach by now need not be fed again; only the keys that it names are remembered."""
        reach, partition = self.job.reach, self.job.partition
        if reach.ticks is not None and not reach.counts_facts:
            live.waiting.forget_before(fed - reach.ticks, keep_keys=partition.knows_keys)

    def _replay(self, live: CachedReasoner, head: Head) -> None:
        """Feed what was fed before: its answers are given, and its keys are in the log."""
        self._forget(live, head.fed)
        self._feed(live, head.start, head.fed)
        if live.part is not None:
            live.part.new_keys.clear()

    def _wait(self, live: CachedReasoner, version: int, entry: Entry) -> None:
        if version < 0:
            live.waiting.add_keys(unpack_keys(entry.facts))
        else:
            live.kept[version] = entry.latest
            live.waiting.add(in_layout(unpack(entry.facts), self.job.inputs))

    def _feed(self, live: CachedReasoner, start: int, complete: int) -> list[Shift]:
        """Feed what waits, up to and including a time, and go there."""
        if live.part is None:
            live.part = make_part(self.job, self.number, start)
        shifts: list[Shift] = []
        for time, facts in live.waiting.up_to(complete):
            if time >= start:
                shifts += live.part.advance(time, facts)
                if self.job.reach.tuples:
                    live.counts.append((time, len(set(facts))))
        shifts += live.part.advance(complete, [])
        return shifts

    # -- the log

    def _keep_keys(self, live: CachedReasoner, fed: int) -> None:
        """Remember the keys that were seen for the first time: a lifted program never forgets them."""
        if live.part is not None and live.part.new_keys:
            self.store.put_entry(-2 - fed, Entry("", NOWHERE, pack_keys(live.part.new_keys)))
            live.part.new_keys.clear()

    def _in_time(self, table: pa.Table, head: Head, complete: int, late: list[Late]) -> pa.Table:
        """The facts that are not late; of those that are, a list.

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
        live.kept[head.version] = latest
        live.waiting.add(table)
        return head

    def _trim(self, live: CachedReasoner, fed: int) -> None:
        """Forget what no later answer can see."""
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
        """Where rules rest on records, which rest on the whole stream: now and then, save the reasoner in place of the facts."""
        since = [version for version, latest in live.kept.items() if live.saved < latest <= fed]
        if live.part is not None and len(since) >= COMPACTED:
            state = json.dumps(live.part.save()).encode()
            self.store.put_entry(SAVED, Entry(self.fingerprint, fed, state))
            live.saved = fed
            self._drop_before(live, fed - self.job.keep + 1)

    def _drop_before(self, live: CachedReasoner, low: int) -> None:
        gone = [version for version, latest in live.kept.items() if latest < low]
        for version in gone:
            self.store.remove_entry(version)
            del live.kept[version]

    def _low(self, live: CachedReasoner, fed: int) -> int:
        low, tuples = self._oldest_kept(fed), self.job.reach.tuples
        return min(low, _time_of_last(live.counts, tuples)) if tuples else low

    def _oldest_kept(self, fed: int) -> int:
        """The time since which all facts are kept; what holds at ``fed`` must be known, to tell when it ends."""
        kept = self.job.kept
        return NOWHERE if kept is None else max(fed - kept, NOWHERE)

    def _compact(self, live: CachedReasoner, fed: int) -> None:
        """Where each key counts for itself: make one entry of many, with the last facts of each key."""
        done = sorted(version for version, latest in live.kept.items() if latest <= fed)
        if self.job.reach.ticks is None or len(done) < COMPACTED:
            return
        found = {version: entry for version in done if (entry := self.store.entry(version)) is not None}
        for version in done:  # another worker may have been here before
            self.store.remove_entry(version)
            del live.kept[version]
        if found:
            table = pa.concat_tables([in_layout(unpack(entry.facts), self.job.inputs) for entry in found.values()])
            last, latest = max(found), max(entry.latest for entry in found.values())
            low, adds_key = self._oldest_kept(fed), self.job.partition.adds_key
            kept = last_of_each_key(table, self.job.inputs, low, self.job.reach, adds_key)
            self.store.put_entry(last, Entry(found[last].token, latest, pack(kept)))
            live.kept[last] = latest

    def _wake(self, live: CachedReasoner, head: Head) -> int | None:
        """The next time point at which there is something to do, though nothing arrive."""
        if head.start == NOWHERE:
            return None if head.lowest == NOWHERE else head.lowest
        wakes = list(live.waiting.times)
        wake = live.part.next_wake if live.part is not None else head.start
        if wake is not None:
            wakes.append(max(wake, head.fed + 1))
        return min(wakes, default=None)


def _by_predicate(facts: Iterable[Fact]) -> dict[Predicate, list[Fact]]:
    """In an order that is the same if a micro-batch is repeated."""
    found: dict[Predicate, list[Fact]] = {}
    for fact in sorted(map(Atom.of, facts)):
        found.setdefault(Predicate(fact[0], len(fact) - 1), []).append(fact)
    return found


def refuse_foreign(head: Head, buckets: int, fingerprint: str) -> None:
    """StateError where a checkpoint is of another job, or of another number of buckets."""
    if head.buckets != buckets:
        raise StateError(
            f"the checkpoint was made with {head.buckets} buckets, and now there are {buckets}: "
            f"give buckets={head.buckets}, or begin with a new checkpoint"
        )
    refuse_other(head.job, fingerprint)


def _time_of_last(counts: list[tuple[int, int]], tuples: int) -> int:
    """A time since which so many facts came; what lies before it is forgotten."""
    total = 0
    for i in range(len(counts) - 1, -1, -1):
        total += counts[i][1]
        if total >= tuples:
            del counts[:i]
            return counts[0][0]
    return NOWHERE
