"""Ordinary tables as streams: a file of rows with named columns is the facts of one predicate.

A table is complete, so its rows may come in any order: they are sorted by time, then by input, then by row. What a column has is
read by the type that the program declares (``#input``) or, without one, by how the rules use it. A row that does not fit is
malformed, with its line, its column, its value and what was expected.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

from laser.errors import FactError, LaserError
from laser.io.ahead import Ahead
from laser.io.formats import CSV, JSONL, PARQUET, TEXT, format_of
from laser.io.formats.jsonl import read_object
from laser.io.lines import STDIN, open_lines, source_name
from laser.io.records import Item, Malformed, Record, Rejects, accept_records, reason_of
from laser.phrases import listed
from laser.ticks import Tick, check_time, is_date
from laser.values import Atom, Predicate
from laser.values.declared import Declared

__all__ = ["TIMES", "TableInput", "follow_table", "read_tables"]

TIMES = ("time", "timestamp", "ts")
"""The columns that are the time where none is named, the first that there is."""

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TableInput:
    """A file as the facts of a predicate."""

    predicate: Predicate
    path: str
    layout: str | None = None
    names: Sequence[str] = ()
    """What the program calls the arguments, where it says so."""
    types: Sequence[Declared] = ()
    columns: Sequence[str] = ()
    """The columns of the arguments, where they are named; else those called as the arguments, or all but the time."""
    time: str | None = None
    delimiter: str = ","


def read_tables(
    inputs: Sequence[TableInput], tick: Tick, rejects: Rejects | None = None, ahead: Ahead | None = None
) -> list[Record]:
    """The rows of all tables as the records of one stream, in the order of time; those too far ``ahead`` are malformed."""
    several = len(inputs) > 1
    records = [
        record
        for table in inputs
        for record in accept_records(
            _named(_Reader(table, tick, ahead).items(), several and table.path), rejects, source_name(table.path)
        )
    ]
    if len({record.iso for record in records}) > 1:
        raise LaserError("some times are dates and others are numbers: turn one into the other first")
    return sorted(records, key=attrgetter("time"))


def follow_table(
    table: TableInput, tick: Tick, rejects: Rejects | None = None, ahead: Ahead | None = None
) -> Iterator[Record]:
    """The rows of a table as they come: standard input, or a file that grows. They are not sorted."""
    return accept_records(_Reader(table, tick, ahead, grows=True).items(), rejects, source_name(table.path))


def _named(items: Iterable[Item], path: str | bool) -> Iterator[Item]:
    """What is malformed, with the file where there are several."""
    for item in items:
        yield item._replace(reason=f"{path}: {item.reason}") if path and isinstance(item, Malformed) else item


class _Reader:
    """Reads one table; which column is what is settled with its first row."""

    def __init__(self, table: TableInput, tick: Tick, ahead: Ahead | None, grows: bool = False) -> None:
        self.table, self.tick, self.ahead, self.grows = table, tick, ahead, grows
        self.time = ""
        self.args: Sequence[str] = ()

    def items(self) -> Iterator[Item]:
        is_known = False
        for number, text, row in _rows(self.table, self.grows):
            if isinstance(row, str):
                yield Malformed(number, text, row)
                continue
            if not is_known:
                self._settle(list(row))
                is_known = True
            try:
                time, iso = self._time(row.get(self.time))
                if iso and self.ahead is not None and (fault := self.ahead.fault(time, number)) is not None:
                    raise FactError(f"column {self.time}: {fault}")
                yield Record(time, (self._fact(row),), iso, number, text)
            except (LaserError, ValueError) as error:
                yield Malformed(number, text, reason_of(error))

    def _settle(self, columns: list[str]) -> None:
        table = self.table
        self.time = table.time or next((name for name in TIMES if name in columns), "")
        if self.time not in columns:
            asked = f"there is no column {self.time!r}" if self.time else "which column is the time? Say --time COLUMN"
            raise LaserError(f"{table.path}: {asked}; its columns are {listed(columns, 'and')}")
        rest = [name for name in columns if name != self.time]
        self.args = table.columns or table.names or rest
        missing = [name for name in self.args if name not in columns]
        if missing:
            raise LaserError(
                f"{table.path}: there is no column {missing[0]!r}; its columns are {listed(columns, 'and')}"
            )
        if len(self.args) != table.predicate.arity:
            name = table.predicate.name
            raise LaserError(
                f"{table.path}: the program reads {table.predicate}, and there are {len(self.args)} columns for its arguments "
                f"({', '.join(self.args)}): name those that are meant, as in --columns {name}={','.join(rest[: table.predicate.arity])}"
            )

    def _time(self, value: Any) -> tuple[int, bool]:
        if value is None or value == "":
            raise FactError(f"column {self.time} is missing")
        if isinstance(value, str | datetime):
            text = value.strip() if isinstance(value, str) else value
            try:
                return self.tick.point(int(text) if isinstance(text, str) and text.isdigit() else text), is_date(text)
            except LaserError as error:
                raise FactError(f"column {self.time}: {error}") from None
        return check_time(value), False

    def _fact(self, row: Row) -> Atom:
        name, types = self.table.predicate.name, self.table.types
        return Atom.of((name, *(self._value(row, arg, kind) for arg, kind in zip(self.args, types, strict=True))))

    def _value(self, row: Row, column: str, kind: Declared) -> Any:
        value = row.get(column)
        if value is None or (value == "" and kind is not Declared.STRING):
            raise FactError(f"column {column} is missing: {kind.words} is expected")
        try:
            return kind.read(str(value)) if isinstance(value, _Field) else kind.check(value)
        except FactError as error:
            raise FactError(f"column {column}: {error}") from None


class _Field(str):
    """A field of CSV: its text has no type of its own."""

    __slots__ = ()


def _rows(table: TableInput, grows: bool = False) -> Iterator[tuple[int, str, Row | str]]:
    """The rows of a file with their numbers and texts; a text in place of a row says why there is none."""
    form = format_of(table.path, table.layout)
    if form is PARQUET:
        if grows and table.path != STDIN:
            raise LaserError(f"{table.path}: a file of {form.title} is complete, so the clock does not matter to it")
        for number, row in enumerate(PARQUET.rows(table.path), 1):
            yield number, json.dumps(row, ensure_ascii=False, default=str), row
    elif form is JSONL:
        yield from _json_rows(table.path, grows)
    elif form in (CSV, TEXT):
        yield from _csv_rows(table.path, table.delimiter, grows)
    else:
        raise LaserError(f"{table.path}: {form.title} is not a format of tables")


def _json_rows(path: str | Path, grows: bool) -> Iterator[tuple[int, str, Row | str]]:
    with open_lines(path, grows) as lines:
        for number, text, fault in lines:
            if fault is not None or not text.strip():
                if fault is not None:
                    yield number, text, fault
                continue
            try:
                yield number, text, read_object(text)
            except (FactError, RecursionError) as error:
                yield number, text, reason_of(error)


def _csv_rows(path: str | Path, delimiter: str, grows: bool) -> Iterator[tuple[int, str, Row | str]]:
    header: list[str] | None = None
    with open_lines(path, grows) as lines:
        for number, text, fault in CSV.gather(lines):
            if fault is not None:
                yield number, text, fault
                continue
            fields = _fields(text, delimiter)
            if not fields:
                continue
            if header is None:
                header = [name.strip() for name in fields]
                _check_header(path, header)
                continue
            yield number, text, _row(header, fields)
    if header is None:
        raise LaserError(f"{path} is empty: a table begins with a line of the names of its columns")


def _fields(text: str, delimiter: str) -> list[str]:
    return next(csv.reader([text.rstrip("\r")], delimiter=delimiter), [])


def _row(header: Sequence[str], fields: Sequence[str]) -> Row | str:
    if len(fields) != len(header):
        return f"the row has {len(fields)} fields, and the header has {len(header)}"
    return dict(zip(header, map(_Field, fields), strict=True))


def _check_header(path: str | Path, header: Iterable[str]) -> None:
    names = list(header)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise LaserError(f"{path}: two columns are called {twice!r}; rename one of them")
