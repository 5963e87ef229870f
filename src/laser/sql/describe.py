"""The SQL of a program in readable form: each statement with the user's rule that it serves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, Unpack

from laser.checks.accept import accept
from laser.plan.build import build
from laser.plan.nodes import Node
from laser.rules.rule import ResolvedProgram
from laser.rules.types import argument_types
from laser.settings import ProgramOptions, RunSettings
from laser.sql.dialects import Dialect, pretty
from laser.sql.facts import by_predicate, columns_of, kinds_of
from laser.sql.kinds import Kind
from laser.sql.lower import Inputs, Lowerer, Statement, facts_table
from laser.sql.relation import Relation
from laser.sql.strata import Strata
from laser.sql.text import name, names
from laser.sql.timeline import Timeline
from laser.sql.ways import ways
from laser.syntax.program import Program
from laser.values import Predicate
from laser.values.static_type import INTEGER, NUMBER, StaticType

__all__ = ["describe", "expected_ways"]

_TABLE: dict[Dialect, str] = {"duckdb": "table", "spark": "view"}
"""Spark has no temporary tables; a view that is read twice is cached there."""

Types: TypeAlias = Mapping[Predicate, Sequence[StaticType | None]]

TIMELINE = Timeline(":first", ":last")


def describe(program: Program, dialect: Dialect = "duckdb", **options: Unpack[ProgramOptions]) -> str:
    """The statements of a program. Columns have the types that follow from use; text if nothing is known."""
    core = accept(program, RunSettings.read(options, ProgramOptions))
    streamed, background = _streamed(core), _background(core)
    strata = Strata(Lowerer(build(core), streamed, background, TIMELINE, dialect))
    told = [*_tables(streamed, background, dialect)]
    statements = strata.lowered()
    while statements or strata.left:
        told += _statements(statements, _served(strata), dialect)
        told += _left(strata, argument_types(core, {}, mixed=True), dialect)
        statements = strata.lowered()
    return "\n\n".join(told) + "\n"


def expected_ways(core: ResolvedProgram) -> dict[Predicate, str | None]:
    """For each derived predicate why the reasoner would have a hand in its history; None where all of it would be SQL.

    Columns are taken to have the types that follow from use. What the data turn out to have (numbers beyond 64 bits, texts among
    numbers) can still leave more to the reasoner.
    """
    plan, types = build(core), argument_types(core, {}, mixed=True)
    strata = Strata(Lowerer(plan, _streamed(core), _background(core), TIMELINE))
    left: dict[Node, str] = {}
    statements = strata.lowered()
    while statements or strata.left:
        left |= strata.left
        for node in strata.exposed():
            strata.take(node, _kinds(node, types), is_empty=False)
        statements = strata.lowered()
    return ways(plan, left)


def _streamed(core: ResolvedProgram) -> dict[Predicate, tuple[Kind, ...]]:
    types = argument_types(core, {}, mixed=True)
    inputs = sorted(core.reads - core.derived - core.given)
    return {p: tuple(map(_kind, types.get(p, (None,) * p.arity))) for p in inputs}


def _kind(known: StaticType | None) -> Kind:
    if known is None or not known.fits(NUMBER):
        return Kind.STRING
    return Kind.INTEGER if known.fits(INTEGER) else Kind.NUMBER


def _background(core: ResolvedProgram) -> Inputs:
    given = by_predicate((0, key) for key in core.background)
    return {predicate: kinds_of(columns_of(rows)) for predicate, (rows, _) in sorted(given.items())}


def _tables(streamed: Inputs, background: Inputs, dialect: Dialect) -> Iterator[str]:
    sign = "$" if dialect == "duckdb" else ":"
    yield f"-- {sign}first and {sign}last are the first and the last time point; u is the time point of a fact."
    for given, always, time in ((streamed, False, ", u bigint"), (background, True, "")):
        for predicate, kinds in given.items():
            columns = [
                f"{column} {kind.column}" for column, kind in zip(names(len(kinds or ())), kinds or (), strict=True)
            ]
            yield f"-- table {name(facts_table(predicate, always))}: {', '.join(columns)}{time}".replace(": ,", ":")


def _served(strata: Strata) -> dict[str, list[str]]:
    """The outputs, by the name of their relation."""
    served: dict[str, list[str]] = {}
    for predicate, relation in strata.outputs().items():
        served.setdefault(relation.name, []).append(f"-- output: {predicate}")
    return served


def _statements(statements: Iterable[Statement], served: Mapping[str, list[str]], dialect: Dialect) -> Iterator[str]:
    for statement in statements:
        notes = [f"-- {line}" for text in statement.rules for line in text.splitlines()]
        notes += served.get(statement.relation.name, [])
        kind = _TABLE[dialect] if statement.kept else "view"
        for aside in statement.asides:
            made = _TABLE[dialect] if aside.kept else "view"
            yield f"-- {aside.purpose}\ncreate temporary {made} {aside.name} as\n{pretty(aside.query, dialect)};"
        query = pretty(statement.query, dialect)
        yield "\n".join([*notes, f"create temporary {kind} {statement.relation.name} as", f"{query};"])


def _left(strata: Strata, types: Types, dialect: Dialect) -> Iterator[str]:
    """The nodes that the reasoner computes, and the tables that it fills for later statements."""
    exposed = strata.exposed()
    for node, reason in strata.left.items():
        yield f"-- left to the reasoner: {node}\n--   {reason}"
        if node in exposed:
            relation = strata.take(node, _kinds(node, types), is_empty=False)
            assert relation is not None
            yield _filled(relation, [f"-- {node}", *_served(strata).get(relation.name, [])], dialect)


def _filled(relation: Relation, notes: list[str], dialect: Dialect) -> str:
    kinds = {**dict(zip(relation.columns, relation.kinds, strict=True)), "c": Kind.INTEGER, "h": Kind.INTEGER}
    if dialect == "duckdb":
        made = f"table {relation.name} ({', '.join(f'{column} {kind.column}' for column, kind in kinds.items())})"
    else:
        nothing = ", ".join(f"cast(null as {kind.column}) as {column}" for column, kind in kinds.items())
        made = f"view {relation.name} as\n{pretty(f'select {nothing} where false', dialect)}"
    return "\n".join([*notes, f"create temporary {made};"])


def _kinds(node: Node, types: Types) -> tuple[Kind, ...]:
    """The kinds of the reasoner's results, as far as they follow from use; if a node has a time point, it is the last value."""
    predicate = getattr(node, "predicate", None)
    known = types.get(predicate, ()) if isinstance(predicate, Predicate) else ()
    kinds = [_kind(each) for each in known][: node.width]
    return (*kinds, *(Kind.INTEGER if kinds else Kind.STRING for _ in range(node.width - len(kinds))))
