"""DuckDB runs the statements: tables of facts in, intervals of every output predicate out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from laser.answers import Interval
from laser.plan.build import build
from laser.rules.rule import ResolvedProgram
from laser.sql.facts import arrow_table, by_predicate, columns_of, decoder, kinds_of
from laser.sql.kinds import Kind
from laser.sql.lower import Inputs, Statement, facts_table, lower
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.text import comma, name, names
from laser.sql.timeline import Timeline
from laser.values import Atom, Predicate

if TYPE_CHECKING:
    import duckdb

__all__ = ["intervals"]


def intervals(
    program: ResolvedProgram, facts: Iterable[tuple[int, tuple[Any, ...]]], first: int, last: int
) -> list[Interval]:
    """The intervals of the output over [first, last], by their end, their begin and the atom."""
    import duckdb

    with duckdb.connect() as connection:
        streamed = _load(connection, by_predicate(facts), False)
        given = by_predicate((0, key) for key in program.background)
        background = _load(connection, given, True)
        plan = build(program, frozenset(streamed) & (program.derived | program.given))
        lowering = lower(plan, streamed, background, Timeline(str(first), str(last)))
        if lowering.refused:
            raise NotLowered("; ".join(dict.fromkeys(lowering.refused.values())))
        for statement in lowering.statements:
            run(connection, statement)
        found = [i for p, relation in lowering.outputs.items() for i in _intervals(connection, p, relation)]
    return sorted(found, key=lambda interval: (interval.until, interval.since, interval.atom))


def _load(connection: duckdb.DuckDBPyConnection, facts: Any, background: bool) -> Inputs:
    kinds: dict[Predicate, tuple[Kind, ...] | None] = {}
    for predicate, (rows, times) in facts.items():
        columns = columns_of(rows)
        kinds[predicate] = found = kinds_of(columns)
        if found is None:
            continue
        given = {n: (column, kind) for n, column, kind in zip(names(predicate.arity), columns, found, strict=True)}
        table = arrow_table({**given, "u": (times, Kind.INTEGER)}, len(rows))
        connection.register("arriving", table)
        connection.execute(f"create temp table {name(facts_table(predicate, background))} as select * from arriving")
        connection.unregister("arriving")
    return kinds


def run(connection: duckdb.DuckDBPyConnection, statement: Statement) -> None:
    """Make one relation: a table where it is read more than once, else a view, through which filters reach what lies below."""
    kind = "table" if statement.kept else "view"
    connection.execute(f"create temp {kind} {statement.relation.name} as\n{statement.query}")


def _intervals(connection: duckdb.DuckDBPyConnection, predicate: Predicate, relation: Relation) -> Iterator[Interval]:
    if relation.empty:
        return
    decode = [decoder(kind) for kind in relation.kinds]
    rows = connection.execute(f"select {comma(relation.columns)}c, h from {relation.name}").fetchall()
    for *values, since, until in rows:
        args = [value if to is None else to(value) for value, to in zip(values, decode, strict=True)]
        yield Interval(Atom.of((predicate.name, *args)), since, until)
