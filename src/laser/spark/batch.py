"""A history as a grouped Arrow map: buckets of keys times slices of time, all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import assert_never

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.spark.arrow import SELECTED, time_points
from laser.spark.extent import extent_of
from laser.spark.failures import speaks_first
from laser.spark.job import Job
from laser.spark.layout import Layout, PredicateColumns
from laser.spark.lift import SEEN
from laser.spark.partition import ByKey, Lifted, PerKey, Whole, bucket_sql
from laser.spark.prepare import Prepared
from laser.spark.request import Request
from laser.spark.slices import Slice, answer_slice
from laser.values import Predicate

__all__ = ["PARTS_A_CORE", "answer_batch", "divide", "in_parts", "open_part", "output_schema", "parts_of"]

ROWS_A_PART = 50_000
"""A part with fewer rows than this is not worth its cost."""
PARTS_A_CORE = 2
"""More than one, so that a slow part does not leave cores idle for long."""
WINDOWS_A_SLICE = 4
"""The shortest slice, in windows, so that the repeated past is the smaller part of it."""
FIRST = -1
"""The tag of the row that opens a part, so that a part without facts is answered, too."""


def divide(request: Request, prepared: Prepared, facts: DataFrame, cores: int) -> tuple[Job, list[Slice]]:
    """Divide the job into buckets and the timeline into slices, by the size of the data and the number of cores."""
    job = prepared.job

    def times() -> DataFrame:
        return facts.select("time", *([SELECTED] if SELECTED in facts.columns else []))

    first, last, rows = extent_of(prepared, times, sized=bool(request.buckets and request.slices))
    parts = max(1, min(cores * PARTS_A_CORE, math.ceil(rows / ROWS_A_PART)))
    job = job.in_buckets(request.buckets or parts)
    most = request.slices or _slices_worth_it(job, parts, last - first + 1)
    return job, _slices(job, facts, first, last, most)


def _slices_worth_it(job: Job, parts: int, length: int) -> int:
    match job.partition:
        case Whole():
            return (
                1
                if job.reach.ticks is None or job.reach.counts_facts
                else min(parts, _most_slices(length, job.reach.ticks))
            )
        case ByKey() | Lifted() | PerKey():
            return 1
        case _:
            assert_never(job.partition)


def _slices(job: Job, facts: DataFrame, first: int, last: int, most: int) -> list[Slice]:
    length = last - first + 1
    width = math.ceil(length / max(1, min(most, length)))
    edges = (*range(first, last + 1, width), last + 1)
    lows = _lows(job, facts, edges)
    return [
        Slice(edges[i], edges[i + 1] - 1, low, cut_before=i > 0, cut_after=i < len(lows) - 1)
        for i, low in enumerate(lows)
    ]


def _most_slices(length: int, reach: int) -> int:
    return max(1, length // max(1, WINDOWS_A_SLICE * reach))


def _lows(job: Job, facts: DataFrame, edges: tuple[int, ...]) -> tuple[int, ...]:
    """For each slice, the time since which it needs facts."""
    firsts, reach = edges[:-1], job.reach
    by_time = tuple(edges[0] if reach.ticks is None else max(edges[0], first - reach.ticks) for first in firsts)
    if not reach.counts_facts or len(firsts) == 1:
        return by_time
    if reach.latest:  # the last facts of a key may be of any age
        return (edges[0],) * len(firsts)
    match job.partition:
        case Whole():
            return tuple(map(min, by_time, _times_of_last(reach.tuples, facts, edges)))
        case ByKey() | Lifted() | PerKey():  # a key with few facts may need those from the start
            return (edges[0],) * len(firsts)
        case _:
            assert_never(job.partition)


def _times_of_last(tuples: int, facts: DataFrame, edges: tuple[int, ...]) -> list[int]:
    """For each slice, a time since which enough facts came before it for the largest tuple window."""
    within = Window.partitionBy("slice").orderBy(F.desc("time"))
    counts = (
        facts.where((F.col("time") >= edges[0]) & (F.col("time") < edges[-1]))
        .drop("order")
        .distinct()
        .withColumn("slice", _index(F.col("time"), edges[:-1]))
        .groupBy("slice", "time")
        .count()
        .withColumn("later", F.sum("count").over(within))
        .where(F.col("later") - F.col("count") < tuples)
    )
    found = [(row["time"], row["count"]) for row in counts.select("time", "count").collect()]
    return [_low(sorted(found, reverse=True), first, tuples, edges[0]) for first in edges[:-1]]


def _low(counts: list[tuple[int, int]], first: int, tuples: int, start: int) -> int:
    total = 0
    for time, count in counts:
        if time < first:
            total += count
            if total >= tuples:
                return time
    return start


def _index(time: Column, lows: Sequence[int]) -> Column:
    """The last position in an ascending list whose entry is not above a time."""
    listed = F.array(*[F.lit(low).cast("bigint") for low in lows])
    return (F.size(F.filter(listed, lambda low: low <= time)) - 1).cast("int")


def answer_batch(job: Job, facts: DataFrame, slices: Sequence[Slice]) -> DataFrame:
    """The intervals of all predicates in one table: tag, slots, since, until, cut."""
    return parts_of(job, facts, slices).mapInArrow(_operator(job, slices), output_schema(job))


def output_schema(job: Job) -> str:
    return job.outputs.schema(["tag int"], ["since bigint", "until bigint", "cut boolean"])


def parts_of(job: Job, facts: DataFrame, slices: Sequence[Slice]) -> DataFrame:
    """The facts in their parts, sorted by time; each part begins with a row that names it."""
    if SELECTED in facts.columns:
        facts = facts.where(SELECTED).drop(SELECTED)
    within = facts.where((F.col("time") >= slices[0].first) & (F.col("time") <= slices[-1].last))
    bucket = F.lit(0) if isinstance(job.partition, Whole) else F.expr(bucket_sql("key", job.partition.buckets))
    if _repeats_keys(job, slices):
        within = within.unionByName(_first_seen(within, job), allowMissingColumns=True)
    ordered = ["order", "tag", *job.inputs.slots] if job.reach.counts_facts else []
    columns = ["part", "tag", "time", *job.inputs.slots, *(["order"] if job.reach.counts_facts else [])]
    placed = within.withColumn("part", _part(bucket, slices, len(job.inputs.predicates))).select(*columns)
    parts = in_parts(placed, len(slices) * job.partition.buckets, "time", *ordered)
    return parts.drop("order") if job.reach.counts_facts else parts


def in_parts(placed: DataFrame, count: int, time: str, *order: str) -> DataFrame:
    """Rows with the numbers of their parts, each part in a partition of its own, sorted by time; it begins with a row that names it."""
    opening = placed.sparkSession.range(count).select(
        F.col("id").cast("int").alias("part"), F.lit(FIRST).alias("tag"), F.lit(-1).cast("bigint").alias(time)
    )
    united = placed.unionByName(opening, allowMissingColumns=True)
    return united.repartitionById(count, "part").sortWithinPartitions(time, *order)


def _part(bucket: Column, slices: Sequence[Slice], key: int) -> Column:
    """The number of the part, or parts, that need a row; a row with the tag ``key`` is needed by all later slices."""
    if len(slices) == 1:
        return bucket
    home = _index(F.col("time"), [each.first for each in slices])
    last = F.when(F.col("tag") == key, len(slices) - 1).otherwise(_index(F.col("time"), [each.low for each in slices]))
    return F.explode(F.sequence(bucket * len(slices) + home, bucket * len(slices) + last))


def _repeats_keys(job: Job, slices: Sequence[Slice]) -> bool:
    """Whether slices need the keys whose facts are in earlier slices."""
    match job.partition:
        case Lifted(counts_keys=True) | PerKey():
            return len(slices) > 1
        case Whole() | ByKey() | Lifted():
            return False
        case _:
            assert_never(job.partition)


def _first_seen(facts: DataFrame, job: Job) -> DataFrame:
    """When each key was first seen: slices after its last fact must know it, too."""
    slot = job.inputs.predicates[0].slots[0]
    keyed = facts.groupBy("key", slot).agg(F.min("time").alias("time"))
    return keyed.select("key", slot, "time", F.lit(len(job.inputs.predicates)).alias("tag"))


def _operator(job: Job, slices: Sequence[Slice]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    layout = _with_keys(job.inputs) if _repeats_keys(job, slices) else job.inputs

    @speaks_first
    def answer(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part, rest = open_part(iter(batches))
        if part is None:
            return
        bucket, i = divmod(part, len(slices))
        yield from answer_slice(job, bucket, slices[0].first, slices[i], time_points(rest, layout))

    return answer


def open_part(batches: Iterator[pa.RecordBatch]) -> tuple[int | None, Iterator[pa.RecordBatch]]:
    """The number of a part, from its first row, and the other rows."""
    for batch in batches:
        if batch.num_rows:
            rest = batch.slice(1)
            return batch.column("part")[0].as_py(), _chained(rest, batches)
    return None, batches


def _chained(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _with_keys(inputs: Layout) -> Layout:
    """The layout with one more predicate, for keys that are known from before, which travel as facts."""
    first = inputs.predicates[0]
    seen = PredicateColumns(Predicate(SEEN, 1), first.kinds[:1], first.names[:1])
    return Layout((*inputs.predicates, seen))
