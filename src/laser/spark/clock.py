"""A clock beside the inputs of a stream, so that time goes on when they pause.

Answers wait for the watermark, and the watermark waits for later rows: if no rows arrive, silence is never reported. So each
input is united with rows of a clock before its watermark is computed. The driver (``clock_keeper``) keeps the hands of the clock
in a file. This source reports their position to Spark as its offset, which Spark writes to the checkpoint before a micro-batch
begins; so a repeated batch has the same hands, whatever the clock says by then.

One table may feed several queries, and one of them may be far behind. So each query has its own hands: the source that serves
it is identified by its *seat*, a name that it chooses and that is part of its offsets, where the driver finds it.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from laser.errors import LaserError
from laser.io.atomic import write_whole
from laser.ticks import Tick

__all__ = ["SEAT", "Clock", "Hands"]

Hands = dict[str, int]
"""For each input, the time up to which it is complete, before the lateness is subtracted, in microseconds since 1970."""
Offset = dict[str, Any]
"""Hands, and the seat of the source that reported them."""
SEAT = "seat"
STEPS = 4
"""The number of moves of the hands during the allowed pause of an input."""
LEAST_STEP = 1_000_000
"""The shortest move in microseconds: each costs a micro-batch, or two."""


@dataclass(frozen=True)
class Clock:
    """The clock of one stream: the name of its data source in Spark, its inputs, and how long they may pause."""

    name: str
    place: Path
    inputs: tuple[str, ...]
    idle: int
    step: int

    @classmethod
    def make(cls, inputs: Sequence[str], idle: int, tick: Tick) -> Clock:
        """A clock whose hands have not moved yet; only this user can read its file."""
        if not hasattr(
            DataSourceStreamReader, "reportLatestOffset"
        ):  # the same version introduced the argument `start` of `latestOffset`
            raise LaserError("idle needs PySpark 4.2 or later: pip install --upgrade pyspark")
        directory = Path(tempfile.mkdtemp(prefix="laser-clock-"))
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        step = max(idle // STEPS, tick.duration.micros, LEAST_STEP)
        return cls(f"laser_clock_{uuid.uuid4().hex}", directory, tuple(inputs), idle, step)

    def point_to(self, seat: str, hands: Mapping[str, int]) -> None:
        with write_whole(_file(self.place, seat)) as file:
            json.dump(hands, file)

    def table(self, spark: SparkSession) -> DataFrame:
        """The moves of the hands as a stream: the input, and the time in microseconds."""
        spark.dataSource.register(type(self.name, (ClockSource,), {"name": classmethod(lambda cls: self.name)}))
        return spark.readStream.format(self.name).option("place", str(self.place)).load()

    @staticmethod
    def moment() -> Column:
        """The event time of a row."""
        return F.timestamp_micros(F.col("now"))


def _file(place: Path, seat: str) -> Path:
    return place / f"{seat}.json"


class ClockSource(DataSource):
    """The hands of a clock as a data source of Spark."""

    def schema(self) -> str:
        return "input string, now bigint"

    def streamReader(self, schema: Any) -> ClockReader:  # noqa: N802 - Spark's name
        return ClockReader(Path(self.options["place"]))


class ClockReader(DataSourceStreamReader):
    """Offsets are hands; the rows between two offsets are the last positions of the hands that moved."""

    def __init__(self, place: Path) -> None:
        self._place, self._seat = place, uuid.uuid4().hex

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's name
        return {}

    def latestOffset(self, start: Offset, limit: Any) -> Offset:  # noqa: N802 - Spark's name
        """Hands never go back, even if another driver had moved them further."""
        try:
            hands: Hands = json.loads(_file(self._place, self._seat).read_text("utf-8"))
        except FileNotFoundError:
            hands = {}
        before = _hands(start)
        return {name: max(before.get(name, 0), hands.get(name, 0)) for name in sorted({*before, *hands})} | {
            SEAT: self._seat
        }

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        moved = [(name, now) for name, now in _hands(end).items() if now != start.get(name)]
        return [InputPartition(moved)] if moved else []

    def read(self, partition: InputPartition) -> Iterator[tuple[str, int]]:
        yield from partition.value

    def commit(self, end: Offset) -> None:
        pass

    def stop(self) -> None:
        _file(self._place, self._seat).unlink(missing_ok=True)


def _hands(offset: Offset) -> Hands:
    return {name: now for name, now in offset.items() if name != SEAT}
