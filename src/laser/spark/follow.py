"""Runs a pipeline that follows streams: its queries, their progress, and their end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from laser.errors import StateError
from laser.pipeline import Pipeline
from laser.spark.answers import Answers
from laser.spark.checkpoint import Checkpoint
from laser.spark.metrics import Receiver
from laser.spark.named_sinks import check_predicates
from laser.spark.progress import PredicateSummary, ProgressListener, QueryProgress, Summary
from laser.spark.sink import Sink, stream_writer
from laser.spark.sinks import batch_writer, reject_writer
from laser.spark.stopping import Gate, end_after_batch, is_alive
from laser.ticks import SECOND, read_length

__all__ = ["Watchers", "checkpoint_of", "follow"]

Write = Callable[[DataFrame, int], None]
Sinks = Sequence[tuple[Sink, Sequence[str]]]
"""Sinks with the predicates of each."""


@dataclass(frozen=True)
class _Follower:
    """A running query, with the gate for its micro-batches."""

    spark: SparkSession
    query: StreamingQuery
    gate: Gate

    def has_ended(self) -> bool:
        """Wait for a second at most. Raises the query's failure, unless the query is about to end: then ``end`` raises it."""
        try:
            return bool(self.query.awaitTermination(1))
        except Exception:
            if self.gate.stop.is_set():
                return True
            raise

    def end(self) -> None:
        """End after the current micro-batch; raises its failure."""
        end_after_batch(self.query)
        with suppress(Py4JError, OSError):  # the signal that ends us may have ended Spark, too
            failure = self.query.exception()
            if failure is not None and not self.gate.refused.is_set() and is_alive(self.spark):
                raise failure


@dataclass(frozen=True)
class Watchers:
    """Who is informed about a stream: people by the listener, monitoring by the receivers; ``stop`` asks the stream to end."""

    listener: ProgressListener
    stop: threading.Event
    receivers: Sequence[Receiver] = ()


def follow(pipeline: Pipeline, answers: Answers, sinks: Sinks, watchers: Watchers) -> Summary:
    """Write the answers of streams until they end or ``stop`` is set. Returns a summary."""
    listener, stop = watchers.listener, watchers.stop
    check_predicates(pipeline.sinks, answers)
    summary = Summary()
    held: dict[str, int] = dict.fromkeys(answers, 0)
    spark = answers.table.sparkSession
    checkpoint, aside = (Checkpoint(spark, checkpoint_of(pipeline, name)) for name in ("answers", "rejects"))
    to_sinks = stream_writer(sinks, answers.changes)
    write = _noted(checkpoint, batch_writer(pipeline, answers, summary, held, to_sinks, checkpoint))
    followers = [_start(answers.table, write, pipeline, "answers", stop)]
    if pipeline.rejects:
        followers.append(_start(answers.rejects, reject_writer(pipeline.rejects, aside), pipeline, "rejects", stop))
    progress = QueryProgress(followers[0].query, listener, summary, watchers.receivers)
    _finish(followers, progress, pipeline.every == "once", stop)
    if pipeline.flush and not stop.is_set() and _flushed(pipeline, answers, listener):
        rest = _start(answers.table, write, pipeline, "answers", stop)
        _finish([rest], replace(progress, query=rest.query), True, stop)
    summary.held = [PredicateSummary(name, count) for name, count in held.items()]
    return summary


def _noted(checkpoint: Checkpoint, write: Write) -> Write:
    """Note each micro-batch before it is written: rules cannot be changed if one may be half written."""

    def write_noted(rows: DataFrame, batch: int) -> None:
        checkpoint.note_batch(batch)
        write(rows, batch)

    return write_noted


def _finish(followers: list[_Follower], progress: QueryProgress, all_of_them: bool, stop: threading.Event) -> None:
    """Wait for the end, and stop all queries."""
    try:
        _await(followers, progress, all_of_them, stop)
    finally:
        for each in followers:
            with suppress(Exception):
                each.query.stop()
    with suppress(Exception):
        progress.report()


def _flushed(pipeline: Pipeline, answers: Answers, listener: ProgressListener) -> bool:
    """Declare how far the stream is complete, if anything has arrived."""
    try:
        time = answers.flush(pipeline.flush)
    except StateError as nothing:
        listener.say(str(nothing))
        return False
    tick = answers.prepared.job.settings.tick
    listener.say(f"nothing more will come up to {tick.to_text(time) if answers.prepared.dated else time}")
    return True


def _await(followers: list[_Follower], progress: QueryProgress, all_of_them: bool, stop: threading.Event) -> None:
    """Wait for the end of the answers, of all queries if they end by themselves, or for the request to stop."""
    for each in followers if all_of_them else followers[:1]:
        while not stop.is_set() and not each.has_ended():
            progress.report()
    if stop.is_set():
        for each in followers:
            each.end()


def checkpoint_of(pipeline: Pipeline, name: str) -> str:
    """The checkpoint of one of the queries of a pipeline."""
    return f"{pipeline.checkpoint}/{name}"


def _start(table: DataFrame, write: Write, pipeline: Pipeline, name: str, stop: threading.Event) -> _Follower:
    """Start a query; ``once`` processes the data that are there and ends, a duration is the time between micro-batches."""
    gate = Gate(stop)
    writer: Any = table.writeStream.foreachBatch(gate.before(write))
    writer = writer.option("checkpointLocation", checkpoint_of(pipeline, name))
    title = Path(pipeline.program).stem if name == "answers" else f"{Path(pipeline.program).stem} {name}"
    if title not in [query.name for query in table.sparkSession.streams.active]:  # names of active queries are unique
        writer = writer.queryName(title)
    if pipeline.every == "once":
        writer = writer.trigger(availableNow=True)
    elif pipeline.every:
        writer = writer.trigger(processingTime=_interval(pipeline.every))
    return _Follower(table.sparkSession, writer.start(), gate)


def _interval(every: str) -> str:
    """A duration of the user, in Spark's notation."""
    return f"{int(read_length(every, SECOND, 'every') * 1000)} milliseconds"
