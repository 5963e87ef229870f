"""A stream through Spark: facts are packed into one blob per bucket, a stateful operator answers, and blobs are unpacked to rows.

Blobs, because the operator moves rows one at a time between Java and Python: a blob of thousands of facts is one row.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from laser.answers import Shift
from laser.errors import LaserError, StateError
from laser.phrases import count
from laser.spark.answers import Answers
from laser.spark.arrow import ARROW_TYPES, SELECTED, table_of
from laser.spark.bucket import Answer, Bucket, Span, refuse_foreign
from laser.spark.checkpoint import Checkpoint, read_heads
from laser.spark.clock import Clock
from laser.spark.clock_keeper import keep_clock
from laser.spark.cluster import cores_of, sent_files_on_path
from laser.spark.durations import Duration
from laser.spark.failures import speaks_first
from laser.spark.flush import Flush, event_time, flush_of
from laser.spark.job import Job
from laser.spark.observe import SCHEMA, answer_row, observed, work_row
from laser.spark.partition import Whole, bucket_labels, bucket_sql
from laser.spark.prepare import Prepared, facts_of_source
from laser.spark.request import Request
from laser.spark.sources import Source
from laser.spark.state_settings import use_state_settings
from laser.spark.store import Head, SparkStore, pack, unpack
from laser.spark.succession import continued, exact_from, with_former
from laser.values import Atom

__all__ = ["Operator", "answer_stream", "stream_schema"]

log = logging.getLogger("laser")
_OPERATOR = re.compile(r"^[\s:+|~-]*TransformWithState", re.MULTILINE)
CLOCK = -1
"""The tag of rows that only move the time."""
END = -2
"""The tag of rows that say how far the stream is complete: at its end, or by the clock."""
LATE = -1
"""The tag of facts that came too late, among the answers."""


def answer_stream(request: Request, prepared: Prepared) -> Answers:
    """The changes of all predicates in one streaming table."""
    job = prepared.job
    if job.reach.ticks is None and not job.has_records and not request.unbounded:
        raise LaserError(
            "the program looks back over its whole history (by `at T` without a window), so its state keeps every fact "
            "and grows: give it a window, or allow this with unbounded=True"
        )
    for source in prepared.all_sources:
        _refuse_answers(source)
    spark = prepared.sources[0].table.sparkSession
    heads = read_heads(spark, request.checkpoint) if request.checkpoint else []
    job = job.in_buckets(request.buckets or (heads[0].buckets if heads else cores_of(spark)))
    taken = _take_over(spark, request, job, heads)
    fingerprint, job = job.fingerprint, with_former(job, taken.elders.values())
    flush = flush_of(spark, request.checkpoint, request.flush, heads)
    clock = _clock(spark, request, prepared)
    facts = _facts(replace(prepared, job=job), request.lateness, flush, clock)
    with sent_files_on_path(spark):
        blobs = facts.mapInArrow(_packer(job), "bucket int, lowest bigint, highest bigint, facts binary")
        operator = Operator(job, fingerprint, taken.elders)
        answered = blobs.groupBy("bucket").transformWithState(operator, SCHEMA, "Append", "eventTime")
        table = observed(answered, fingerprint, prepared.dated).mapInArrow(_unpack, stream_schema(job))
    cut = f"{prepared.why}; {count(job.partition.buckets, 'bucket')}"
    use_state_settings(spark)
    return Answers(replace(prepared, job=job), table, cut, streaming=True, end=flush, exact_from=taken.exact_from)


@dataclass(frozen=True)
class _Taken:
    """A checkpoint from which a job continues: its earlier jobs, if their answers matter, and since when it is exact."""

    elders: Mapping[str, Job] = field(default_factory=dict)
    exact_from: int | None = None


def _take_over(spark: SparkSession, request: Request, job: Job, heads: list[Head]) -> _Taken:
    """The checkpoint of a job, if it can continue from there; changed rules are logged."""
    if not request.checkpoint:
        return _Taken()
    checkpoint, fingerprint = Checkpoint(spark, request.checkpoint), job.fingerprint
    recorded = checkpoint.jobs([fingerprint]).get(fingerprint)
    own = [head for head in heads if head.job == fingerprint]
    checkpoint.note_job(continued(recorded, job, own), fingerprint)
    others = {head.job for head in heads} - {fingerprint}
    elders = checkpoint.jobs(others | {head.before for head in heads} - {""})
    for head in heads:
        if head.job not in elders or head.buckets != job.partition.buckets:
            refuse_foreign(head, job.partition.buckets, fingerprint)
    if not others:
        return _Taken(elders)
    if not checkpoint.is_finished():
        raise StateError(
            "the rules were changed, and the last micro-batch of the old ones was not finished, so some of its changes may have been "
            'written already: run the old rules once more, as with every = "once", and change them after that'
        )
    first = max(
        exact_from(elders[old], job, [head for head in heads if head.job == old], request.inexact) for old in others
    )
    when = job.settings.tick.to_text(first) if job.settings.dates else first
    log.warning("the rules were changed: answers are exact from %s on", when)
    return _Taken(elders, first)


def _refuse_answers(source: Source) -> None:
    """Refuse answers of another stream: Spark gives the changes of a stateful operator no watermark, so a second one would never answer."""
    table: Any = source.table
    if _OPERATOR.search(table._jdf.queryExecution().analyzed().toString()):
        raise LaserError(
            f"input {source.name} comes from the answers of another stream, but Spark can run only one such program in a query: "
            "give both programs to reason, as a list, or write those answers to files and read them as a stream of their own"
        )


def stream_schema(job: Job) -> str:
    return job.outputs.schema(["tag int"], ["time bigint", "holds boolean", "note string"])


def _clock(spark: SparkSession, request: Request, prepared: Prepared) -> Clock | None:
    """A clock for the inputs, if they may pause; its hands begin to move when a query uses it."""
    if request.idle is None:
        return None
    inputs = [str(source.predicate) for source in prepared.all_sources]
    clock = Clock.make(inputs, request.idle.micros, prepared.job.settings.tick)
    keep_clock(spark, clock)
    return clock


def _facts(prepared: Prepared, lateness: Duration, flush: Flush | None, clock: Clock | None) -> DataFrame:
    """The facts of all inputs, each with its own watermark: the slowest of them decides what is complete."""
    job = prepared.job
    read = {source.predicate: facts_of_source(prepared, source) for source in prepared.sources}
    columns = next(iter(read.values())).dtypes
    nothing = [F.lit(None).cast(kind).alias(name) for name, kind in columns if name not in ("tag", "time")]
    clocks = {s.predicate: s.times().select(F.lit(CLOCK).alias("tag"), "time", *nothing) for s in prepared.clocks}
    tables = [(read | clocks)[source.predicate] for source in prepared.all_sources]
    micros = F.lit(job.settings.tick.duration.micros).cast("bigint")
    dated = [table.withColumn("ts", F.timestamp_micros(F.col("time") * micros)) for table in tables]
    if flush is not None:
        ends = [F.lit(END).alias("tag"), F.col("until").alias("time"), *nothing]
        moment = event_time(job.settings.tick, lateness.micros)
        dated = [table.unionByName(flush.times().select(*ends, moment.alias("ts"))) for table in dated]
    if clock is not None:
        moves = clock.table(dated[0].sparkSession)
        rows = moves.select(
            F.lit(END).alias("tag"), F.lit(0).alias("time"), *nothing, clock.moment().alias("ts"), "input"
        )
        dated = [
            table.unionByName(rows.where(F.col("input") == name).drop("input"))
            for table, name in zip(dated, clock.inputs, strict=True)
        ]
    watched = [table.withWatermark("ts", f"{lateness.micros} microseconds") for table in dated]
    united = reduce(DataFrame.unionByName, watched)
    is_one = isinstance(job.partition, Whole)
    bucket = F.lit(0) if is_one else F.expr(bucket_sql("key", job.partition.buckets))
    return united.select(*_columns(job), bucket.alias("bucket"))


def _columns(job: Job) -> list[str]:
    """The columns that workers need of a fact."""
    order = ["order"] if job.reach.counts_facts else []
    return ["tag", "time", *job.inputs.slots, *order, *([SELECTED] if job.selected else [])]


def _packer(job: Job) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Pack rows into one blob per bucket. Every bucket gets one, even if empty, so that all know the position of the stream."""
    names, columns = bucket_labels(job.partition.buckets), _columns(job)

    @speaks_first
    def packed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield _pack_batch(batch, columns, names)

    return packed


