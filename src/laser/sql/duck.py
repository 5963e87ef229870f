"""DuckDB runs the statements: tables of facts in, relations of intervals out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import uuid4

from laser.answers import Interval
from laser.engine.inputs.given import Span
from laser.engine.part import Facts as FactsByTime
from laser.engine.reports import Reports
from laser.errors import LaserError
from laser.plan.build import build
from laser.plan.nodes import Node
from laser.rules.rule import ResolvedProgram
from laser.settings import DEFAULT_LIMIT
from laser.sql.facts import Column, arrow_table, by_predicate, columns_of, decoder, kinds_of
from laser.sql.kinds import INEXACT, Kind
from laser.sql.lower import Lowerer, Statement, facts_table, reason_of
from laser.sql.reasoned import reason
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.strata import Spared, Strata
from laser.sql.text import comma, name, names
from laser.sql.timeline import Timeline
from laser.sql.ways import ways
from laser.syntax.terms import subterms
from laser.syntax.tree import Arithmetic
from laser.values import Atom, Predicate

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

__all__ = ["Duck", "Progress", "intervals"]

Progress = Callable[[int, int], None]
"""Called with the number of statements that have run, and their total number."""

_MEMORY = re.compile(r"\d+(\.\d+)? ?[KMGT]i?B", re.IGNORECASE)

T = TypeVar("T")

Facts = Iterable[tuple[int, tuple[Any, ...]]]
"""Time points with flat tuples, a name and its arguments."""


def intervals(program: ResolvedProgram, facts: Facts, first: int, last: int) -> list[Interval]:
    """The intervals of the output over [first, last], sorted by end, begin and atom."""
    with Duck(program) as duck:
        duck.load(facts)
        duck.answer(first, last)
        return duck.intervals()


def _connect() -> duckdb.DuckDBPyConnection:
    """A database in memory. Data that do not fit go to a temporary directory, which DuckDB makes and removes."""
    try:
        import duckdb
        import pyarrow  # noqa: F401 - carries facts
    except ImportError:
        raise LaserError("SQL needs DuckDB: pip install 'laser-reasoner[duckdb]'") from None
    spill = Path(gettempdir()) / f"laser-{uuid4().hex}"
    connection = duckdb.connect(config={"preserve_insertion_order": "false", "temp_directory": str(spill)})
    connection.execute("set enable_progress_bar = false")  # it would print between the answers
    return connection


class Duck:
    """A program and a database with its relations."""

    def __init__(self, program: ResolvedProgram, progress: Progress | None = None, limit: int = DEFAULT_LIMIT) -> None:
        self.program, self.progress, self.limit = program, progress, limit
        self.connection = _connect()
        self.streamed: dict[Predicate, tuple[Kind, ...] | None] = {}
        self.facts: Callable[[int, int], FactsByTime] | None = None
        """The facts of a timeline in the order of arrival, if known, for a reasoner that counts them."""
        self.outputs: dict[Predicate, Relation] = {}
        self.ways: dict[Predicate, str | None] = {}
        """Why the reasoner is involved in a predicate; None if it is not."""
        self.spans: dict[Node, list[Span]] = {}
        """The predicates of these whose values SQL cannot represent."""
        self.reports = Reports()
        self.loose: dict[Predicate, list[Span]] = {}
        """The outputs whose values no table can have."""
        self.held_until = 0
        """The end of the warm-up: before this time point the output is empty."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def limit_memory(self, most: str | None) -> None:
        """Let DuckDB write to disk what does not fit into this much memory."""
        if most is None:
            return
        if not _MEMORY.fullmatch(most):
            raise LaserError(f"{most!r} is not an amount of memory: write a number and a unit, such as '3 GB'")
        self.connection.execute("set memory_limit = ?", [most])

    def load(self, facts: Facts) -> None:
        """Load facts from Python objects, which are in order of time."""
        given = list(facts)
        self.facts = lambda first, last: ((time, [key]) for time, key in given if first <= time <= last)
        self.streamed |= self._load(given, background=False)

    def _load(self, facts: Facts, background: bool) -> dict[Predicate, tuple[Kind, ...] | None]:
        kinds: dict[Predicate, tuple[Kind, ...] | None] = {}
        for predicate, (rows, times) in by_predicate(facts).items():
            columns = columns_of(rows)
            kinds[predicate] = found = kinds_of(columns)
            if found is not None:
                given = dict(zip(names(predicate.arity), zip(columns, found, strict=True), strict=True))
                self.put(name(facts_table(predicate, background)), {**given, "u": (times, Kind.INTEGER)})
        return kinds

    def strata(self, first: int, last: int, silent: bool, spared: Spared = reason_of) -> Strata:
        """Divide the program into what becomes SQL and what does not."""
        reads = self.program.reads
        read = ((0, tuple(atom)) for atom in self.program.background if atom.signature in reads)
        background = self._load(read, background=True)
        both = frozenset(self.streamed) & (self.program.derived | self.program.given)
        timeline = Timeline(str(first), str(last))
        return Strata(Lowerer(build(self.program, both), self.streamed, background, timeline), silent, spared)

    def answer(self, first: int, last: int, whole: bool = True, spared: Spared = reason_of) -> None:
        """Compute the relations of the program.

        If ``whole``, by SQL alone, with NotLowered if SQL cannot express a node exactly. Otherwise by strata; reports of undefined
        operations are then up to the reasoner.
        """
        strata = self.strata(first, last, silent=whole, spared=spared)
        statements = strata.lowered()
        if whole and strata.left:
            raise NotLowered("; ".join(dict.fromkeys(strata.left.values())))
        done, left = 0, dict[Node, str]()
        while statements or strata.left:
            for number, statement in enumerate(statements, done + 1):
                with self.exactly():
                    self._make(statement)
                if self.progress is not None:
                    self.progress(number, done + len(statements))
            done += len(statements)
            if strata.left:
                left |= strata.left
                self.spans |= reason(self, strata, first, last)
            statements = strata.lowered()
        self.outputs, self.ways = strata.outputs(), ways(strata.lowerer.plan, left)
        self.loose = {p: self.spans[n] for p, n in strata.lowerer.plan.outputs.items() if n in self.spans}
        self.held_until = first + self.program.warmup

    def _make(self, statement: Statement) -> None:
        """Create a table if it is worth one, otherwise a view, so that filters can be pushed down."""
        for aside in statement.asides:
            self.ask(f"create temp {'table' if aside.kept else 'view'} {aside.name} as\n{aside.query}")
        kind = "table" if statement.kept else "view"
        self.ask(f"create temp {kind} {statement.relation.name} as\n{statement.query}")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self._wait(lambda: self.connection.execute(query).fetchall())

    def table(self, query: str) -> pa.Table:
        """The same by columns."""
        return self._wait(lambda: self.connection.sql(query).to_arrow_table())

    def _wait(self, query: Callable[[], T]) -> T:
        """The result of a query, which runs in a thread of its own, so that Ctrl-C reaches this thread and stops the query at once."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(query)
            try:
                return asked.result()
            except KeyboardInterrupt:
                self.connection.interrupt()
                raise

    def put(self, table: str, columns: Mapping[str, tuple[Column, Kind]]) -> None:
        """A table of Python objects."""
        self.connection.register("arriving", arrow_table(columns))
        self.connection.execute(f"create temp table {table} as select * from arriving")
        self.connection.unregister("arriving")

    @contextmanager
    def exactly(self) -> Iterator[None]:
        """If SQL cannot represent a number exactly, raise NotLowered, so that the reasoner evaluates the program."""
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
        """The output as objects, sorted by until, since and atom."""
        with self.exactly():
            found = [i for p, relation in self.outputs.items() for i in self._intervals(p, relation)]
        found += [i for p, spans in self.loose.items() for i in self._held(p, spans)]
        return sorted(found, key=lambda interval: (interval.until, interval.since, interval.atom))

    def output(self, relation: Relation) -> str:
        """A relation of the output without the warm-up, for use in a query."""
        cut = f"greatest(c, {self.held_until}) as c, h from {relation.name} where h >= {self.held_until}"
        return f"(select {comma(relation.columns)}{cut})" if self.held_until else relation.name

    def _intervals(self, predicate: Predicate, relation: Relation) -> Iterator[Interval]:
        if relation.empty:
            return
        decode = [decoder(kind) for kind in relation.kinds]
        for *values, since, until in self.ask(f"select {comma(relation.columns)}c, h from {self.output(relation)}"):
            args = [value if to is None else to(value) for value, to in zip(values, decode, strict=True)]
            yield Interval(Atom.of((predicate.name, *args)), since, until)

    def _held(self, predicate: Predicate, spans: Iterable[Span]) -> Iterator[Interval]:
        for begin, end, key in spans:
            if end >= self.held_until:
                yield Interval(Atom.of((predicate.name, *key[1:])), max(begin, self.held_until), end)
