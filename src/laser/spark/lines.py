"""Lines of a stream as a table: workers parse them with the parser of ``laser eval``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from laser.io.formats.format import LineFormat
from laser.io.lines import Line
from laser.io.records import Item, Malformed, Record, records_of
from laser.spark.sources import REASON, ROW, Input
from laser.ticks import Tick
from laser.values import Predicate, write_value

__all__ = ["read_lines"]

SAMPLE = 1000
"""The number of lines that are read to see whether times are dates."""

Row = dict[str, Any]


def read_lines(
    spark: SparkSession, path: str, predicate: Predicate, form: LineFormat, tick: Tick, follow: bool
) -> Input:
    """The facts of one predicate in the lines of files; times are dates if the first record has one."""
    first = spark.read.text(path).take(SAMPLE)
    records = (item for row in first for item in _items(form, row.value, tick) if isinstance(item, Record))
    reader = Reader(form, predicate, tick, any(record.iso for record in [*records][:1]))
    lines = (spark.readStream if follow else spark.read).text(path)
    return Input(lines.mapInArrow(reader.read, reader.schema), reader.args, "time", None, frozenset(reader.args))


def _items(form: LineFormat, line: str, tick: Tick) -> Iterator[Item]:
    """Each line is read separately, because workers see the lines of files in no order."""
    return records_of(form.read_lines([Line(0, line)], form.parser(tick)))


@dataclass(frozen=True)
class Reader:
    """What a worker needs to convert lines to rows."""

    form: LineFormat
    predicate: Predicate
    tick: Tick
    dated: bool

    @property
    def args(self) -> list[str]:
        return [f"arg{i + 1}" for i in range(self.predicate.arity)]

    @property
    def schema(self) -> str:
        """The columns, in Spark's notation."""
        time = "timestamp" if self.dated else "bigint"
        return ", ".join([f"time {time}", *(f"{column} string" for column in (*self.args, REASON, ROW))])

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        time = pa.timestamp("us", tz="UTC") if self.dated else pa.int64()
        schema = pa.schema([("time", time), *((column, pa.string()) for column in (*self.args, REASON, ROW))])
        for batch in batches:
            rows = [row for line in batch.column("value").to_pylist() for row in self._rows(line)]
            yield pa.RecordBatch.from_pylist(rows, schema)

    def _rows(self, line: str) -> Iterator[Row]:
        for item in _items(self.form, line, self.tick):
            if isinstance(item, Malformed):
                yield {REASON: item.reason, ROW: line}
                continue
            for fact in item.facts:
                if fact.signature == self.predicate:
                    args = dict(zip(self.args, map(write_value, fact.args), strict=True))
                    yield {**self._time(item.time), **args, ROW: line}

    def _time(self, time: int) -> Row:
        try:
            return {"time": self.tick.to_datetime(time) if self.dated else time}
        except OverflowError:
            return {REASON: f"time {time} lies beyond the calendar"}
