"""The end of a finite stream: a declaration from outside that no more facts come up to a time.

Answers wait for the watermark, and the watermark waits for later rows, so the last time points of a stream that has ended stay
unanswered. Spark has no way to declare the end of a stream. So every input has a small second source, a directory in the
checkpoint: a row that is written there moves the watermark of all inputs like a row of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError, StateError
from laser.spark.checkpoint import read_heads
from laser.spark.job import Job
from laser.spark.store import NOWHERE, Head
from laser.ticks import Tick

__all__ = ["End", "Flush", "event_time", "flush_of", "flush_stream"]

_SCHEMA = "until bigint"


class End(StrEnum):
    """Where a stream ends, if not at a given time."""

    LAST = "last"
    """At the last row so far."""
    CLOSED = "closed"
    """So much later that all time windows over the last row have closed."""


@dataclass(frozen=True)
class Flush:
    """The directory that tells a stream how far it is complete."""

    spark: SparkSession
    checkpoint: str

    @property
    def place(self) -> str:
        return f"{self.checkpoint}/flush"

    def exists(self) -> bool:
        try:
            self.spark.read.schema(_SCHEMA).json(self.place)
        except AnalysisException:
            return False
        return True

    def write(self, *times: int) -> None:
        """Declare all time points up to each of these complete; without any, only create the directory."""
        rows = self.spark.createDataFrame([(time,) for time in times], _SCHEMA)
        rows.coalesce(1).write.mode("append").json(self.place)

    def times(self) -> DataFrame:
        """The stream of declarations; each input needs its own."""
        return self.spark.readStream.schema(_SCHEMA).json(self.place)


def flush_of(spark: SparkSession, checkpoint: str, asked: bool, heads: list[Head]) -> Flush | None:
    """The flush of a stream, if it is requested, or was when its checkpoint was made: Spark does not add sources later."""
    if not checkpoint:
        if asked:
            raise LaserError("flush needs the directory of the checkpoint: give checkpoint=… too")
        return None
    found = Flush(spark, checkpoint)
    if found.exists():
        return found
    if not asked:
        return None
    if heads:
        raise StateError(
            "the checkpoint was made without flush, which cannot be added later: begin with a new checkpoint"
        )
    found.write()
    return found


def event_time(tick: Tick, lateness: int) -> Column:
    """The event time that moves the watermark past the time points up to a row's; the lateness is in microseconds."""
    micros = F.lit(tick.duration.micros).cast("bigint")
    passed = F.ceil((F.col("until") + 1) * micros / 1000)  # watermarks are in milliseconds
    return F.timestamp_millis(passed + lateness // 1000)


def _time_of(end: End, heads: list[Head], job: Job) -> int:
    """The time point at which a stream ends, from its last row."""
    highest = max((head.highest for head in heads), default=NOWHERE)
    if highest == NOWHERE:
        raise StateError("there is nothing to flush: the stream of this checkpoint has not had a row yet")
    match end:
        case End.LAST:
            return highest
        case End.CLOSED if job.reach.ticks is None:
            raise LaserError(
                "the program looks back over its whole history, so its windows never close: flush up to a time"
            )
        case End.CLOSED:
            return highest + (job.reach.ticks or 0) + 1
        case _:
            assert_never(end)


def flush_stream(flush: Flush | None, job: Job, until: int | End) -> int:
    """Declare that no more facts come up to a time point. Returns the time point."""
    if flush is None:
        raise LaserError("only a stream that was made with flush=True can be flushed")
    time = _time_of(until, read_heads(flush.spark, flush.checkpoint), job) if isinstance(until, End) else until
    flush.write(time)
    return time
