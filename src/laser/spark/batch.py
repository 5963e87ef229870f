"""A history as a grouped Arrow map: buckets of keys times slices of time, all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.arrow import time_points
from laser.spark.job import Job
from laser.spark.layout import Layout, Shape
from laser.spark.lift import SEEN
from laser.spark.prepare import Prepared
from laser.spark.slices import Slice, answer_slice
from laser.spark.sources import bucket_column
from laser.values import Predicate

__all__ = ["Cut", "answer_batch", "find_cut"]

ROWS_A_PART = 50_000
"""Fewer rows than that are not worth a part of their own."""
PARTS_A_CORE = 2
"""So that a part that takes longer than others does not leave cores idle for long."""
WINDOWS_A_SLICE = 4
"""A slice is so many windows long at least, so that what it repeats of its past stays the smaller part."""
FIRST = -1
"""The tag of the row that opens a part, so that one without facts is answered too."""


@dataclass(frozen=True)
class Cut:
    """The timeline and how it is divided: ``edges`` are the first time points of the slices, and what follows the last."""

    edges: tuple[int, ...]
    lows: tuple[int, ...]
    """How far back each slice must look."""
    buckets: int = 1

    @property
    def slices(self) -> int:
        return len(self.lows)

    @property
    def parts(self) -> int:
        return self.slices * self.buckets

    @property
    def start(self) -> int:
        return self.edges[0]

    def slice(self, i: int) -> Slice:
        return Slice(self.edges[i], self.edges[i + 1] - 1, i > 0, i < self.slices - 1)


def find_cut(
    prepared: Prepared, facts: DataFrame, until: int | None, buckets: int | None, slices: int | None, cores: int
) -> Cut:
    """The timeline, and a cut that suits the size of the data and the number of cores, unless it is given."""
    job = prepared.job
    first, last, rows = _extent(prepared, facts, until, bool(buckets and slices))
    parts = max(1, min(cores * PARTS_A_CORE, math.ceil(rows / ROWS_A_PART)))
    keyed = job.mode != "whole"
    buckets = (buckets or parts) if keyed else 1
    if slices is None:
        slices = (
            1 if keyed or job.reach is None or job.tuples else min(parts, _most_slices(last - first + 1, job.reach))
        )
    slices = max(1, min(slices, last - first + 1))
    width = math.ceil((last - first + 1) / slices)
    edges = (*range(first, last + 1, width), last + 1)
    return Cut(edges, _lows(job, facts, edges), buckets)


def _most_slices(length: int, reach: int) -> int:
    return max(1, length // max(1, WINDOWS_A_SLICE * reach))


def _extent(prepared: Prepared, facts: DataFrame, until: int | None, sized: bool) -> tuple[int, int, int]:
    """The first and the last time point, and the number of facts; the data are asked only for what is not given."""
    start = prepared.job.start
    if start is not None and until is not None and sized:
        return start, until, 0
    clocks = [source.times() for source in prepared.clocks]
    times = reduce(DataFrame.unionByName, clocks, facts.select("time"))
    row = times.agg(F.min("time"), F.max("time"), F.count("time")).collect()[0]
    first = row[0] if start is None else start
    last = row[1] if until is None else until
    if first is None or last is None:
        raise LaserError("the inputs are empty, so the timeline has no beginning: give start=… and until=…")
    if last < first:
        raise LaserError(f"the timeline would end at {last}, before it begins at {first}")
    return first, last, row[2]


def _lows(job: Job, facts: DataFrame, edges: tuple[int, ...]) -> tuple[int, ...]:
    firsts = edges[:-1]
    by_time = [edges[0] if job.reach is None else max(edges[0], first - job.reach) for first in firsts]
    if not job.tuples or len(firsts) == 1:
        return tuple(by_time)
    if job.mode != "whole":  # each key counts for itself, and one that is seldom heard of may look back to the start
        return (edges[0],) * len(firsts)
    return tuple(map(min, by_time, _times_of_last(job, facts, edges)))


def _times_of_last(job: Job, facts: DataFrame, edges: tuple[int, ...]) -> list[int]:
    """For each slice a time since which so many facts came before it as the largest tuple window counts."""
    within = Window.partitionBy("slice").orderBy(F.desc("time"))
    counts = (
        facts.where((F.col("time") >= edges[0]) & (F.col("time") < edges[-1]))
        .drop("order")
        .distinct()
        .withColumn("slice", _index(F.col("time"), edges[:-1]))
        .groupBy("slice", "time")
        .count()
        .withColumn("later", F.sum("count").over(within))
        .where(F.col("later") - F.col("count") < job.tuples)
    )
    found = [(row["time"], row["count"]) for row in counts.select("time", "count").collect()]
    return [_low(sorted(found, reverse=True), first, job.tuples, edges[0]) for first in edges[:-1]]


def _low(counts: list[tuple[int, int]], first: int, tuples: int, start: int) -> int:
    total = 0
    for time, count in counts:
        if time < first:
            total += count
            if total >= tuples:
                return time
    return start


def _index(time: Column, lows: tuple[int, ...]) -> Column:
    """The last place in an ascending list whose entry is not above a time."""
    listed = F.array(*[F.lit(low).cast("bigint") for low in lows])
    return (F.size(F.filter(listed, lambda low: low <= time)) - 1).cast("int")


def answer_batch(spark: SparkSession, prepared: Prepared, facts: DataFrame, cut: Cut) -> DataFrame:
    """The intervals of all predicates in one table: tag, slots, since, until, cut."""
    job = replace(prepared.job, buckets=cut.buckets)
    return parts_of(spark, job, facts, cut).mapInArrow(_operator(job, cut), output_schema(job))


def output_schema(job: Job) -> str:
    return job.outputs.schema(["tag int"], ["since bigint", "until bigint", "cut boolean"])


def parts_of(spark: SparkSession, job: Job, facts: DataFrame, cut: Cut) -> DataFrame:
    """The facts in their parts, sorted by time, each part opened by a row that names it."""
    within = facts.where((F.col("time") >= cut.start) & (F.col("time") < cut.edges[-1]))
    bucket = bucket_column(cut.buckets) if job.mode != "whole" else F.lit(0)
    if cut.slices > 1 and job.mode in ("lifted", "apart"):
        within = within.unionByName(_first_seen(within, job), allowMissingColumns=True)
    ordered = ["order", "tag", *job.inputs.slots] if job.tuples else []
    columns = ["part", "tag", "time", *job.inputs.slots, *(["order"] if job.tuples else [])]
    placed = within.withColumn("part", _part(bucket, cut, len(job.inputs.shapes))).select(*columns)
    opening = spark.range(cut.parts).select(
        F.col("id").cast("int").alias("part"), F.lit(FIRST).alias("tag"), F.lit(-1).cast("bigint").alias("time")
    )
    united = placed.unionByName(opening, allowMissingColumns=True)
    parts = united.repartitionById(cut.parts, "part").sortWithinPartitions("time", *ordered)
    return parts.drop("order") if job.tuples else parts


def _part(bucket: Column, cut: Cut, key: int) -> Column:
    """The number of the part, or parts, that need a row; one with the tag ``key`` concerns all later slices."""
    if cut.slices == 1:
        return bucket
    home = _index(F.col("time"), cut.edges[:-1])
    last = F.when(F.col("tag") == key, cut.slices - 1).otherwise(_index(F.col("time"), cut.lows))
    return F.explode(F.sequence(bucket * cut.slices + home, bucket * cut.slices + last))


def _first_seen(facts: DataFrame, job: Job) -> DataFrame:
    """Since when each key is known: slices later than its last fact must know it too."""
    slot = job.inputs.shapes[0].slots[0]
    keyed = facts.groupBy("key", slot).agg(F.min("time").alias("time"))
    return keyed.select("key", slot, "time", F.lit(len(job.inputs.shapes)).alias("tag"))


def _operator(job: Job, cut: Cut) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    lifted = cut.slices > 1 and job.mode in ("lifted", "apart")
    layout = _with_keys(job.inputs) if lifted else job.inputs

    def answer(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part, rest = _open(iter(batches))
        if part is None:
            return
        bucket, i = divmod(part, cut.slices)
        yield from answer_slice(job, bucket, cut.start, cut.slice(i), time_points(rest, layout))

    return answer


def _open(batches: Iterator[pa.RecordBatch]) -> tuple[int | None, Iterator[pa.RecordBatch]]:
    """The number of a part, from its first row, and the rest of its rows."""
    for batch in batches:
        if batch.num_rows:
            rest = batch.slice(1)
            return batch.column("part")[0].as_py(), _chained(rest, batches)
    return None, batches


def _chained(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _with_keys(inputs: Layout) -> Layout:
    """The layout with one more shape: a key that is known from before, which travels as a fact of its own."""
    first = inputs.shapes[0]
    seen = Shape(Predicate(SEEN, 1), first.kinds[:1], first.names[:1])
    return Layout((*inputs.shapes, seen))
