"""What is known about a table before it is opened: the predicate of its rows, and how its text is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from laser.io.dialect import PLAIN, Dialect
from laser.values import Predicate
from laser.values.declared import Declared

__all__ = ["MixedTable", "TableFile", "TableInput"]


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A file of rows with named columns; ``text`` is its content if there is no file."""

    path: str
    layout: str | None = None
    time: str | None = None
    """The column of the time, if it is given."""
    dialect: Dialect = PLAIN
    text: str | None = None


@dataclass(frozen=True, kw_only=True)
class TableInput(TableFile):
    """A file with the facts of a predicate."""

    predicate: Predicate
    names: Sequence[str] = ()
    """The names of the arguments in the program, if it declares them."""
    types: Sequence[Declared] = ()
    columns: Sequence[str] = ()
    """The columns of the arguments, if they are given; otherwise those with the names of the arguments, or all except the time."""


@dataclass(frozen=True, kw_only=True)
class MixedTable(TableFile):
    """A file with the facts of several predicates, and a column for the predicate."""

    inputs: Sequence[TableInput]
    column: str | None = None
