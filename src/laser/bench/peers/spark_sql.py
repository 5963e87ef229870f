"""Plain Spark SQL: the window as a DataFrame, and queries that run again at each time point."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import laser
from laser.bench.case import Batch, Case, Experiment, Fact
from laser.bench.peers.peer import Peer, Rows
from laser.bench.peers.sql import TABLES, queries

__all__ = ["SPARK"]

_LOGGING = Path(laser.__file__).parent / "spark" / "log4j2.properties"


@cache
def _session() -> Any:
    from pyspark.sql import SparkSession

    from laser.spark.java import java_home

    os.environ["JAVA_HOME"] = str(java_home())  # that of the machine, or that of the extra
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    cores = str(os.cpu_count() or 2)
    builder = SparkSession.builder.master("local[*]").appName("laser bench")
    settings = {
        "spark.sql.shuffle.partitions": cores,  # 200 by default, most of them empty here
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        # No log lines between the lines of the table.
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{_LOGGING}",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


_TYPES = {str: "string", int: "bigint", float: "double"}


class Spark:
    """A local session; each tick makes views of the window and collects the answers."""

    def __init__(self, experiment: Experiment, case: Case) -> None:
        self.session = _session()
        self.experiment, self.case = experiment, case
        self.tables = TABLES[experiment.name]
        self.rows = Rows.of(experiment, case)
        self.found: list[tuple[str, int, list[Fact]]] = []

    def load(self, t: int, facts: list[Fact]) -> None:
        self.rows.add(t, facts, lambda fact, t: (*fact[1:], t))

    def show(self) -> None:
        rows: dict[str, list[Fact]] = {name: [] for name in self.tables}
        for fact, _, row in self.rows:
            rows[fact[0]].append(row)
        for name, types in self.tables.items():
            columns = [f"c{i} {_TYPES[kind]}" for i, kind in enumerate(types)]
            frame = self.session.createDataFrame(rows[name], ", ".join([*columns, "t bigint"]))
            frame.createOrReplaceTempView(name)

    def run(self, batches: list[Batch]) -> int:
        out = 0
        for t, facts in batches:
            self.load(t, facts)
            self.show()
            asked = queries(self.experiment, self.case, max(0, t - self.case.w), t, "UNION ALL")
            self.found = [(head, arity, self.session.sql(text).collect()) for head, arity, text in asked]
            out += sum(len(rows) for _, _, rows in self.found)
        return out

    def answer(self) -> set[Fact]:
        return {(head, *tuple(row)[:arity]) for head, arity, rows in self.found for row in rows}

    def close(self) -> None:
        return  # the session serves the next experiment


SPARK = Peer(
    "spark sql",
    "Spark SQL, asked again",
    "pyspark",
    "'laser-reasoner[spark]'",
    Spark,
    {"hysteresis": "a query has no table to remember its answers in"},
    ticks=5,
    quick=("diamond",),
)
