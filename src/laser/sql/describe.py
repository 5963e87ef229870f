"""The SQL of a program, for people: each statement under the user's rule that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from laser.checks.accept import accept
from laser.plan.build import build
from laser.rules.rule import ResolvedProgram
from laser.rules.types import argument_types
from laser.settings import ProgramOptions, RunSettings
from laser.sql.dialects import Dialect, pretty
from laser.sql.facts import by_predicate, columns_of, kinds_of
from laser.sql.kinds import Kind
from laser.sql.lower import Inputs, Lowering, facts_table, lower
from laser.sql.text import name, names
from laser.sql.timeline import Timeline
from laser.syntax.program import Program
from laser.values import Predicate
from laser.values.static_type import INTEGER, NUMBER, StaticType

__all__ = ["describe"]

_TABLE: dict[Dialect, str] = {"duckdb": "table", "spark": "view"}
"""Spark has no temporary tables; what is read twice is cached there."""

TIMELINE = Timeline(":first", ":last")


def describe(program: Program, dialect: Dialect = "duckdb", **options: Unpack[ProgramOptions]) -> str:
    """The statements of a program. Columns have the types that follow from use; where nothing is known, text."""
    core = accept(program, RunSettings.read(options, ProgramOptions))
    streamed, background = _streamed(core), _background(core)
    lowering = lower(build(core), streamed, background, TIMELINE, dialect)
    return (
        "\n\n".join([*_tables(streamed, background, dialect), *_statements(lowering, dialect), *_refused(lowering)])
        + "\n"
    )


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


def _statements(lowering: Lowering, dialect: Dialect) -> Iterator[str]:
    served: dict[str, list[str]] = {}
    for predicate, relation in lowering.outputs.items():
        served.setdefault(relation.name, []).append(f"-- output: {predicate}")
    for statement in lowering.statements:
        notes = [f"-- {line}" for text in statement.rules for line in text.splitlines()]
        notes += served.get(statement.relation.name, [])
        kind = _TABLE[dialect] if statement.kept else "view"
        for aside in statement.asides:
            made = _TABLE[dialect] if aside.kept else "view"
            yield f"-- {aside.purpose}\ncreate temporary {made} {aside.name} as\n{pretty(aside.query, dialect)};"
        query = pretty(statement.query, dialect)
        yield "\n".join([*notes, f"create temporary {kind} {statement.relation.name} as", f"{query};"])


def _refused(lowering: Lowering) -> Iterator[str]:
    for node, reason in lowering.refused.items():
        yield f"-- not lowered: {node}\n--   {reason}"
