"""Tables as inputs: Parquet files, and Arrow, pandas or Polars tables, whose columns DuckDB reads without a Python object per row.

The arguments of a predicate are the columns of its table except the time, in order. A column has one type, so values are never
guessed: values that the language does not have (NULL, an infinite number) are refused, with the number of rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from fractions import Fraction
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from laser.errors import FactError, LaserError, TimeError
from laser.io.table_reader import TIMES
from laser.sql.kinds import Kind, text
from laser.sql.text import comma, name, names
from laser.syntax.tree import InputDirective
from laser.ticks import Tick
from laser.values import Atom, Predicate, check_predicate_name, static_type
from laser.values.declared import Declared
from laser.values.number import number
from laser.values.static_type import StaticType
from laser.zones import shifts

if TYPE_CHECKING:
    import duckdb

__all__ = ["Extent", "Table", "extent_of", "facts_of", "open_tables"]

_WHOLE = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|UINTEGER|DECIMAL\(\d+,0\)")
_DECIMAL = re.compile(r"DECIMAL\((\d+),\d+\)")
_DIGITS = 15
"""The number of decimal digits that a double preserves."""


Inputs = Mapping[Predicate, InputDirective]
"""The inputs that a program declares."""
_FITS: Mapping[Kind, tuple[Declared, ...]] = {
    Kind.INTEGER: (Declared.INTEGER, Declared.NUMBER),
    Kind.NUMBER: (Declared.NUMBER,),
    Kind.STRING: (Declared.STRING, Declared.BOOLEAN),
    Kind.IRI: (Declared.IRI,),
    Kind.ANY: (),
}

Ask = Callable[[str], list[tuple[Any, ...]]]
"""A function that returns the rows of a query."""


class Extent(NamedTuple):
    """The number of rows, and the first and the last time point."""

    rows: int
    first: int
    last: int


@dataclass(frozen=True)
class Column:
    """A column as values of the language: its name in the table, its SQL, its kind, and a test for invalid values."""

    name: str
    sql: str
    kind: Kind
    bad: str
    type: StaticType = static_type.INTEGER


@dataclass(frozen=True)
class Table:
    """The facts of one predicate, in a relation of DuckDB."""

    predicate: Predicate
    source: str
    columns: tuple[Column, ...]
    time: Column
    is_dated: bool
    """Whether its times are dates, not numbers of time points."""

    def facts(self, first: int, last: int) -> str:
        """The facts within a timeline, as (a1, …, ak, u)."""
        values = comma(f"{column.sql} as {a}" for column, a in zip(self.columns, names(len(self.columns)), strict=True))
        return (
            f"select {values}{self.time.sql} as u from {self.source} where {self.time.sql} between {first} and {last}"
        )


def open_tables(
    connection: duckdb.DuckDBPyConnection,
    given: Mapping[str, Any],
    time: str | None,
    tick: Tick,
    inputs: Inputs,
    columns: Mapping[str, Sequence[str]],
) -> list[Table]:
    """The tables by the names of their predicates; LaserError if one is not usable, or not as the program declares."""
    tables = [
        _open(connection, check_predicate_name(key), table, time, tick, _Arguments.of(key, inputs, columns))
        for key, table in given.items()
    ]
    if len({table.is_dated for table in tables}) > 1:
        raise LaserError("some tables have dates as times and others numbers; convert them to the same kind")
    return tables


@dataclass(frozen=True)
class _Arguments:
    """The columns of the arguments of a predicate, and their types, as far as they are given."""

    columns: Sequence[str] = ()
    types: Sequence[Declared] = ()

    @classmethod
    def of(cls, name: str, inputs: Inputs, columns: Mapping[str, Sequence[str]]) -> _Arguments:
        found = next((given for predicate, given in inputs.items() if predicate.name == name), None)
        if found is None:
            return cls(columns.get(name, ()))
        chosen = columns.get(name) or [field for field, _ in found.fields]
        if len(chosen) != len(found.fields):
            raise LaserError(
                f"{found.predicate} has {len(found.fields)} arguments, not the columns {', '.join(chosen)}"
            )
        return cls(chosen, [declared for _, declared in found.fields])

    def check(self, predicate: str, found: Sequence[Column]) -> None:
        """Refuse columns that do not have the declared types."""
        for column, declared in zip(found, self.types, strict=False):
            if declared is not Declared.ANY and declared not in _FITS[column.kind]:
                raise LaserError(
                    f"the column {column.name} of the table {predicate} does not have the type {declared.value}, "
                    "which the program declares: cast the column"
                )


def _open(
    connection: duckdb.DuckDBPyConnection,
    predicate: str,
    given: Any,
    time: str | None,
    tick: Tick,
    arguments: _Arguments,
) -> Table:
    source = _source(connection, predicate, given)
    types = {row[0]: row[1] for row in connection.execute(f"describe select * from {source}").fetchall()}
    moment = time or next((name for name in TIMES if name in types), "time")
    if moment not in types:
        raise LaserError(f"the table {predicate} has no column {moment!r} for the time: it has {', '.join(types)}")
    names = arguments.columns or [name for name in types if name != moment]
    missing = [name for name in names if name not in types]
    if missing:
        said = ", which the program declares" if arguments.types else ""
        raise LaserError(f"the table {predicate} has no column {missing[0]!r}{said}: it has {', '.join(types)}")
    columns = tuple(_column(predicate, name, types[name]) for name in names)
    arguments.check(predicate, columns)
    dated = not _WHOLE.fullmatch(types[moment])
    place = _time(predicate, moment, types[moment], tick)
    return Table(Predicate(predicate, len(columns)), source, columns, place, dated)


def _source(connection: duckdb.DuckDBPyConnection, predicate: str, given: Any) -> str:
    if not isinstance(given, str | Path):
        connection.register(f"given {predicate}", given)
        return name(f"given {predicate}")
    path = str(given)
    if not (path.endswith((".parquet", "/", "*")) or Path(path).is_dir()):
        raise LaserError(
            f"{path} is not a Parquet file: read it into a pandas, Arrow or Polars table first, which has column types"
        )
    pattern = f"{path.rstrip('/')}/**/*.parquet" if Path(path).is_dir() else path
    return f"read_parquet({text(pattern)})"


def _column(predicate: str, column: str, kind: str) -> Column:
    sql = name(column)
    if _WHOLE.fullmatch(kind):
        return Column(column, f"cast({sql} as bigint)", Kind.INTEGER, f"{sql} is null")
    decimal = _DECIMAL.fullmatch(kind)
    if kind in ("FLOAT", "DOUBLE") or (decimal and int(decimal[1]) <= _DIGITS):
        double = f"cast({sql} as double)"
        return Column(column, double, Kind.NUMBER, f"{sql} is null or not isfinite({double})", static_type.NUMBER)
    if kind == "BOOLEAN":
        return Column(
            column, f"case when {sql} then 'true' else 'false' end", Kind.STRING, f"{sql} is null", static_type.BOOLEAN
        )
    if kind == "VARCHAR" or kind.startswith("ENUM("):
        return Column(column, f"cast({sql} as varchar)", Kind.STRING, f"{sql} is null", static_type.STRING)
    cure = "cast it to double, or to an integer" if decimal else "cast it, or leave it out"
    raise LaserError(
        f"the column {column} of the table {predicate} has the type {kind}, which Laser does not support: {cure}"
    )


def _time(predicate: str, column: str, kind: str, tick: Tick) -> Column:
    sql = name(column)
    if _WHOLE.fullmatch(kind):
        return Column(column, f"cast({sql} as bigint)", Kind.INTEGER, f"{sql} is null or {sql} < 0")
    if not kind.startswith(("TIMESTAMP", "DATE")):
        raise LaserError(f"the column {column} of the table {predicate} has the type {kind}, which is not a time")
    micro = f"epoch_us({sql})" if kind != "DATE" else f"epoch_us(cast({sql} as timestamp))"
    if not kind.endswith("WITH TIME ZONE"):
        micro = _in_zone(micro, tick.zone)
    step = tick.seconds * Fraction(1_000_000)
    scaled = micro if step.denominator == 1 else f"{micro} * {step.denominator}"
    return Column(column, f"({scaled} // {step.numerator})", Kind.INTEGER, f"{sql} is null or {micro} < 0")


def _in_zone(micro: str, zone: tzinfo) -> str:
    """The local time of a zone as an instant: minus the offset since the last change of the clocks."""
    if zone is UTC:
        return micro
    first, *later = shifts(zone)
    cases = " ".join(
        f"when {micro} >= {shift.local * 1_000_000} then {shift.offset * 1_000_000}" for shift in reversed(later)
    )
    offset = f"case {cases} else {first.offset * 1_000_000} end" if later else str(first.offset * 1_000_000)
    return f"({micro} - ({offset}))"


def extent_of(ask: Ask, tables: list[Table]) -> Extent | None:
    """Read all rows once: FactError if a value is invalid, None if there are no rows."""
    found = [extent for table in tables if (extent := _look(ask, table)) is not None]
    if not found:
        return None
    return Extent(sum(e.rows for e in found), min(e.first for e in found), max(e.last for e in found))


def _look(ask: Ask, table: Table) -> Extent | None:
    checked = [*table.columns, table.time]
    bad = "".join(f", count(*) filter (where {column.bad})" for column in checked)
    query = f"select count(*), min({table.time.sql}), max({table.time.sql}){bad} from {table.source}"
    rows, first, last, *counts = ask(query)[0]
    for column, count in zip(checked, counts, strict=True):
        if count:
            _refuse(table, column, count)
    return Extent(rows, first, last) if rows else None


def _refuse(table: Table, column: Column, count: int) -> None:
    where = f"{count} of the rows of {table.predicate.name} have no {{}} in the column {column.name}: filter them first"
    if column is table.time:
        raise TimeError(where.format("time point (from 1970 on, not empty)"))
    raise FactError(where.format("value (empty, or not finite)"))


def facts_of(
    connection: duckdb.DuckDBPyConnection, tables: list[Table], first: int, last: int
) -> Iterator[tuple[int, list[Atom]]]:
    """The same facts as a stream for the reasoner, sorted by time, then by table."""
    rows = merge(*(_rows(connection, table, place, first, last) for place, table in enumerate(tables)))
    for time, group in groupby(rows, key=lambda row: row[0]):
        yield time, [Atom.of(key) for _, _, _, key in group]


def _rows(
    connection: duckdb.DuckDBPyConnection, table: Table, place: int, first: int, last: int
) -> Iterator[tuple[int, int, int, tuple[Any, ...]]]:
    """Time, position of the table, number of the row, and the atom, in this order."""
    label = (table.predicate.name,)
    query = f"select * from ({table.facts(first, last)}) as facts order by u"
    count = 0
    for batch in connection.sql(query).to_arrow_table().to_batches(10_000):
        for *values, u in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            count += 1
            yield u, place, count, label + tuple(number(v) if type(v) is float else v for v in values)
