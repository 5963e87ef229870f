"""Evaluates whole histories: chooses the engine and the form of the answer."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, Unpack

from laser.answers import Interval
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine import run as reasoner
from laser.engine.intake import to_keys
from laser.engine.run import Stream
from laser.errors import LaserError
from laser.rules.rule import ResolvedProgram
from laser.settings import RunOptions, RunSettings
from laser.sql import output
from laser.sql.duck import Duck, Progress
from laser.sql.engines import ENGINES, Engine, check_engine
from laser.sql.lower import facts_table
from laser.sql.refusal import NotLowered
from laser.sql.tables import Extent, extent_of, facts_of, open_tables
from laser.sql.text import name
from laser.sql.ways import tell
from laser.syntax.program import Program, expect_program
from laser.values import Predicate
from laser.values.static_type import StaticType

__all__ = ["ENGINES", "Engine", "History", "intervals"]

Tables: TypeAlias = Mapping[str, Any]
"""Tables by the names of their predicates: paths of Parquet files, or Arrow, pandas or Polars tables."""

SMALL = 10_000
"""Up to this many facts, the reasoner is faster than DuckDB's planning."""

log = logging.getLogger("laser")


def intervals(
    program: Program | str,
    stream: Stream | Tables,
    *,
    engine: Engine = "auto",
    time: str | None = None,
    **options: Unpack[RunOptions],
) -> Iterator[Interval]:
    """The output as intervals: for a stream, each when it ends; for tables, sorted by until, since and atom.

    A stream is an iterable of times with facts; tables are complete, and ``time`` is the name of their time column. ``engine`` selects
    what evaluates the program: the reasoner, for every program; SQL, which needs all facts at once and refuses some programs; or
    ``auto``, which chooses.

    >>> list(intervals("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (5, [])]))
    [Interval(atom=q(a), since=3, until=4)]
    """
    check_engine(engine)
    program = parse(program) if isinstance(program, str) else expect_program(program)
    settings = RunSettings.read(options, in_zone=program.zone)
    if isinstance(stream, Mapping):
        with History(program, stream, time=time, engine=engine, settings=settings) as history:
            yield from history.intervals()
    elif engine == "sql" or (engine == "auto" and isinstance(stream, Sequence) and len(stream) > SMALL):
        yield from _by_sql(program, stream, engine, settings)
    else:
        yield from reasoner.intervals(program, stream, **options)


def _by_sql(program: Program | str, stream: Stream, engine: Engine, settings: RunSettings) -> Iterator[Interval]:
    """A complete stream of Python objects; errors in its times are left to the reasoner."""
    given = list(stream)
    options: RunOptions = settings.options()
    numbered = [(time, facts) for time, facts in given if type(time) is int]
    if len(numbered) < len(given) or not _is_ordered(numbered, settings):
        return reasoner.intervals(program, given, **options)
    within = [(time, facts) for time, facts in numbered if settings.until is None or time <= settings.until]
    span = _timeline(settings, Extent(len(within), within[0][0], within[-1][0]) if within else None)
    if span is None:
        return iter(())
    core = accept(parse(program) if isinstance(program, str) else program, settings)
    try:
        with Duck(core, limit=settings.limit) as duck:
            duck.load((time, key) for time, facts in within for key in to_keys(facts))
            duck.answer(*span, whole=engine == "sql")
            log.info("%s", tell(duck.ways))
            return iter(duck.intervals())
    except NotLowered as refusal:
        if engine == "sql":
            raise
        log.info("the reasoner evaluates the program: %s", refusal)
        return reasoner.intervals(program, given, **options)


def _is_ordered(given: Sequence[tuple[int, Any]], settings: RunSettings) -> bool:
    """Whether times never decrease, and none is before the start."""
    times = [time for time, _ in given]
    begin = 0 if settings.start is None else settings.start
    return all(a <= b for a, b in zip([begin, *times], times, strict=False))


def _timeline(settings: RunSettings, extent: Extent | None) -> tuple[int, int] | None:
    """The first and the last time point; None if there are none."""
    first = settings.start if settings.start is not None else extent.first if extent else None
    if first is None:
        return None
    last = settings.until if settings.until is not None else max(first, extent.last) if extent else first
    return (first, last) if first <= last else None


