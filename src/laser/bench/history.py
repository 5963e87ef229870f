"""Histories: compares the SQL that Laser makes of rules, SQL written by hand for the same question, and the reasoner, on Parquet files.

The statements by hand are what an expert would write who knows the data and the "gaps and islands" technique. All must give the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from laser.bench.case import Case
from laser.bench.measure import numbers, spread
from laser.bench.record import Record
from laser.errors import LaserError

if TYPE_CHECKING:
    import duckdb

__all__ = ["HISTORIES", "Question", "history"]

MACHINES = 1_000
SHARE = 20
"""The reasoner is measured per row, on one part in this many of the rows."""


@dataclass(frozen=True)
class Question:
    """A program over readings of a thousand machines, and SQL by hand for each of its outputs.

    In the SQL, ``{temp}`` and ``{press}`` are tables (machine, value, time), and ``{first}`` and ``{last}`` the timeline. Times are
    minutes, with one reading of every machine per minute, or with ``sparse`` seconds.
    """

    program: str
    by_hand: dict[str, str]
    tables: tuple[str, ...] = ("temp",)
    sparse: bool = False


def _islands(where: str, reach: int, table: str = "temp") -> str:
    """Readings that satisfy a condition, each for a length of time; overlapping or adjacent ones are merged."""
    return f"""
select machine, min(time) as since, least(max(time) + {reach}, {{last}}) as until from (
  select machine, time, sum(fresh) over (partition by machine order by time rows unbounded preceding) as island from (
    select machine, time, case when time - lag(time) over (partition by machine order by time) <= {reach + 1} then 0 else 1 end as fresh
    from {{{table}}} where {where})) group by machine, island"""


def _runs(where: str, reach: int) -> str:
    """Where a condition held at every minute of a length of time."""
    return f"""
select machine, case when begin = {{first}} then begin else begin + {reach} end as since, finish as until from (
  select machine, min(time) as begin, max(time) as finish from (
    select machine, time, time - row_number() over (partition by machine order by time) as run from {{temp}} where {where})
  group by machine, run)
where finish >= begin + {reach} or begin = {{first}}"""


ALARM, NORMAL = _runs("value >= 100", 3), _runs("value between 1 and 99", 3)


def questions(period: int = 60, machines: int = MACHINES) -> dict[str, Question]:
    """The questions. A machine has a reading once in this many time points or, if times are minutes, at each."""
    reach, long, quiet = 5 * period, 60 * period, 2 * period
    return {
        "diamond": Question(
            f"hot(M) :- temp(M, V) in [{reach}], V > 180.", {"hot": _islands("value > 180", reach)}, sparse=True
        ),
        "join": Question(
            f"both(M) :- temp(M, V) in [{reach}], V > 180, press(M, W) in [{reach}], W > 180.",
            {
                "both": f"""
select a.machine, greatest(a.since, b.since) as since, least(a.until, b.until) as until
from ({_islands("value > 180", reach)}) a join ({_islands("value > 180", reach, "press")}) b
on a.machine = b.machine and a.since <= b.until and b.since <= a.until"""
            },
            ("temp", "press"),
            sparse=True,
        ),
        "box": Question(
            "@T ok(M) :- temp(M, V) at T in [10], V > 20. steady(M) :- ok(M) always in [10]. #show steady/1.",
            {"steady": _runs("value > 20", 10)},
        ),
        "silence": Question(
            f"idle(M) :- temp(M, _) in [{long}], not temp(M, _) in [{quiet - 1}].",
            {
                "idle": f"""
select machine, time + {quiet} as since, least(coalesce(following - 1, {{last}}), time + {long}, {{last}}) as until from (
  select machine, time, lead(time) over (partition by machine order by time) as following from {{temp}})
where coalesce(following, {{last}} + 1) > time + {quiet}"""
            },
            sparse=True,
        ),
        "cooling": Question(
            """
@T steam(M, V) :- temp(M, V) at T in [3], V >= 100.
@T liquid(M, V) :- temp(M, V) at T in [3], V >= 1, V < 100.
@T isSteam(M) :- steam(M, _) at T in [3].
@T isLiquid(M) :- liquid(M, _) at T in [3].
alarm(M) :- isSteam(M) always in [3].
normal(M) :- isLiquid(M) always in [3].
freeze(M) :- machine(M), not alarm(M), not normal(M).
veryHot(M, T) :- steam(M, V) at T in [3], V >= 195.
veryCold(M, T) :- liquid(M, V) at T in [3], V = 1.
#show alarm/1, normal/1, freeze/1, veryHot/2, veryCold/2.
""",
            {
                "alarm": ALARM,
                "normal": NORMAL,
                "veryHot": "select machine, time as at, time as since, least(time + 3, {last}) as until from {temp} where value >= 195",
                "veryCold": "select machine, time as at, time as since, least(time + 3, {last}) as until from {temp} where value = 1",
                "freeze": f"""
select machine, since, until from (
  select machine, ended + 1 as since, coalesce(lead(begun) over (partition by machine order by begun) - 1, {{last}}) as until
  from (select machine, since as begun, until as ended from ({ALARM} union all {NORMAL}) as held
        union all select 'm' || i, {{first}} - 1, {{first}} - 1 from range({machines}) as machines(i)) as known) as gaps
where since <= until""",
            },
        ),
    }


QUESTIONS = questions()
HISTORIES = tuple(QUESTIONS)


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

        background = [("machine", f"m{i}") for i in range(MACHINES)]
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
