"""The metrics of micro-batches: read from the progress that Spark reports, for the log, for callbacks and for Prometheus."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery

from laser.phrases import count
from laser.spark.observe import WORK
from laser.spark.sources import ROWS

__all__ = ["BatchMetrics", "Meter", "MetricsListener", "Receiver", "metrics_of", "pass_on"]

log = logging.getLogger("laser.spark")
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00.000Z")
"""The watermark of a stream that has none yet."""


@dataclass(frozen=True, kw_only=True)
class BatchMetrics:
    """The numbers of one micro-batch; those of a stream's state are as of its end."""

    query: str
    """The name of the query, or its id if it has no name."""
    batch: int
    began: datetime
    seconds: float
    """How long the micro-batch took."""
    rows: int
    """Input rows; `rejected` is the number of those that do not fit."""
    rejected: int
    facts: int
    """Facts that arrived in time. `late` is the number of those that came after the watermark had passed them."""
    selected: int
    """Facts among those in time that can matter to the rules; no others are kept."""
    late: int
    changes: int
    """What began or ended to hold."""
    kept: int
    """Facts in the state."""
    waiting: int
    """Facts among them that wait for the watermark."""
    keys: int
    """Keys that a lifted program has seen; it never forgets them."""
    rebuilt: int
    """Reasoners that were rebuilt from the state: after a restart, or on another worker."""
    reasoning: float
    """Seconds within reasoners, summed over all parts; `operator` adds the access to the state and conversions."""
    operator: float
    watermark: datetime | None
    """Time points before it are answered; None before there is one."""
    lag: float | None
    """How many seconds the watermark is behind the clock; None if times are numbers, or there is no watermark yet."""
    behind: float | None
    """How many seconds the watermark is behind the newest row of the micro-batch; None if there is no row or no watermark."""
    state_bytes: int
    """Memory of Spark's state store."""

    def __str__(self) -> str:
        """One line, for logs."""
        rate = self.rows / self.seconds if self.seconds else 0.0
        watermark = "none" if self.watermark is None else self.watermark.isoformat().replace("+00:00", "Z")
        lag = "" if self.lag is None else f", {self.lag:,.0f} s behind the clock"
        rebuilt = f", rebuilt {count(self.rebuilt, 'reasoner')}" if self.rebuilt else ""
        return (
            f"batch {self.batch}: {count(self.rows, 'row')}, {rate:,.0f} rows/s, {self.seconds * 1000:,.0f} ms "
            f"({self.reasoning * 1000:,.0f} reasoning), {count(self.changes, 'change')}, watermark {watermark}{lag}, "
            f"keeps {count(self.kept, 'fact')}{rebuilt}, late {self.late:,}, rejected {self.rejected:,}"
        )


Receiver = Callable[[BatchMetrics], None]


@dataclass
class Meter:
    """Reads the reports of one query, in their order. A part that is not called in a micro-batch keeps what it had, so the meter remembers it."""

    levels: dict[tuple[str, int], Mapping[str, int]] = field(default_factory=dict)

    def read(self, progress: Mapping[str, Any]) -> BatchMetrics | None:
        """The metrics in a report; None if the query is not one of ours."""
        observed: Mapping[str, Mapping[str, Any]] = progress.get("observedMetrics") or {}
        work = {name: found for name, found in observed.items() if name.startswith(WORK)}
        if not work:
            return None
        for name, found in work.items():
            self.levels |= {(name, level["bucket"]): level for level in found.get("levels") or ()}
        inputs = [found for name, found in observed.items() if name.startswith(ROWS)]
        dated = any(found.get("dated") for found in work.values())
        event = progress.get("eventTime") or {}
        began, watermark = datetime.fromisoformat(progress["timestamp"]), _watermark(event)
        newest = datetime.fromisoformat(event["max"]) if "max" in event else None
        return BatchMetrics(
            query=progress.get("name") or progress["id"],
            batch=progress["batchId"],
            began=began,
            seconds=_total([progress.get("durationMs") or {}], "triggerExecution") / 1000,
            rows=_total(inputs, "rows"),
            rejected=_total(inputs, "rejected"),
            **{name: _total(work.values(), name) for name in ("facts", "selected", "late", "changes", "rebuilt")},
            **{name: _total(self.levels.values(), name) for name in ("kept", "waiting", "keys")},
            reasoning=_total(work.values(), "reasoning") / 1e9,
            operator=_total(work.values(), "busy") / 1e9,
            watermark=watermark,
            lag=_seconds(began, watermark) if dated else None,
            behind=_seconds(newest, watermark),
            state_bytes=_total(progress.get("stateOperators") or (), "memoryUsedBytes"),
        )


def _total(parts: Iterable[Mapping[str, Any]], name: str) -> int:
    return sum(int(part.get(name) or 0) for part in parts)


def _watermark(event: Mapping[str, str]) -> datetime | None:
    found = datetime.fromisoformat(event["watermark"]) if "watermark" in event else _EPOCH
    return found if found > _EPOCH else None


def _seconds(later: datetime | None, earlier: datetime | None) -> float | None:
    return None if later is None or earlier is None else (later - earlier).total_seconds()


def metrics_of(query: StreamingQuery) -> list[BatchMetrics]:
    """The metrics of the micro-batches that Spark remembers of a query, the last hundred if nothing else is set."""
    meter = Meter()
    read = [meter.read(json.loads(progress.json)) for progress in query.recentProgress]
    return [metrics for metrics in read if metrics is not None]


class MetricsListener(StreamingQueryListener):
    """Logs the metrics of every micro-batch (logger ``laser.spark``) and passes them to receivers.

    For ``spark.streams.addListener``; queries without a reasoner are ignored. Receivers are called on a thread of Spark's, one micro-batch
    after the other.
    """

    def __init__(self, *receivers: Receiver) -> None:
        self._receivers = receivers
        self._meters: dict[str, Meter] = {}

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802 - Spark's name
        """Nothing to do; Spark requires it."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802 - Spark's name
        meter = self._meters.setdefault(str(event.progress.runId), Meter())
        metrics = meter.read(json.loads(event.progress.json))
        if metrics is not None:
            pass_on(metrics, self._receivers)

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802 - Spark's name
        """Nothing to do; Spark requires it."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802 - Spark's name
        self._meters.pop(str(event.runId), None)


def pass_on(metrics: BatchMetrics, receivers: Iterable[Receiver]) -> None:
    """Log the metrics of a micro-batch, and give them to those who asked."""
    log.info("%s: %s", metrics.query, metrics)
    for receive in receivers:
        receive(metrics)
