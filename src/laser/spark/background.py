"""Background data: tables that hold at every time point, sent to every worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql.functions import coalesce, col, concat, expr, lit, when

from laser.errors import FactError, LaserError
from laser.spark.cluster import named
from laser.spark.column_names import check_distinct, quoted
from laser.spark.columns import conversion, kind_of_type
from laser.values import Predicate
from laser.values.facts import FactInput, to_atoms

__all__ = ["Background", "read_background"]


@dataclass(frozen=True)
class Background:
    """The facts of one table; facts that are given one by one have no column names and kinds."""

    name: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    facts: tuple[Any, ...]
    is_lifted: bool = False
    """Whether the first column is a key that the program does not have."""

    @property
    def program_predicate(self) -> Predicate:
        """The predicate as in the program."""
        return Predicate(self.name, len(self.names) - self.is_lifted)

    def led_by(self, key: str) -> Background:
        """The same with the key as its first column."""
        i = self.names.index(key)
        order = [i, *(j for j in range(len(self.names)) if j != i)]
        facts = tuple((fact[0], *(fact[j + 1] for j in order)) for fact in self.facts)
        kinds, names = tuple(self.kinds[j] for j in order), tuple(self.names[j] for j in order)
        return Background(self.name, kinds, names, facts, is_lifted=True)


def read_background(given: Mapping[str, DataFrame] | Iterable[FactInput]) -> list[Background]:
    """Tables by the names of their predicates, or facts."""
    if isinstance(given, Mapping):
        return [_table(name.partition("/")[0], table) for name, table in given.items()]
    facts = tuple(to_atoms(given))
    return [Background("", (), (), facts)] if facts else []


def _table(name: str, table: DataFrame) -> Background:
    if table.isStreaming:
        raise LaserError(f"background {name} is a stream: it must be a static DataFrame")
    check_distinct(f"background {name}", table)
    kinds = tuple(kind_of_type(kind, column) for column, kind in table.dtypes)
    cells = [conversion(kind).carried(quoted(column)) for kind, column in zip(kinds, table.columns, strict=True)]
    odd = _oddity(table, kinds)
    with named(table.sparkSession, f"read background {name}"):
        rows = table.select(*(expr(cell).alias(f"c{i}") for i, cell in enumerate(cells)), odd.alias("odd")).collect()
    for row in rows:
        if row["odd"] is not None:
            raise LaserError(f"background {name} has a row that does not fit: {row['odd']}")
    rows = [row[:-1] for row in rows]
    if any(value is None for row in rows for value in row):
        raise LaserError(
            f"background {name} has a row with a missing value: {next(tuple(r) for r in rows if None in tuple(r))}"
        )
    try:
        columns = [conversion(kind).values([row[i] for row in rows]) for i, kind in enumerate(kinds)]
    except FactError as error:
        raise LaserError(f"background {name}: {error}") from None
    facts = tuple((name, *(column[i] for column in columns)) for i in range(len(rows)))
    return Background(name, kinds, tuple(table.columns), facts)


def _oddity(table: DataFrame, kinds: Sequence[str]) -> Column:
    """Why a cell of a row is not a value; null if all are."""
    found = [
        when(expr(test), concat(lit(f"{column} is "), col(quoted(column)).cast("string"), lit(f", which {words}")))
        for kind, column in zip(kinds, table.columns, strict=True)
        for test, words in conversion(kind).oddities(quoted(column))
    ]
    return coalesce(*found, lit(None).cast("string"))
