"""Histories on Spark: compares the SQL that Laser makes of rules, Spark SQL by hand, the reasoner, and an operator that does nothing.

All read the same Parquet files and discard the output; the timeline is given. The rows by hand and by rules are checked to be equal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession

from laser.bench.questions import MACHINES, Question, background_of, questions
from laser.errors import LaserError
from laser.spark.answers import Answers
from laser.spark.reason import reason
from laser.spark.request import ReasonOptions
from laser.spark.sources import Input
from laser.sql.engines import Engine

__all__ = ["PER_TICK", "WAYS", "Shape", "Subject", "measure_history"]

PER_TICK = {"sparse": 16, "dense": 500}
"""The number of facts per tick."""


WAYS = ("by hand", "sql", "reasoner", "nothing")


@dataclass(frozen=True)
class Shape:
    """Facts per tick, the number of machines, and the share of the rows that one of them has beside its own."""

    per_tick: int
    machines: int = MACHINES
    hot: float = 0


@dataclass(frozen=True)
class Subject:
    """A question over files, and the ways to answer it."""

    spark: SparkSession
    question: Question
    place: Path
    machines: int
    first: int
    last: int

    @classmethod
    def make(cls, spark: SparkSession, name: str, place: Path, rows: int, shape: Shape) -> Subject:
        """Readings of machines: one after another if they need not be regular, otherwise all at each tick."""
        per_tick = shape.per_tick
        machines = shape.machines if questions()[name].sparse else per_tick
        question = questions(max(1, machines // per_tick), machines)[name]
        for seed, table in enumerate(question.tables, 1):
            _readings(spark, rows // len(question.tables), shape, machines, seed).write.parquet(str(place / table))
        return cls(spark, question, place, machines, 0, (rows // len(question.tables) - 1) // per_tick)

    def tables(self) -> dict[str, DataFrame]:
        return {table: self.spark.read.parquet(str(self.place / table)) for table in self.question.tables}

    def by_hand(self) -> dict[str, DataFrame]:
        names = {table: f"laser_bench_{table}" for table in self.question.tables}
        for table, frame in self.tables().items():
            frame.createOrReplaceTempView(names[table])
        queries = self.question.by_hand.items()
        return {o: self.spark.sql(text.format(**names, first=self.first, last=self.last)) for o, text in queries}

    def by_rules(self, engine: Engine) -> Answers:
        options: ReasonOptions = {"start": self.first, "until": self.last, "engine": engine}
        if background := background_of(self.question, self.machines):
            options["background"] = background
        inputs = {name: Input(frame, ["machine", "value"], "time") for name, frame in self.tables().items()}
        return reason(self.question.program, inputs, **options)

    def check(self) -> None:
        """LaserError if the rows by hand and by rules are not the same."""
        if not self.question.by_hand:
            return
        found = self.by_rules("sql")
        for output, expected in self.by_hand().items():
            given = found[output].toDF(*expected.columns)
            if given.exceptAll(expected).count() or expected.exceptAll(given).count():
                raise LaserError(f"{output}: rows by hand and by rules differ")
        found.unpersist()

    def seconds_by_hand(self) -> float:
        began = time.monotonic()
        for frame in self.by_hand().values():
            _write(frame)
        return time.monotonic() - began

    def seconds_by_rules(self, engine: Engine) -> float:
        began = time.monotonic()
        answers = self.by_rules(engine)
        _write(answers.table)
        answers.unpersist()
        return time.monotonic() - began


def measure_history(
    subject: Subject, wanted: Sequence[str], repetitions: int, nothing: Callable[[], AbstractContextManager[None]]
) -> Iterator[tuple[str, float]]:
    """The seconds of each way: medians of runs in turns, after a first run of each that loads what is loaded once."""
    if "by hand" in wanted:
        subject.check()

    def bare() -> float:
        with nothing():
            return subject.seconds_by_rules("reasoner")

    ways: dict[str, Callable[[], float]] = {
        "by hand": subject.seconds_by_hand,
        "sql": lambda: subject.seconds_by_rules("sql" if subject.question.by_hand else "auto"),
        "reasoner": lambda: subject.seconds_by_rules("reasoner"),
        "nothing": bare,
    }
    ways = {way: run for way, run in ways.items() if way in wanted and (subject.question.by_hand or way != "by hand")}
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for turn in range(repetitions + 1):
        for way, run in ways.items():
            seconds = run()
            if turn:
                taken[way].append(seconds)
    yield from ((way, median(seconds)) for way, seconds in taken.items())


def _readings(spark: SparkSession, rows: int, shape: Shape, machines: int, seed: int) -> DataFrame:
    """Like the readings of ``laser.bench.history``: one in ten is missing, and a machine is hot for a third of the time."""
    machine = f"if(pmod(xxhash64(id), 1000) < {1000 * shape.hot:.0f}, 0, id % {machines})"
    turn, draw = f"id div {machines}", f"pmod(xxhash64(id * 3 + {seed}), 1000)"
    hot = f"({turn}) div 30 % 3 = id % {machines} % 3"
    return (
        spark.range(rows)
        .where(f"pmod(xxhash64(id * 7 + {seed}), 10) > 0")
        .selectExpr(
            f"concat('m', {machine}) AS machine",
            f"CASE WHEN {hot} THEN 100 + {draw} % 101 ELSE {draw} % 201 END AS value",
            f"id div {shape.per_tick} AS time",
        )
    )


def _write(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()
