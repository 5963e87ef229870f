"""Background data: tables that hold at every time point, sent to every worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from laser.errors import LaserError
from laser.spark.column_names import check_distinct
from laser.spark.columns import carrier, kind_of_type
from laser.values import Predicate
from laser.values.facts import FactInput, to_atoms

__all__ = ["Background", "read_background"]


@dataclass(frozen=True)
class Background:
    """Facts of one table; facts given one by one have no names and no kinds of columns."""

    name: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    facts: tuple[Any, ...]
    is_lifted: bool = False
    """Whether the first column is a key of which the program does not know."""

    @property
    def program_predicate(self) -> Predicate:
        """The predicate as the program has it."""
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
    if "timestamp" in kinds:
        raise LaserError(f"background {name} has a timestamp: cast it to a number or a string")
    rows = table.collect()
    if any(value is None for row in rows for value in row):
        raise LaserError(
            f"background {name} has a row with a missing value: {next(r for r in rows if None in tuple(r))}"
        )
    facts = tuple((name, *map(_cell, kinds, row)) for row in rows)
    return Background(name, kinds, tuple(table.columns), facts)


def _cell(kind: str, value: Any) -> Any:
    return float(value) if carrier(kind) == "double" else value
