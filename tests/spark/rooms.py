"""Ways to run a job without Spark: the same parts, buckets and slices, driven by plain Python, so that many can be tried."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa

from laser.checks.accept import accept
from laser.reference import answer_stream
from laser.rules.partition_key import find_key
from laser.rules.rule import ResolvedProgram, Rule
from laser.rules.selection import Selections
from laser.settings import RunSettings
from laser.spark.arrow import SELECTED, table_of, time_points
from laser.spark.background import read_background
from laser.spark.bucket import Bucket, Span
from laser.spark.columns import conversion
from laser.spark.job import Job
from laser.spark.layout import Layout, PredicateColumns
from laser.spark.lift import SEEN
from laser.spark.partition import ByKey, PerKey
from laser.spark.prepare import prepare
from laser.spark.request import Request
from laser.spark.slices import Slice, answer_slice
from laser.spark.sources import Source
from laser.spark.store import Entry, Head
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values import Atom, Predicate

Rows = list[tuple[int, Atom]]
Arrivals = list[tuple[int, Atom, int]]
"""Rows as they come in, with their places in the order of arrival."""
Answers = dict[int, frozenset[Atom]]


@dataclass
class Stub:
    """As much of a DataFrame as planning looks at."""

    columns: list[str]
    kinds: list[str]
    isStreaming: bool = False  # noqa: N815 - Spark's name

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        return list(zip(self.columns, self.kinds, strict=True))


@dataclass(frozen=True)
class Setting:
    """A program and a stream of facts, as time and atom, on a timeline."""

    program: Program
    rows: Rows
    start: int
    until: int
    run: dict[str, Any] = field(default_factory=dict)
    kinds: dict[Predicate, list[str]] = field(default_factory=dict)
    """The types of columns; where none are given, they have terms of any type."""

    @property
    def inputs(self) -> list[Predicate]:
        return list(dict.fromkeys(atom.signature for _, atom in self.rows))

    @property
    def core(self) -> ResolvedProgram:
        return accept(self.program, RunSettings.read(self.run))

    def reference(self) -> Answers:
        stream: dict[int, list[Atom]] = {}
        for time, atom in self.rows:
            stream.setdefault(time, []).append(atom)
        return dict(answer_stream(self.core, sorted(stream.items()), self.start, self.until))

    def of_key(self, key: Any) -> Setting:
        """The stream of one key, which is the first argument, without it."""
        mine = [(t, Atom.of((a[0], *a[2:]))) for t, a in self.rows if a[1] == key]
        return replace(self, rows=mine)

    def lifted_reference(self) -> Answers:
        """What lifting means: every key is a stream of its own, which exists from its first fact on."""
        answers: dict[int, set[Atom]] = {time: set() for time in range(self.start, self.until + 1)}
        for key in {atom[1] for _, atom in self.rows}:
            alone = self.of_key(key)
            first = min(time for time, _ in alone.rows)
            for time, atoms in alone.reference().items():
                if time >= first:
                    answers[time] |= {Atom.of((a[0], key, *a[1:])) for a in atoms}
        return {time: frozenset(atoms) for time, atoms in answers.items()}


def job_of(setting: Setting, key: str | bool | None = False) -> Job:
    """The job of a setting, as a stream or a batch on Spark would have it."""
    sources = []
    for name, arity in setting.inputs:
        args = tuple(f"c{i}" for i in range(arity))
        if isinstance(key, str):
            args = (key, *args[1:])
        kinds = setting.kinds.get(Predicate(name, arity))
        table: Any = Stub(["time", *args], ["bigint", *(kinds or ["string"] * arity)])
        sources.append(Source(name, table, args, ("time",), Tick(), None, frozenset(() if kinds else args)))
    settings = RunSettings.read(setting.run, start=setting.start)
    request = Request(
        program=setting.program,
        sources=tuple(sources),
        settings=replace(settings, background=()),
        background=tuple(read_background(settings.background)),
        key=key,
        columns={},
        mixed=True,
    )
    return prepare(request).job


def read_by(setting: Setting, job: Job) -> Setting:
    """The setting without facts of predicates that the job leaves out, because nothing depends on them."""
    known = set(job.inputs.tags)
    return replace(setting, rows=[(time, atom) for time, atom in setting.rows if atom.signature in known])


def with_keys(setting: Setting, choices: random.Random) -> Setting:
    """The same facts, each given to one of three keys."""
    keys = ["k1", "k2", 3]
    rows = [(time, Atom.of((atom[0], choices.choice(keys), *atom[1:]))) for time, atom in setting.rows]
    return replace(setting, rows=rows)


def lifts(setting: Setting) -> bool:
    """Whether something that the program reads streams in, and no arity makes the key look like one of its arguments."""
    read = {p for rule in setting.core.rules for p in _predicates(rule)}
    return any(Predicate(n, a - 1) in read for n, a in setting.inputs) and not read.intersection(setting.inputs)


def _predicates(rule: Rule) -> set[Predicate]:
    return {rule.predicate} | {atom.predicate for atom in rule.atoms}


def keyed(setting: Setting, job: Job) -> Job | None:
    """The same job divided by the program's key, if it has one."""
    core = setting.core
    found = find_key(core, set(job.inputs.tags))
    if not found or not all(p in found.positions or p not in core.derived for p in setting.inputs):
        return None
    return replace(job, partition=ByKey(positions=dict(found.positions), drops_foreign=True))


