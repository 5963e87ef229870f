"""Intervals as Parquet: a file for each output predicate, in a folder with its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import assert_never
from urllib.parse import quote

from laser.answers import Interval
from laser.errors import LaserError
from laser.sql.duck import Duck
from laser.sql.facts import columns_of, kinds_of
from laser.sql.kinds import Kind, text
from laser.sql.relation import Relation
from laser.sql.terms import Expression
from laser.sql.text import comma
from laser.values import Predicate

__all__ = ["keep", "write"]


def keep(duck: Duck, found: Iterable[Interval]) -> None:
    """Store intervals that the reasoner found as the relations of the output."""
    rows: dict[Predicate, list[Interval]] = {}
    for interval in found:
        rows.setdefault(interval.atom.signature, []).append(interval)
    for number, (predicate, several) in enumerate(sorted(rows.items())):
        kinds = kinds_of(columns_of(interval.atom.args for interval in several))
        if kinds is None:
            raise _no_columns(predicate)
        duck.outputs[predicate] = relation = Relation(f"o{number}", kinds, coalesced=True)
        columns = columns_of((*i.atom.args, i.since, i.until) for i in several)
        typed = zip(columns, (*kinds, Kind.INTEGER, Kind.INTEGER), strict=True)
        duck.put(relation.name, dict(zip([*relation.columns, "c", "h"], typed, strict=True)))


def write(duck: Duck, folder: Path, last: int) -> dict[Predicate, Path]:
    """The columns are the arguments, ``since``, ``until``, and whether the interval is still ``open`` at the end."""
    for predicate in duck.loose:
        raise _no_columns(predicate)
    written: dict[Predicate, Path] = {}
    for predicate, relation in duck.outputs.items():
        if not relation.empty:
            path = folder / _folder(predicate, duck.outputs) / "intervals.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            with duck.exactly():
                duck.ask(f"copy ({_rows(relation, duck.output(relation), last)}) to {text(str(path))} (format parquet)")
            written[predicate] = path
    return written


def _no_columns(predicate: Predicate) -> LaserError:
    return LaserError(f"{predicate} has values that no column of a table can have")


def _folder(predicate: Predicate, outputs: Mapping[Predicate, Relation]) -> str:
    """The name of a predicate, with its number of arguments if another predicate has the same name."""
    alone = sum(other.name == predicate.name for other in outputs) == 1
    return quote(predicate.name if alone else f"{predicate.name}-{predicate.arity}", safe="")


def _rows(relation: Relation, source: str, last: int) -> str:
    columns = [f"{_written(value)} as {a}" for value, a in zip(relation.values("r"), relation.columns, strict=True)]
    return f"select {comma(columns)}r.c as since, r.h as until, r.h = {last} as open from {source} as r"


def _written(value: Expression) -> str:
    """A value in a column of a table: an IRI is text in angle brackets, and a column with several types is text."""
    sql = value.sql
    match value.kind:
        case Kind.INTEGER | Kind.NUMBER | Kind.STRING:
            return sql
        case Kind.IRI:
            return f"'<' || {sql} || '>'"
        case Kind.ANY:
            whole = f"cast(cast(({sql}).n as bigint) as varchar)"
            number = f"case when ({sql}).n = floor(({sql}).n) then {whole} else cast(({sql}).n as varchar) end"
            return f"case ({sql}).k when 0 then {number} when 1 then ({sql}).s else '<' || ({sql}).s || '>' end"
        case _:
            assert_never(value.kind)