class History:
    """A program over complete tables.

    ``why`` says which engine evaluates it, and the reason. It holds a database that must be closed: use it in a ``with`` statement.
    ``memory`` is how much of it DuckDB may use, such as ``"3 GB"``; what does not fit goes to disk. The default is DuckDB's, 80 % of the machine.
    """

    def __init__(
        self,
        program: Program | str,
        tables: Tables,
        *,
        time: str | None = None,
        columns: Mapping[str, Sequence[str]] | None = None,
        engine: Engine = "auto",
        settings: RunSettings | None = None,
        progress: Progress | None = None,
        memory: str | None = None,
        **options: Unpack[RunOptions],
    ) -> None:
        check_engine(engine)
        self._engine = engine
        self._program = parse(program) if isinstance(program, str) else expect_program(program)
        self._settings = RunSettings.read(options, in_zone=self._program.zone) if settings is None else settings
        self._duck = Duck(accept(self._program, self._settings), progress, self._settings.limit)
        try:
            self._duck.limit_memory(memory)
            self._tables = open_tables(
                self._duck.connection, tables, time, self._settings.tick, self._program.inputs, columns or {}
            )
            if any(table.is_dated for table in self._tables):
                self._settings = replace(self._settings, dates=True)
                self._duck.program = accept(self._program, self._settings)
            with self._duck.exactly():
                extent = extent_of(self._duck.ask, self._tables)
            self._span = _timeline(self._settings, extent)
            self.why = self._choose(engine, extent)
        except BaseException:
            self._duck.connection.close()
            raise

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self._duck.connection.close()

    @property
    def core(self) -> ResolvedProgram:
        """The program resolved for these tables."""
        return self._duck.program

    @property
    def last(self) -> int:
        """The last time point of the timeline."""
        return -1 if self._span is None else self._span[1]

    @property
    def types(self) -> dict[Predicate, list[StaticType]]:
        """The types of the arguments of each table."""
        return {table.predicate: [column.type for column in table.columns] for table in self._tables}

    @property
    def names(self) -> dict[Predicate, list[str]]:
        """The columns of the arguments of each table."""
        return {table.predicate: [column.name for column in table.columns] for table in self._tables}

    @property
    def by_sql(self) -> bool:
        """Whether SQL is involved in the answers."""
        return self.why.startswith("SQL")

    def _choose(self, engine: Engine, extent: Extent | None) -> str:
        if self._span is None:
            return "SQL: there are no facts"
        if engine == "reasoner":
            return "the reasoner, as requested"
        if engine == "auto" and (extent is None or extent.rows <= SMALL):
            return f"the reasoner: there are at most {SMALL:,} facts"
        try:
            self._answer(*self._span)
        except NotLowered as refusal:
            if engine == "sql":
                raise
            return f"the reasoner: {refusal}"
        return tell(self._duck.ways)

    def _answer(self, first: int, last: int) -> None:
        for table in self._tables:
            if table.predicate in self._duck.streamed:
                raise LaserError(f"two tables have the predicate {table.predicate}")
            view = name(facts_table(table.predicate, background=False))
            self._duck.connection.execute(f"create temp view {view} as {table.facts(first, last)}")
            self._duck.streamed[table.predicate] = tuple(column.kind for column in table.columns)
        self._duck.facts = lambda first, last: facts_of(self._duck.connection, self._tables, first, last)
        self._duck.answer(first, last, whole=self._engine == "sql")

    def intervals(self) -> Iterator[Interval]:
        """The output, sorted by until, since and atom."""
        if self._span is None:
            return iter(())
        if self.by_sql:
            try:
                return iter(self._duck.intervals())
            except NotLowered as refusal:
                self._give_up(refusal)
        return iter(self._reason(*self._span))

    def write(self, folder: str | Path) -> dict[Predicate, Path]:
        """Write Parquet files, one for each output predicate, in folders with their names: the arguments, since, until, open."""
        if self._span is None:
            return {}
        if self.by_sql:
            try:
                return output.write(self._duck, Path(folder), self._span[1])
            except NotLowered as refusal:
                self._give_up(refusal)
        output.keep(self._duck, self._reason(*self._span))
        return output.write(self._duck, Path(folder), self._span[1])

    def _give_up(self, refusal: NotLowered) -> None:
        """Switch to the reasoner, because a number turned out to be too large when the rows were read."""
        if self._engine == "sql":
            raise refusal
        self.why = f"the reasoner: {refusal}"

    def _reason(self, first: int, last: int) -> list[Interval]:
        stream = facts_of(self._duck.connection, self._tables, first, last)
        options = self._settings.options()
        options["start"], options["until"] = first, last
        return list(reasoner.intervals(self._program, stream, **options))
