"""Ends a stream on request: the current micro-batch is written completely, and the next one is not begun.

Spark's own ``stop`` interrupts everything, even in the middle of writing. So each micro-batch passes a gate first, which refuses
it once the stream is to end: it is neither written nor committed, and the next run on the checkpoint processes it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Gate", "end_after_batch", "is_alive"]

_POLL = 0.05
"""Seconds between two looks at a query that is about to end."""


class GateClosedError(Exception):
    """A micro-batch came after the request to end."""


@dataclass(frozen=True)
class Gate:
    """The gate for the micro-batches of one query; ``stop`` closes it."""

    stop: threading.Event
    refused: threading.Event = field(default_factory=threading.Event)

    def before(self, write: Callable[[DataFrame, int], None]) -> Callable[[DataFrame, int], None]:
        """A function for ``foreachBatch`` that passes the gate first."""

        def write_if_open(rows: DataFrame, batch: int) -> None:
            if self.stop.is_set():
                self.refused.set()
                raise GateClosedError("the stream ends before this micro-batch, on request")
            write(rows, batch)

        return write_if_open


def end_after_batch(query: StreamingQuery) -> None:
    """Wait for the current micro-batch, then stop the query. If Spark is already gone, there is nothing to stop."""
    with suppress(Exception):
        while query.isActive and query.status["isTriggerActive"]:
            time.sleep(_POLL)
        query.stop()


def is_alive(spark: SparkSession) -> bool:
    """Whether Spark still responds: a signal to a whole process group also ends Java."""
    with suppress(Exception):
        return spark.sparkContext.defaultParallelism > 0
    return False
