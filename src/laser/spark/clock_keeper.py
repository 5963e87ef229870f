"""Moves the hands of clocks: a thread of the driver that sees which inputs of a query pause.

An input pauses from the end of the last micro-batch that had rows of it. It is known to pause still when Spark looked for rows
and found none: at the beginning of a later micro-batch without its rows, or now, while the query waits. A clock is never ahead
of such a moment. So a long micro-batch, or a start with a backlog, does not look like a pause.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from laser.spark.clock import SEAT, Clock, Hands
from laser.spark.sources import rows_metric
from laser.spark.stopping import is_alive

__all__ = ["Pauses", "keep_clock"]

_LOOKS = 2
"""The number of looks per step of a hand."""


@dataclass
class Pauses:
    """Since when the inputs of a query pause, and the resulting hands; times in microseconds."""

    idle: int
    step: int
    last: dict[str, int]
    """When a row of each input last arrived, or may have arrived."""
    hands: Hands = field(default_factory=dict)

    def busy(self, now: int) -> None:
        """Note that it is not known which inputs have rows."""
        self.last = dict.fromkeys(self.last, now)

    def batch(self, began: int, ended: int, rows: Mapping[str, int]) -> None:
        """Note a micro-batch that has ended, with its number of rows of some inputs."""
        for name in self.last:
            if rows.get(name):
                self.last[name] = ended
            else:
                self._look(name, began)

    def nothing(self, now: int) -> None:
        """Note that no input has new rows."""
        for name in self.last:
            self._look(name, now)

    def _look(self, name: str, now: int) -> None:
        if now - self.last[name] >= self.idle and now - self.hands.get(name, 0) >= self.step:
            self.hands[name] = now


@dataclass
class _Watch:
    """A query with a clock, and which of its reports have been read."""

    query: Any
    clock: Clock
    pauses: Pauses
    seen: str = ""
    """The last micro-batch whose progress is known."""
    seat: str = ""
    """The source that serves the query, as soon as an offset shows it."""
    pointed: Hands = field(default_factory=dict)

    def look(self, now: int) -> None:
        status = self.query.status
        for told in self._unseen():
            self._sit(told)
            began = _micros(told["timestamp"])
            ended = began + 1000 * int(told["durationMs"].get("triggerExecution", 0))
            self.pauses.batch(began, ended, _rows(told, self.clock.inputs))
        if not self.seen and not _waits(status):
            self.pauses.busy(now)
        elif _waits(status) and not status["isDataAvailable"]:
            self.pauses.nothing(now)
        if self.seat and self.pauses.hands != self.pointed:
            self.clock.point_to(self.seat, self.pauses.hands)
            self.pointed = dict(self.pauses.hands)

    def _sit(self, told: Mapping[str, Any]) -> None:
        """Note the source of the query, or that it has changed."""
        offsets = [source.get("endOffset") for source in told.get("sources") or []]
        seats = [offset[SEAT] for offset in offsets if isinstance(offset, dict) and SEAT in offset]
        if seats and seats[0] != self.seat:
            self.seat, self.pointed = seats[0], {}

    def _unseen(self) -> list[dict[str, Any]]:
        """Spark's reports of the micro-batches that have ended since the last look."""
        fresh = []
        for progress in reversed(self.query._jsq.recentProgress()):  # each is a call to Java, so only new ones are read
            if _name_of(progress) == self.seen:
                break
            fresh.append(progress)
        if fresh:
            self.seen = _name_of(fresh[0])
        return [json.loads(progress.json()) for progress in reversed(fresh)]


def _name_of(progress: Any) -> str:
    return f"{progress.batchId()} {progress.timestamp()}"


def _waits(status: Mapping[str, Any]) -> bool:
    """Whether a query has looked for rows and waits; it may also have just begun."""
    return bool(status["message"].startswith("Waiting") and not status["isTriggerActive"])


def _rows(told: Mapping[str, Any], inputs: tuple[str, ...]) -> dict[str, int]:
    """The number of rows of each input; an input without new rows is not in the plan of a micro-batch."""
    observed = told.get("observedMetrics") or {}
    return {name: int((observed.get(rows_metric(name)) or {}).get("rows") or 0) for name in inputs}


def _micros(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000)


class _Keeper(threading.Thread):
    """One thread per session; it ends with the session."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(name="laser-clock", daemon=True)
        self._spark = spark
        self._clocks: dict[str, Clock] = {}
        self._watches: dict[str, _Watch | None] = {}

    def add(self, clock: Clock) -> None:
        self._clocks[clock.name] = clock

    def run(self) -> None:
        while is_alive(self._spark):
            with suppress(Exception):  # a query that ends while we look at it
                self._round()
            time.sleep(min(clock.step for clock in self._clocks.values()) / 1_000_000 / _LOOKS)

    def _round(self) -> None:
        now = time.time_ns() // 1000
        active = {str(query.runId): query for query in self._spark.streams.active}
        self._watches = {run: watch for run, watch in self._watches.items() if run in active}
        for run, query in active.items():
            if run not in self._watches:
                self._watches[run] = self._watch(query, now)
            watch = self._watches[run]
            if watch is not None:
                watch.look(now)

    def _watch(self, query: StreamingQuery, now: int) -> _Watch | None:
        """A query that has one of our clocks among its sources; None if it has none."""
        plan = query._jsq.streamingQuery().analyzedPlan().toString()
        found = next((clock for name, clock in self._clocks.items() if name in plan), None)
        if found is None:
            return None
        return _Watch(query, found, Pauses(found.idle, found.step, dict.fromkeys(found.inputs, now)))


_KEEPERS: WeakKeyDictionary[SparkSession, _Keeper] = WeakKeyDictionary()


def keep_clock(spark: SparkSession, clock: Clock) -> None:
    """Move the hands of a clock as long as its session lives."""
    keeper = _KEEPERS.get(spark)
    if keeper is None or not keeper.is_alive():
        keeper = _KEEPERS[spark] = _Keeper(spark)
        keeper.add(clock)
        keeper.start()
    keeper.add(clock)
