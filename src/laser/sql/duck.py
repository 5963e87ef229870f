"""DuckDB runs the statements: tables of facts in, relations of intervals out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from laser.answers import Interval
from laser.errors import LaserError
from laser.plan.build import build
from laser.rules.rule import ResolvedProgram
from laser.sql.facts import arrow_table, by_predicate, columns_of, decoder, kinds_of
from laser.sql.kinds import INEXACT, Kind
from laser.sql.lower import Lowering, Statement, facts_table, lower
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.text import comma, name, names
from laser.sql.timeline import Timeline
from laser.syntax.terms import subterms
from laser.syntax.tree import Arithmetic
from laser.values import Atom, Predicate

if TYPE_CHECKING:
    import duckdb

__all__ = ["Duck", "Progress", "intervals"]

Progress = Callable[[int, int], None]
"""Told how many of how many statements have run."""

Facts = Iterable[tuple[int, tuple[Any, ...]]]
"""Time points with flat tuples, a name and its arguments."""


def intervals(program: ResolvedProgram, facts: Facts, first: int, last: int) -> list[Interval]:
    """The intervals of the output over [first, last], by their end, their begin and the atom."""
    with Duck(program) as duck:
        duck.load(facts)
        duck.answer(first, last)
        return duck.intervals()


def _connect() -> duckdb.DuckDBPyConnection:
    """A database in memory. What does not fit there goes to a directory of its own, which DuckDB makes and removes."""
    try:
        import duckdb
        import pyarrow  # noqa: F401 - carries facts
    except ImportError:
        raise LaserError("SQL needs DuckDB: pip install 'laser-reasoner[duckdb]'") from None
    spill = Path(gettempdir()) / f"laser-{uuid4().hex}"
    connection = duckdb.connect(config={"preserve_insertion_order": "false", "temp_directory": str(spill)})
    connection.execute("set enable_progress_bar = false")  # it would write between the answers
    return connection


class Duck:
    """A program and a database in which its relations are made."""

    def __init__(self, program: ResolvedProgram, progress: Progress | None = None) -> None:
        self.program, self.progress = program, progress
        self.connection = _connect()
        self.streamed: dict[Predicate, tuple[Kind, ...] | None] = {}
        self.outputs: dict[Predicate, Relation] = {}
        self.held_until = 0
        """Before this time point the output is empty: the program warms up."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def load(self, facts: Facts) -> None:
        """Tables of facts from Python objects."""
        self.streamed |= self._load(facts, background=False)

    def _load(self, facts: Facts, background: bool) -> dict[Predicate, tuple[Kind, ...] | None]:
        kinds: dict[Predicate, tuple[Kind, ...] | None] = {}
        for predicate, (rows, times) in by_predicate(facts).items():
            columns = columns_of(rows)
            kinds[predicate] = found = kinds_of(columns)
            if found is not None:
                given = dict(zip(names(predicate.arity), zip(columns, found, strict=True), strict=True))
                table = arrow_table({**given, "u": (times, Kind.INTEGER)})
                self.connection.register("arriving", table)
                target = name(facts_table(predicate, background))
                self.connection.execute(f"create temp table {target} as select * from arriving")
                self.connection.unregister("arriving")
        return kinds

    def lower(self, first: int, last: int) -> Lowering:
        """The statements; NotLowered where some part of the program has none."""
        background = self._load(((0, key) for key in self.program.background), background=True)
        both = frozenset(self.streamed) & (self.program.derived | self.program.given)
        return lower(build(self.program, both), self.streamed, background, Timeline(str(first), str(last))).whole()

    def answer(self, first: int, last: int, silent: bool = True) -> None:
        """Make the relations of the program; NotLowered where SQL cannot have one exactly.

        If not ``silent``, also where an operation may not be defined, which the reasoner would report.
        """
        lowering = self.lower(first, last)
        if lowering.doubts and not silent:
            raise NotLowered(
                f"an operation may not be defined, which only the reasoner reports, in `{lowering.doubts[0]}`"
            )
        for number, statement in enumerate(lowering.statements, 1):
            with self.exactly():
                self._make(statement)
            if self.progress is not None:
                self.progress(number, len(lowering.statements))
        self.outputs = dict(lowering.outputs)
        self.held_until = first + self.program.warmup

    def _make(self, statement: Statement) -> None:
        """A table where it is worth one, else a view, through which filters reach what lies below."""
        for aside in statement.asides:
            self.ask(f"create temp {'table' if aside.kept else 'view'} {aside.name} as\n{aside.query}")
        kind = "table" if statement.kept else "view"
        self.ask(f"create temp {kind} {statement.relation.name} as\n{statement.query}")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query. It runs in a thread of its own, so that Ctrl-C reaches this one, and ends it at once."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(lambda: self.connection.execute(query).fetchall())
            try:
                return asked.result()
            except KeyboardInterrupt:
                self.connection.interrupt()
                raise

    @contextmanager
    def exactly(self) -> Iterator[None]:
        """A number that SQL does not have exactly is a reason to leave the program to the reasoner."""
        import duckdb

        try:
            yield
        except (duckdb.OutOfRangeException, duckdb.ConversionException) as error:
            raise NotLowered(self._inexact()) from error
        except duckdb.InvalidInputException as error:
            if INEXACT in str(error):
                raise NotLowered(self._inexact()) from error
            raise

    def _inexact(self) -> str:
        counting = [
            r.text for r in self.program.rules if any(isinstance(t, Arithmetic) for x in r.terms() for t in subterms(x))
        ]
        rules = f", in the rule {' or '.join(f'`{text}`' for text in counting)}" if counting else ""
        return f"a number is too large to be exact in SQL{rules}"

    def intervals(self) -> list[Interval]:
        """The output as objects, by until, since and atom."""
        with self.exactly():
            found = [i for p, relation in self.outputs.items() for i in self._intervals(p, relation)]
        return sorted(found, key=lambda interval: (interval.until, interval.since, interval.atom))

    def output(self, relation: Relation) -> str:
        """A relation of the output without what the warm-up holds back, for a query."""
        cut = f"greatest(c, {self.held_until}) as c, h from {relation.name} where h >= {self.held_until}"
        return f"(select {comma(relation.columns)}{cut})" if self.held_until else relation.name

    def _intervals(self, predicate: Predicate, relation: Relation) -> Iterator[Interval]:
        if relation.empty:
            return
        decode = [decoder(kind) for kind in relation.kinds]
        for *values, since, until in self.ask(f"select {comma(relation.columns)}c, h from {self.output(relation)}"):
            args = [value if to is None else to(value) for value, to in zip(values, decode, strict=True)]
            yield Interval(Atom.of((predicate.name, *args)), since, until)
