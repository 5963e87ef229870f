"""What a micro-batch costs on Spark, and what of it is ours: ``python -m laser.bench.spark_latency``.

Four streams with the same rows: Spark's operator alone, our plan with an operator that does nothing, our operator, and ``foreachBatch`` with the
writer of ``laser run``. They take turns, so that all of them see the same machine. Besides the time, the CPU time of all processes is
shown, which depends less on what else the machine does.

Then rows arrive by the clock, so many a second, and each micro-batch takes those that have arrived since the last one: the medians and 99th percentiles of the
micro-batches, beside the operator that does nothing.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from laser.bench.spark_rates import Nothing, arrow_schema, family
from laser.pipeline import Pipeline
from laser.spark import Answers, metrics_of, reason, session, stream
from laser.spark.checkpoint import Checkpoint
from laser.spark.progress import Summary
from laser.spark.sinks import batch_writer

__all__ = ["main", "readings"]

PROGRAM = "hot(M) :- temp(M, V) in [10 s], V > 120.\nquiet(M) :- hot(M) in [60 s], not temp(M, _) in [5 s]."
WAYS = ("Spark alone", "our plan", "our operator", "laser run")
FIRST = 3
"""Micro-batches that are not counted: they load what is loaded once."""


RATED = ("our plan", "our operator", "laser run")
"""The ways that are measured with rows that arrive by the clock."""


class Bare(StatefulProcessor):
    """The least that a stateful operator can do."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.count = handle.getValueState("count", "n bigint")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803 - Spark's names
        found = len(list(rows))
        self.count.update((found,))
        yield Row(n=found)


class Cost(NamedTuple):
    """Of one micro-batch, in milliseconds, and its rows."""

    wall: float
    cpu: float
    planning: float
    operator: float
    reasoning: float
    rows: int