def _pack_batch(batch: pa.RecordBatch, columns: list[str], names: list[int]) -> pa.RecordBatch:
    tags = batch.column("tag").to_numpy()
    times = batch.column("time").to_numpy()[tags != END]
    span = [int(np.min(times)), int(np.max(times))] if len(times) else [None, None]
    table = pa.Table.from_batches([batch]).filter(pa.array((tags != CLOCK) & (tags != END)))
    buckets = table.column("bucket").to_numpy() if table.num_rows else np.array([], dtype=np.int32)
    kept = table.select(columns)
    blobs = [kept if len(names) == 1 else kept.filter(pa.array(buckets == i)) for i in range(len(names))]
    facts = [pack(blob) if blob.num_rows else None for blob in blobs]
    lowest, highest = (pa.array([time] * len(names), pa.int64()) for time in span)
    columns_of_blobs = [pa.array(names, pa.int32()), lowest, highest, pa.array(facts, pa.binary())]
    return pa.RecordBatch.from_arrays(columns_of_blobs, ["bucket", "lowest", "highest", "facts"])


class Operator(StatefulProcessor):
    """The stateful operator of a bucket."""

    def __init__(self, job: Job, fingerprint: str, elders: Mapping[str, Job]) -> None:
        self.job = job
        self.fingerprint = fingerprint
        self.elders = elders
        self.micros = job.settings.tick.duration.micros
        self.numbers = {label: number for number, label in enumerate(bucket_labels(job.partition.buckets))}

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.store = SparkStore(handle)
        self.called: set[int] = set()

    @speaks_first
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803 - Spark's names
        began, tables, spans = time.perf_counter_ns(), [], []
        for row in rows:
            if row.lowest is not None:
                spans.append(Span(row.lowest, row.highest))
            if row.facts is not None:
                tables.append(unpack(bytes(row.facts)))
        span = Span(min(s.lowest for s in spans), max(s.highest for s in spans)) if spans else None
        yield from self._turn(key[0], tables, span, timerValues, began)

    @speaks_first
    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: N802, N803 - Spark's names
        if key[0] not in self.called:  # otherwise this micro-batch has already answered all that the watermark allows
            yield from self._turn(key[0], [], None, timerValues, time.perf_counter_ns())

    def _turn(self, label: int, tables: list[pa.Table], span: Span | None, timers: Any, began: int) -> Iterator[Row]:
        self.called.add(label)
        watermark = timers.getCurrentWatermarkInMs()
        complete = watermark * 1000 // self.micros - 1
        number = self.numbers[label]
        bucket = Bucket(self.job, number, self.store, self.fingerprint, elders=self.elders)
        answer = bucket.turn(tables, span, complete, partial(self._set_timer, watermark))
        for batch in batches_of(self.job, answer):
            yield answer_row(pack(pa.Table.from_batches([batch])))
        yield work_row(number, answer.work._replace(busy=time.perf_counter_ns() - began))

    def _set_timer(self, watermark: int, wake: int | None, timer: int) -> int:
        """Ask to be called when the watermark has passed the time point at which something changes."""
        due = -1 if wake is None else max(-(-(wake + 1) * self.micros // 1000), watermark + 1)
        if due == timer:
            return due
        if timer > watermark:
            self.handle.deleteTimer(timer)
        if due >= 0:
            self.handle.registerTimer(due)
        return due


def batches_of(job: Job, answer: Answer) -> Iterator[pa.RecordBatch]:
    """An answer as batches of the table of all predicates, in order of time within each predicate."""
    by_predicate: dict[Any, list[Shift]] = {}
    for shift in answer.shifts:
        by_predicate.setdefault(shift.predicate, []).append(shift)
    for predicate, shifts in by_predicate.items():
        keys = [key for shift in shifts for keys in (shift.begun, shift.ended) for key in keys]
        if keys:
            counts = [(s.time, len(s.begun), len(s.ended)) for s in shifts]
            times = np.repeat([time for time, _, _ in counts], [b + e for _, b, e in counts]).astype(np.int64)
            holds = np.concatenate([np.arange(b + e) < b for _, b, e in counts])
            others = {"time": pa.array(times), "holds": pa.array(holds), "note": pa.nulls(len(keys), pa.string())}
            yield table_of(job.outputs.columns_of(predicate), job.outputs, keys, others)
    if answer.late:
        yield _late(job, answer)


def _late(job: Job, answer: Answer) -> pa.RecordBatch:
    slots = [(slot, ARROW_TYPES[slot.rstrip("0123456789")]) for slot in job.outputs.slots]
    ends = [("time", pa.int64()), ("holds", pa.bool_()), ("note", pa.string())]
    rows = [{"tag": LATE, "time": late.time, "note": str(Atom.of(late.fact))} for late in answer.late]
    return pa.RecordBatch.from_pylist(rows, pa.schema([("tag", pa.int32()), *slots, *ends]))


def _unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for blob in batch.column("answers").drop_null().to_pylist():
            yield from pa.ipc.open_stream(pa.py_buffer(blob))
