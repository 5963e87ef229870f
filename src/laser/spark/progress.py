"""The progress of a run: listeners, counters, and the summary."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from laser.spark.metrics import BatchMetrics, Meter, Receiver, pass_on

__all__ = ["PredicateSummary", "ProgressListener", "QueryProgress", "Summary", "watched_tasks"]


class ProgressListener(Protocol):
    """Receives reports about a run."""

    def say(self, text: str) -> None: ...
    def parts(self, done: int, total: int, rows: int | None) -> None: ...
    def batch(self, metrics: BatchMetrics, so_far: Summary) -> None: ...


@dataclass(frozen=True)
class PredicateSummary:
    """When atoms of one predicate held: how often, how long in total and at most, in time points."""

    name: str
    times: int
    total: int | None = None
    longest: int | None = None


@dataclass
class Summary:
    """The results of a run."""

    rows: int = 0
    rejected: int = 0
    late: int = 0
    seconds: float = 0.0
    batches: int = 0
    held: list[PredicateSummary] = field(default_factory=list)
    cut: str = ""


@contextmanager
def watched_tasks(spark: SparkSession, listener: ProgressListener, rows: int) -> Iterator[None]:
    """Tell a listener how many tasks are done while the body runs."""
    done = threading.Event()

    def watch() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not done.wait(0.5):
            with suppress(Exception):
                stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
                known = [stage for stage in stages if stage is not None]
                if known:
                    listener.parts(sum(s.numCompletedTasks for s in known), sum(s.numTasks for s in known), rows)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@dataclass
class QueryProgress:
    """How far a query is: each micro-batch is counted once, logged and announced."""

    query: StreamingQuery
    listener: ProgressListener
    summary: Summary
    receivers: Sequence[Receiver] = ()
    meter: Meter = field(default_factory=Meter)
    seen: int = -1

    def report(self) -> None:
        """Count and announce the work since the last call."""
        for progress in self.query.recentProgress:
            report = json.loads(progress.json) if hasattr(progress, "json") else dict(progress)
            if report["batchId"] > self.seen:
                self.seen = report["batchId"]
                metrics = self.meter.read(report)
                if metrics is not None:
                    self._announce(metrics)

    def _announce(self, metrics: BatchMetrics) -> None:
        self.summary.batches += 1
        self.summary.rows += metrics.rows
        self.summary.rejected += metrics.rejected
        pass_on(metrics, self.receivers)
        self.listener.batch(metrics, self.summary)
