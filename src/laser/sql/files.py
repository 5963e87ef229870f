"""Text files as tables: CSV and JSON Lines, read as the command line reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from laser.answers import Interval
from laser.checks.accept import accept
from laser.engine import run as reasoner
from laser.errors import LaserError
from laser.io import Rejects
from laser.io.declared_tables import NamedFile, TableOptions, tables_for
from laser.io.formats import CSV, JSONL, format_of_suffix
from laser.io.table_input import MixedTable, TableFile, TableInput
from laser.io.tables import read_tables
from laser.rules.rule import ResolvedProgram
from laser.settings import RunSettings
from laser.sql.duck import Duck
from laser.sql.engines import Engine
from laser.syntax.program import Program
from laser.values import Predicate
from laser.values.static_type import StaticType

__all__ = ["FileHistory", "files_of"]


def files_of(tables: Mapping[str, Any] | str | Path) -> list[NamedFile] | None:
    """The text files among the tables; None if there are none. A single path is a file with a column for the predicate."""
    given = {"": tables} if isinstance(tables, str | Path) else tables
    texts = [NamedFile(name, str(path)) for name, path in given.items() if _is_text(path)]
    if texts and len(texts) < len(given):
        raise LaserError("give files of CSV and JSON Lines, or tables and files of Parquet, not both in one call")
    if not texts and isinstance(tables, str | Path):
        raise LaserError(f"{tables}: a file with a column for the predicate must be CSV or JSON Lines")
    return texts or None


def _is_text(given: Any) -> bool:
    return isinstance(given, str | Path) and format_of_suffix(given) in (CSV, JSONL)


class FileHistory:
    """A program over complete text files."""

    def __init__(
        self,
        program: Program,
        settings: RunSettings,
        files: Sequence[NamedFile],
        options: TableOptions,
        rejects: Rejects | None,
        engine: Engine,
    ) -> None:
        self._program, self._engine = program, engine
        self._tables = tables_for(program, settings, files, options)
        found = read_tables(self._tables, settings.tick, rejects)
        self._facts = found.within(settings.start, settings.until)
        self._settings = replace(settings, dates=settings.dates or found.iso)
        self.core: ResolvedProgram = accept(program, self._settings)

    @property
    def last(self) -> int:
        """The last time point of the timeline."""
        until, times = self._settings.until, self._facts.times
        return until if until is not None else times[-1] if times else -1

    @property
    def types(self) -> dict[Predicate, list[StaticType]]:
        """The types of the arguments of each table."""
        return {table.predicate: [kind.static for kind in table.types] for table in self._inputs()}

    @property
    def names(self) -> dict[Predicate, list[str]]:
        """The columns of the arguments of each table, if they are given."""
        return {table.predicate: list(table.columns or table.names) for table in self._inputs()}

    def _inputs(self) -> Iterator[TableInput]:
        for table in self._tables:
            yield from _parts(table)

    def intervals(self) -> Iterator[Interval]:
        """The output, sorted by until, since and atom."""
        if self._engine == "sql":
            return iter(self._by_sql())
        stream = self._facts.by_time()
        return reasoner.intervals(self._program, stream, **self._settings.options())

    def _by_sql(self) -> list[Interval]:
        if not self._facts.times:
            return []
        start = self._settings.start
        with Duck(self.core) as duck:
            duck.load(zip(self._facts.times, self._facts.facts, strict=True))
            duck.answer(self._facts.times[0] if start is None else start, self.last)
            return duck.intervals()


def _parts(table: TableFile) -> Sequence[TableInput]:
    if isinstance(table, MixedTable):
        return table.inputs
    assert isinstance(table, TableInput)
    return [table]
