"""How far a run is: who listens, what is counted, and what is said in the end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["PredicateSummary", "ProgressListener", "QueryProgress", "Summary", "watched_tasks"]

_NEVER = "1970-01-01T00:00:00.000Z"
"""The watermark of a stream that has none yet."""


class ProgressListener(Protocol):
    """Who is told how a run goes."""

    def say(self, text: str) -> None: ...
    def parts(self, done: int, total: int, rows: int | None) -> None: ...
    def batch(self, progress: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class PredicateSummary:
    """What held of one predicate: how often, how long in all and at most, in time points."""

    name: str
    times: int
    total: int | None = None
    longest: int | None = None


@dataclass
class Summary:
    """What a run did."""

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
    """How far a query is: each micro-batch is counted once, and announced."""

    query: StreamingQuery
    listener: ProgressListener
    summary: Summary
    dated: bool = False
    """Whether times are dates, so that the watermark can be compared with the clock."""
    seen: int = -1

    def report(self) -> None:
        """Count and announce what is done since the last call."""
        for progress in self.query.recentProgress:
            told = json.loads(progress.json) if hasattr(progress, "json") else dict(progress)
            if told["batchId"] > self.seen:
                self.seen = told["batchId"]
                _count(told, self.summary)
                lag = _lag(told) if self.dated else None
                self.listener.batch(told | {"late": self.summary.late, "rejected": self.summary.rejected, "lag": lag})


def _lag(progress: dict[str, Any]) -> float | None:
    """How many seconds the answers are behind the clock; None before there are any."""
    watermark = datetime.fromisoformat((progress.get("eventTime") or {}).get("watermark", _NEVER))
    if watermark <= datetime.fromisoformat(_NEVER):
        return None
    return (datetime.fromisoformat(progress["timestamp"]) - watermark).total_seconds()


def _count(progress: dict[str, Any], summary: Summary) -> None:
    summary.batches += 1
    observed = [_as_dict(value) for value in progress.get("observedMetrics", {}).values()]
    summary.rows += sum(int(one.get("rows") or 0) for one in observed)
    summary.rejected += sum(int(one.get("rejected") or 0) for one in observed)


def _as_dict(value: Any) -> dict[str, Any]:
    return dict(value.asDict() if hasattr(value, "asDict") else value)