def bucket_number(job: Job, fact: Sequence[Any]) -> int:
    """The first bucket to which a fact belongs: Spark gives it to one."""
    return next(bucket for bucket in range(job.partition.buckets) if job.partition.belongs(fact, bucket))


def batch_of(
    rows: Iterable[tuple[int, Sequence[Any], int]], layout: Layout, selections: Selections | None = None
) -> list[pa.RecordBatch]:
    """Facts with their times and places in the order of arrival as batches of one row each, so that every seam is met."""
    batches = []
    for time, fact, order in rows:
        columns = layout.columns_of(Predicate(fact[0], len(fact) - 1))
        others = {"time": pa.array([time], pa.int64()), "order": pa.array([order], pa.int64())}
        if selections:
            selection = selections.get(columns.predicate)
            others[SELECTED] = pa.array([selection is None or selection.keeps(fact[1:])])
        batches.append(table_of(columns, layout, [tuple(fact)], others))
    return batches


# -- batch


def by_parts(setting: Setting, job: Job, buckets: int, slices: int) -> Answers:
    """Buckets times slices, their intervals put together and spread over the timeline."""
    job = job.in_buckets(buckets)
    answers: dict[int, set[Atom]] = {time: set() for time in range(setting.start, setting.until + 1)}
    length = setting.until - setting.start + 1
    width = -(-length // min(slices, length))
    edges = [*range(setting.start, setting.until + 1, width), setting.until + 1]
    layout = Layout((*job.inputs.predicates, PredicateColumns(Predicate(SEEN, 1), ("term",), ("key",))))
    for bucket in range(job.partition.buckets):
        mine = [(t, a) for t, a in setting.rows if bucket_number(job, a) == bucket]
        for i, (first, after) in enumerate(pairwise(edges)):
            low = lowest_needed(job, mine, first, setting.start)
            rows: list[Any] = [(t, a) for t, a in mine if low <= t < after]
            if job.partition.adds_key:
                rows += [(t, (SEEN, k)) for k, t in first_seen(mine).items() if t < after]
            rows.sort(key=lambda row: row[0])
            part = Slice(first, after - 1, low, i > 0, after <= setting.until)
            points = time_points(batch_of([(t, a, 0) for t, a in rows], layout), layout)
            for batch in answer_slice(job, bucket, setting.start, part, points):
                spread(job, batch.to_pylist(), answers)
    return {time: frozenset(atoms) for time, atoms in answers.items()}


def first_seen(rows: Rows) -> dict[Any, int]:
    return {atom[1]: time for time, atom in sorted(rows, key=lambda row: -row[0])}


def lowest_needed(job: Job, rows: Rows, first: int, start: int) -> int:
    ticks, tuples = job.reach.ticks, job.reach.tuples
    if ticks is None or job.reach.latest or (tuples and isinstance(job.partition, PerKey)):
        return start
    before = sorted({(t, a) for t, a in rows if t < first}, key=lambda row: row[0])
    by_count = first if not tuples else before[-tuples][0] if len(before) >= tuples else start
    return max(start, min(first - ticks, by_count))


def spread(job: Job, rows: Iterable[dict[str, Any]], answers: dict[int, set[Atom]]) -> None:
    for row in rows:
        atom = atom_of(job, row)
        for time in range(row["since"], row["until"] + 1):
            assert atom not in answers[time], f"{atom} is told twice at {time}"
            answers[time].add(atom)


def atom_of(job: Job, row: dict[str, Any]) -> Atom:
    columns = job.outputs.predicates[row["tag"]]
    values = [row[slot] for slot in columns.slots]
    values = [conversion(kind).to_value(v) for v, kind in zip(values, columns.kinds, strict=True)]
    return Atom(columns.predicate.name, values)


# -- streams


class Memory:
    """A store in memory."""

    def __init__(self) -> None:
        self.saved: tuple[Any, ...] | None = None
        self.log: dict[int, Entry] = {}

    def head(self) -> Head | None:
        return None if self.saved is None else Head(*self.saved)

    def put_head(self, head: Head) -> None:
        self.saved = tuple(head)

    def entry(self, version: int) -> Entry | None:
        return self.log.get(version)

    def put_entry(self, version: int, entry: Entry) -> None:
        self.log[version] = entry

    def remove_entry(self, version: int) -> None:
        self.log.pop(version, None)

    def entries(self) -> Iterable[tuple[int, Entry]]:
        return iter(list(self.log.items()))


@dataclass
class Drive:
    """A stream in micro-batches, out of order within a lateness, over workers that come and go."""

    job: Job
    choices: random.Random
    lateness: int = 0
    workers: int = 2
    failures: float = 0.2
    changes: list[tuple[int, Atom, bool]] = field(default_factory=list)
    late: list[tuple[int, Any]] = field(default_factory=list)

    def run(self, rows: Arrivals, until: int, sizes: Sequence[int] = (1, 2, 3, 5)) -> list[Memory]:
        stores = [Memory() for _ in range(self.job.partition.buckets)]
        caches: list[dict[Any, Any]] = [{} for _ in range(self.workers)]
        pending, highest, complete = list(rows), -1, -1
        while pending:
            size = self.choices.choice(sizes)
            batch, pending = pending[:size], pending[size:]
            self.batch(stores, caches, batch, complete)
            highest = max([highest, *(time for time, _, _ in batch)])
            complete = max(complete, highest - self.lateness - 1)
        self.batch(stores, caches, [], complete)
        self.batch(stores, caches, [], until)
        return stores

    def batch(self, stores: list[Memory], caches: list[Any], rows: Arrivals, complete: int) -> None:
        times = [time for time, _, _ in rows]
        span = Span(min(times), max(times)) if times else None
        for number, store in enumerate(stores):
            mine = [row for row in rows if bucket_number(self.job, row[1]) == number]
            if self.choices.random() < self.failures:  # a task that fails after its work, in any worker
                failed, half = copy.deepcopy(store), mine[: len(mine) // 2]
                self.turn(failed, self.choices.choice(caches), number, half, span, complete)
            answer = self.turn(store, self.choices.choice(caches), number, mine, span, complete)
            self.late += answer.late
            for shift in answer.shifts:
                for keys, holds in ((shift.ended, False), (shift.begun, True)):
                    self.changes += [(shift.time, Atom.of((shift.predicate.name, *k[1:])), holds) for k in keys]

    def turn(self, store: Memory, cache: Any, number: int, rows: Arrivals, span: Span | None, complete: int) -> Any:
        return self.turn_of(Bucket(self.job, number, store, "job", cache), rows, span, complete)

    def turn_of(self, bucket: Bucket, rows: Arrivals, span: Span | None, complete: int) -> Any:
        batches = batch_of(rows, self.job.inputs, self.job.selected)
        return bucket.turn([pa.Table.from_batches(batches)] if batches else [], span, complete)

    def answers(self, start: int, until: int) -> Answers:
        """The changes, added up."""
        by_time: dict[int, list[tuple[Atom, bool]]] = {}
        for time, atom, holds in self.changes:
            by_time.setdefault(time, []).append((atom, holds))
        assert all(start <= time <= until for time in by_time)
        holding: set[Atom] = set()
        answers = {}
        for time in range(start, until + 1):
            for atom, holds in by_time.get(time, []):
                assert (atom in holding) is not holds, f"{atom} changes nothing at {time}"
                (holding.add if holds else holding.discard)(atom)
            answers[time] = frozenset(holding)
        return answers


def shuffled(rows: Rows, lateness: int, choices: random.Random) -> Arrivals:
    """Out of order within the lateness, and in any order within a time point; each knows its place."""
    numbered = [(time, atom, number) for number, (time, atom) in enumerate(rows)]
    return sorted(numbered, key=lambda row: row[0] + choices.random() * (lateness + 0.5))
