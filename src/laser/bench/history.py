"""Histories: compares the SQL that Laser makes of rules, SQL written by hand for the same question, and the reasoner, on Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from laser.bench.case import Case
from laser.bench.measure import numbers, spread
from laser.bench.questions import MACHINES, QUESTIONS, Question, background_of
from laser.bench.record import Record
from laser.errors import LaserError

if TYPE_CHECKING:
    import duckdb

__all__ = ["history"]

SHARE = 20
"""The reasoner is measured per row, on one part in this many of the rows."""


def history(name: str, rows: int, repetitions: int) -> Iterator[Record]:
    """One question: both ways in turns, after a check that their rows are equal; then the reasoner, on a part."""
    import duckdb

    question = QUESTIONS[name]
    with TemporaryDirectory(prefix="laser-bench-") as directory, duckdb.connect() as connection:
        data = Data(connection, Path(directory), question, rows)
        data.check()
        ours, theirs = [], []
        for _ in range(repetitions):
            theirs.append(_seconds(data.by_hand))
            ours.append(_seconds(lambda: data.by_rules("sql")))
        yield _record(name, rows, "sql", ours, theirs)
        yield _record(name, rows, "by hand", theirs, theirs)
        part = Data(connection, Path(directory) / "part", question, rows // SHARE)
        alone = [_seconds(lambda: part.by_rules("reasoner"))]
        scaled = [median(theirs) / SHARE]
        yield _record(name, rows // SHARE, "reasoner", alone, scaled)


class Data:
    """The files of a question, and both ways to answer it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, place: Path, question: Question, rows: int) -> None:
        self.connection, self.place, self.question, self.rows = connection, place, question, rows
        place.mkdir(exist_ok=True)
        self.files = {table: str(place / f"{table}.parquet") for table in question.tables}
        for seed, path in enumerate(self.files.values(), 1):
            connection.execute(f"copy ({_readings(rows, question.sparse, seed)}) to '{path}' (format parquet)")
        extents = [f"select time from '{path}'" for path in self.files.values()]
        found = connection.execute(f"select min(time), max(time) from ({' union all '.join(extents)})").fetchall()
        self.first, self.last = found[0]

    def by_hand(self) -> dict[str, str]:
        tables = {table: f"read_parquet('{path}')" for table, path in self.files.items()}
        written = {}
        for output, query in self.question.by_hand.items():
            written[output] = str(self.place / f"{output}.parquet")
            text = query.format(**tables, first=self.first, last=self.last)
            self.connection.execute(f"copy ({text}) to '{written[output]}' (format parquet)")
        return written

    def by_rules(self, engine: str) -> dict[str, str]:
        from laser.sql import History

        background = background_of(self.question)
        with History(self.question.program, self.files, engine=engine, background=background) as answered:  # type: ignore[arg-type]
            return {p.name: str(path) for p, path in answered.write(self.place / "answers").items()}

    def check(self) -> None:
        """LaserError if the two ways do not have the same rows."""
        by_hand, by_rules = self.by_hand(), self.by_rules("sql")
        for output, path in by_hand.items():
            width = len(self.connection.execute(f"describe select * from '{path}'").fetchall())
            columns = ", ".join(f"#{i}" for i in range(1, width + 1))
            one, other = f"select {columns} from '{path}'", f"select {columns} from '{by_rules[output]}'"
            found = self.connection.execute(
                f"({one} except all {other}) union all ({other} except all {one})"
            ).fetchall()
            if found:
                raise LaserError(f"{output}: {len(found)} rows differ, such as {found[0]}")


def _readings(rows: int, sparse: bool, seed: int) -> str:
    """One reading of every machine per minute, with one in ten missing; computed by a hash, so that every run has the same."""
    minute, machine = f"(i // {MACHINES})", f"(i % {MACHINES})"
    time = f"{minute} * 60 + {machine} * 60 // {MACHINES}" if sparse else minute
    draw = f"(hash(i * 3 + {seed}) % 1000)"
    value = f"case when {minute} // 30 % 3 = {machine} % 3 then 100 + {draw} % 101 else {draw} % 201 end"
    some = f"hash(i * 7 + {seed}) % 10 > 0"
    return f"select 'm' || {machine} as machine, cast({value} as bigint) as value, cast({time} as bigint) as time from range({rows}) as readings(i) where {some}"


def _seconds(action: Callable[[], object]) -> float:
    begin = perf_counter()
    action()
    return perf_counter() - begin


def _record(name: str, rows: int, system: str, seconds: list[float], floor: list[float]) -> Record:
    low, ratio, high = spread([ours / theirs for ours, theirs in zip(seconds, floor, strict=True)])
    value, base = median(seconds) / rows * 1e6, median(floor) / rows * 1e6
    case = Case(live=rows)
    note = "the ratio is to SQL by hand"
    return Record(f"history-{name}", *numbers(case), system, "intervals", "µs/row", value, base, ratio, low, high, note)
