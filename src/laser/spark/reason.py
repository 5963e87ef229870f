"""The one function of this room: DataFrames in, DataFrames out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from laser.errors import LaserError
from laser.settings import DEFAULT_LIMIT
from laser.spark.answers import Answers, keep, whole_intervals
from laser.spark.batch import answer_batch, find_cut
from laser.spark.prepare import Prepared, Wanted, prepare
from laser.spark.sources import Input, read_sources
from laser.syntax.program import Program
from laser.ticks import Tick, check_time
from laser.values.facts import FactInput

__all__ = ["reason"]


def reason(  # noqa: PLR0913 - a pipeline has this many sides, and each has a default
    program: Program | str,
    inputs: Mapping[str, DataFrame | Input],
    *,
    time: str | tuple[str, str] | None = None,
    tick: str | Tick = "1 s",
    key: str | bool | None = None,
    background: Mapping[str, DataFrame] | Iterable[FactInput] = (),
    constants: Mapping[str, Any] | None = None,
    start: int | str | datetime | None = None,
    until: int | str | datetime | None = None,
    order: str | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    mixed: bool = False,
    buckets: int | None = None,
    slices: int | None = None,
    lateness: str | int = 0,
    unbounded: bool = False,
    limit: int = DEFAULT_LIMIT,
) -> Answers:
    """The answers of a program, for static DataFrames as intervals and for streaming ones as changes.

    ``inputs`` has a DataFrame, or an Input that says more about it, for each predicate that streams in. ``time`` is the column
    of the time, a timestamp or an integer. ``key`` names the column by which the stream is divided; where the program does not
    know it, the program is lifted over it; False forbids to divide. ``buckets`` and ``slices`` override how many parts there
    are. Of streams, ``lateness`` is how long facts may come after later ones, and ``unbounded`` the consent to a state that
    grows for ever.
    """
    tick = Tick.parse(tick)
    sources = read_sources(inputs, time, tick, order)
    wanted = Wanted(
        program, key, background, dict(constants or {}), tick, _point(start, tick), mixed, dict(columns or {}), limit
    )
    prepared = prepare(wanted, sources)
    streaming = {source.table.isStreaming for source in sources}
    if len(streaming) > 1:
        raise LaserError("some inputs are streams and others are not: give what does not stream as background")
    if streaming == {True}:
        from laser.spark.stream import answer_stream

        if until is not None or slices is not None:
            raise LaserError("a stream has no end and no slices: until and slices are for static DataFrames")
        return answer_stream(prepared, buckets, lateness, unbounded)
    return _batch(prepared, _point(until, tick), buckets, slices)


def _batch(prepared: Prepared, until: int | None, buckets: int | None, slices: int | None) -> Answers:
    job = prepared.job
    facts = facts_of(prepared)
    spark = facts.sparkSession
    cut = find_cut(prepared, facts, until, buckets, slices, cores_of(spark))
    table = answer_batch(spark, prepared, facts, cut)
    kept = keep(table) if cut.slices > 1 or len(job.outputs.shapes) > 1 else None
    told = f"{prepared.why}; {cut.buckets} bucket{'s' * (cut.buckets > 1)}, {cut.slices} slice{'s' * (cut.slices > 1)} of time"
    return Answers(prepared, whole_intervals(job, table if kept is None else kept, cut.slices), told, kept=kept)


def facts_of(prepared: Prepared) -> DataFrame:
    """The facts of all inputs in one table."""
    ordered = bool(prepared.job.tuples)
    tables = [s.facts(prepared.job.inputs, prepared.keys.get(s.predicate), ordered) for s in prepared.sources]
    if not tables:
        raise LaserError("the program reads none of the inputs: are their names those of its predicates?")
    return reduce(DataFrame.unionByName, tables)


def cores_of(spark: SparkSession) -> int:
    """How many parts can be worked on at once."""
    return max(1, spark.sparkContext.defaultParallelism)


def _point(given: int | str | datetime | None, tick: Tick) -> int | None:
    if given is None:
        return None
    if isinstance(given, datetime):
        return tick.from_datetime(given)
    return tick.from_text(given) if isinstance(given, str) else check_time(given)
