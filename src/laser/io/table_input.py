"""What is known of a table before it is opened: whose facts its rows are, and how its text is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laser.io.dialect import PLAIN, Dialect
from laser.values import Predicate
from laser.values.declared import Declared

__all__ = ["MixedTable", "TableFile", "TableInput"]


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A file of rows with named columns; ``text`` stands for its content where there is no file."""

    path: str
    layout: str | None = None
    time: str | None = None
    """The column of the time, where it is named."""
    dialect: Dialect = PLAIN
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class TableInput(TableFile):
    """A file as the facts of a predicate."""

    predicate: Predicate
    names: Sequence[str] = ()
    """What the program calls the arguments, where it says so."""
    types: Sequence[Declared] = ()
    columns: Sequence[str] = ()
    """The columns of the arguments, where they are named; else those called as the arguments, or all but the time."""


@dataclass(frozen=True, kw_only=True)
class MixedTable(TableFile):
    """A file as the facts of several predicates: a column says of which one each row is."""

    inputs: Sequence[TableInput]
    column: str | None = None