def readings(spark: SparkSession, rows: int, machines: int = 50) -> DataFrame:
    """Readings of machines in turn: so many rows for each micro-batch, which is a second of event time, whatever the clock says."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows)
    made = source.option("advanceMillisPerBatch", 1000).option("startTimestamp", 1_700_000_000_000).load()
    return _of_machines(made, machines)


def arriving(spark: SparkSession, rate: int) -> DataFrame:
    """Readings that arrive by the clock, so many a second; each machine has twenty of them."""
    made = spark.readStream.format("rate").option("rowsPerSecond", rate).option("numPartitions", 2).load()
    return _of_machines(made, max(50, rate // 20))


def _of_machines(made: DataFrame, machines: int) -> DataFrame:
    machine = F.concat(F.lit("m"), (F.col("value") % machines).cast("string"))
    return made.select(machine.alias("machine"), (F.col("value") * 13 % 127).alias("v"), F.col("timestamp").alias("ts"))


def table_of(way: str, frame: DataFrame) -> tuple[DataFrame, Answers | None]:
    if way == "Spark alone":
        keyed = frame.withWatermark("ts", "0 seconds").withColumn("bucket", F.crc32("machine") % 2)
        return keyed.groupBy("bucket").transformWithState(Bare(), "n bigint", "Append", "eventTime"), None
    real = stream.Operator
    if way == "our plan":
        stream.Operator = lambda job, *_: Nothing(arrow_schema(stream.stream_schema(job)))  # type: ignore[assignment, misc]
    try:
        answers = reason(PROGRAM, {"temp": frame}, time="ts", max_ahead="off", buckets=2)
    finally:
        stream.Operator = real  # type: ignore[misc]
    return answers.table, answers


def started(way: str, frame: DataFrame, place: Path) -> Any:
    """A running query."""
    table, answers = table_of(way, frame)
    writer: Any = table.writeStream.format("noop")
    if way == "laser run":
        assert answers is not None
        pipeline = Pipeline(program="latency.lars", output=str(place / "out"))
        aside = Checkpoint(frame.sparkSession, str(place / "aside"))
        write = batch_writer(pipeline, answers, Summary(), dict.fromkeys(answers, 0), lambda *_: None, aside)
        writer = table.writeStream.foreachBatch(write)
    return writer.option("checkpointLocation", str(place / "state")).start()


def measure(way: str, frame: DataFrame, batches: int, place: Path) -> list[Cost]:
    """The costs of some micro-batches of one query."""
    query = started(way, frame, place)
    _await(query, FIRST)
    began = _cpu()
    _await(query, FIRST + batches)
    spent = (_cpu() - began) / batches * 1000
    return [cost for batch, cost in _costs(query, spent) if batch < FIRST + batches]


def measure_for(way: str, frame: DataFrame, seconds: float, place: Path) -> list[Cost]:
    """The costs of the micro-batches of some seconds, after the first ones."""
    query = started(way, frame, place)
    _await(query, FIRST)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _await(query, FIRST)
        time.sleep(0.2)
    return [cost for _, cost in _costs(query, 0.0) if cost.rows]


def _costs(query: Any, cpu: float) -> list[tuple[int, Cost]]:
    """The micro-batches after the first ones; the query is stopped."""
    reports = [report for report in query.recentProgress if report["batchId"] >= FIRST]
    ours = {metrics.batch: metrics for metrics in metrics_of(query)}
    query.stop()
    return [(report["batchId"], _cost(report, ours.get(report["batchId"]), cpu)) for report in reports]


def _await(query: Any, batches: int) -> None:
    while (query.lastProgress or {"batchId": -1})["batchId"] < batches:
        if not query.isActive:
            raise SystemExit(str(query.exception()))
        time.sleep(0.05)


def _cost(report: Any, ours: Any, cpu: float) -> Cost:
    took = report["durationMs"]
    operator, reasoning = (ours.operator * 1000, ours.reasoning * 1000) if ours is not None else (0.0, 0.0)
    return Cost(
        took["triggerExecution"], cpu, took.get("queryPlanning", 0), operator, reasoning, report["numInputRows"]
    )


def _cpu() -> float:
    """The CPU time of this process and all that it started, in seconds."""
    total = 0
    for pid in family(os.getpid()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def percentile(costs: list[float], share: float) -> float:
    """The smallest of the values that is not exceeded by this share of them."""
    return sorted(costs)[max(0, math.ceil(share * len(costs)) - 1)]


def show_small(spark: SparkSession, rows: int, batches: int, rounds: int, place: Path) -> None:
    costs: dict[str, list[Cost]] = {way: [] for way in WAYS}
    for number in range(rounds):
        for way in WAYS:
            costs[way] += measure(way, readings(spark, rows), batches, place / f"{way} {number}")
    print(f"{rows} rows a micro-batch; medians, in ms")
    print(f"{'':<14}{'micro-batch':>12}{'CPU':>8}{'planning':>10}{'operator':>10}{'reasoning':>11}")
    for way, found in costs.items():
        middle = [statistics.median(column) for column in zip(*found, strict=True)]
        print(
            f"{way:<14}{middle[0]:>12,.0f}{middle[1]:>8,.0f}{middle[2]:>10,.0f}{middle[3]:>10,.1f}{middle[4]:>11,.2f}"
        )


def show_rate(spark: SparkSession, rate: int, seconds: float, rounds: int, place: Path) -> None:
    costs: dict[str, list[Cost]] = {way: [] for way in RATED}
    for number in range(rounds):
        for way in RATED:
            where = place / f"{way} {rate} {number}"
            costs[way] += measure_for(way, arriving(spark, rate), seconds / rounds, where)
    print(f"\n{rate:,} facts/s, which arrive by the clock; a micro-batch, in ms")
    print(f"{'':<14}{'number':>8}{'facts':>9}{'p50':>9}{'p99':>9}{'reasoning p50':>15}{'p99':>9}")
    for way, found in costs.items():
        took, thought = [cost.wall for cost in found], [cost.reasoning for cost in found]
        facts = statistics.median(cost.rows for cost in found)
        figures = [percentile(column, share) for column in (took, thought) for share in (0.5, 0.99)]
        print(
            f"{way:<14}{len(found):>8}{facts:>9,.0f}{figures[0]:>9,.0f}{figures[1]:>9,.0f}{figures[2]:>15,.0f}{figures[3]:>9,.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--batches", type=int, default=20, help="of a few rows; none if 0")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rates", type=int, nargs="*", default=[1000, 20000], help="facts a second")
    parser.add_argument("--seconds", type=float, default=60, help="for each rate and way")
    given = parser.parse_args()
    spark = session(cores=2, settings={"spark.sql.streaming.numRecentProgressUpdates": "1000"})
    place = Path(tempfile.mkdtemp(prefix="laser-latency-"))
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    try:
        if given.batches:
            show_small(spark, given.rows, given.batches, given.rounds, place)
        for rate in given.rates:
            show_rate(spark, rate, given.seconds, given.rounds, place)
    finally:
        spark.stop()
        shutil.rmtree(place, ignore_errors=True)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
