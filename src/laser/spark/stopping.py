"""The end of a stream, on request: the micro-batch at hand is written to its end, and the next one is not begun.

Spark's own ``stop`` interrupts whatever runs, in the middle of its writing too. So each micro-batch passes a gate first, which
refuses it once the stream shall end: it is not written and not committed, and the next run on the checkpoint takes it.
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
    """What the micro-batches of one query pass; ``stop`` closes it."""

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
    """Wait for the micro-batch at hand, then stop the query. A Spark that is gone already has nothing to stop."""
    with suppress(Exception):
        while query.isActive and query.status["isTriggerActive"]:
            time.sleep(_POLL)
        query.stop()


def is_alive(spark: SparkSession) -> bool:
    """Whether Spark still takes orders: a signal to all processes of a group ends Java too."""
    with suppress(Exception):
        return spark.sparkContext.defaultParallelism > 0
    return False
