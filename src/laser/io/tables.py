"""Ordinary tables as streams: a file of rows with named columns is the facts of one predicate.

A table is complete, so its rows may come in any order: they are sorted by time, then by input, then by row. What a column has is
read by the type that the program declares (``#input``) or, without one, by how the rules use it. A row that does not fit is
malformed, with its line, its column, its value and what was expected.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice, repeat
from operator import le
from typing import Any, NamedTuple

from laser.errors import FactError, LaserError
from laser.io.ahead import Ahead
from laser.io.columns import Memo, from_json_values, from_texts
from laser.io.formats import format_of
from laser.io.lines import source_name
from laser.io.records import Item, Malformed, Record, Rejects, accept_records, reason_of
from laser.io.table_blocks import Field, NumberedRow, Row, TableBlock, live_rows, table_blocks
from laser.phrases import listed
from laser.ticks import Tick, check_time, is_date
from laser.values import Atom, Predicate
from laser.values.declared import Declared

__all__ = ["TIMES", "Facts", "TableInput", "follow_table", "read_tables"]

TIMES = ("time", "timestamp", "ts")
"""The columns that are the time where none is named, the first that there is."""


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


class Facts(NamedTuple):
    """The facts of a stream that is complete, in the order of time, by column: their times, and the facts as flat tuples."""

    times: list[int]
    facts: list[tuple[Any, ...]]
    iso: bool

    def between(self, first: int, last: int) -> Facts:
        """A part of it, by the places of the facts."""
        return Facts(self.times[first:last], self.facts[first:last], self.iso)

    def by_time(self) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
        """The facts of each time point that has some."""
        end = 0
        while end < len(self.times):
            begin, time = end, self.times[end]
            end = bisect_right(self.times, time, begin)
            yield time, self.facts[begin:end]

    def records(self) -> Iterator[Record]:
        """The same, one by one; where each came from is forgotten."""
        for time, fact in zip(self.times, self.facts, strict=True):
            yield Record(time, (Atom.of(fact),), self.iso, 0, "")


def read_tables(
    inputs: Sequence[TableInput], tick: Tick, rejects: Rejects | None = None, ahead: Ahead | None = None
) -> Facts:
    """The rows of all tables as one stream, in the order of time; those too far ``ahead`` are malformed."""
    times: list[int] = []
    facts: list[tuple[Any, ...]] = []
    kinds: set[bool] = set()
    for table in inputs:
        reader = _Reader(table, tick, ahead)
        for block in table_blocks(table.path, format_of(table.path, table.layout), table.delimiter):
            found = reader.bulk(block)
            if found is None:
                items = _named(reader.items(block.rows()), len(inputs) > 1 and table.path)
                records = list(accept_records(items, rejects, source_name(table.path)))
                kinds.update(record.iso for record in records)
                found = [record.time for record in records], [tuple(record.facts[0]) for record in records]
            else:
                kinds.add(reader.iso)
            times += found[0]
            facts += found[1]
    if len(kinds) > 1:
        raise LaserError("some times are dates and others are numbers: turn one into the other first")
    return _sorted(Facts(times, facts, True in kinds))


def _sorted(found: Facts) -> Facts:
    """By time; rows of one time point stay in their order."""
    times = found.times
    if all(map(le, times, islice(times, 1, None))):
        return found
    order = sorted(range(len(times)), key=times.__getitem__)
    return Facts([times[i] for i in order], [found.facts[i] for i in order], found.iso)


def follow_table(
    table: TableInput, tick: Tick, rejects: Rejects | None = None, ahead: Ahead | None = None
) -> Iterator[Record]:
    """The rows of a table as they come: standard input, or a file that grows. They are not sorted."""
    rows = live_rows(table.path, format_of(table.path, table.layout), table.delimiter)
    return accept_records(_Reader(table, tick, ahead).items(rows), rejects, source_name(table.path))


def _named(items: Iterable[Item], path: str | bool) -> Iterator[Item]:
    """What is malformed, with the file where there are several."""
    for item in items:
        yield item._replace(reason=f"{path}: {item.reason}") if path and isinstance(item, Malformed) else item


class _Reader:
    """Reads one table; which column is what is settled with its first row."""

    def __init__(self, table: TableInput, tick: Tick, ahead: Ahead | None) -> None:
        self.table, self.tick, self.ahead = table, tick, ahead
        self.time = ""
        self.args: Sequence[str] = ()
        self.iso = False
        self._kinds: set[bool] = set()
        self._points = Memo(self._point)
        self._memos = [Memo(partial(self._read, kind)) for kind in table.types]

    def bulk(self, block: TableBlock) -> tuple[list[int], list[tuple[Any, ...]]] | None:
        """The times and facts of a block; None where some row needs a closer look."""
        if not self.time and (names := block.names()) is not None:
            self._settle(names)
        found = block.columns([self.time, *self.args]) if self.time else None
        if not found:
            return None
        moments, *values = found
        times = self._times(moments)
        convert = from_texts if block.is_text else from_json_values
        columns = [convert(*given) for given in zip(values, self.table.types, self._memos, strict=True)]
        if times is None or not times or any(column is None for column in columns):
            return None
        return times, list(zip(repeat(self.table.predicate.name), *columns))

    def _times(self, moments: Sequence[Any]) -> list[int] | None:
        """The time points of a column; all are dates, or none."""
        if len(set(map(type, moments))) != 1:
            return None
        points = self._points.all(moments)
        if not points or len(self._kinds) > 1:
            return None
        self.iso = True in self._kinds
        return None if self.iso and self.ahead is not None and not self.ahead.covers(max(points)) else points

    def _point(self, moment: Any) -> int:
        time, iso = self._time(moment)
        self._kinds.add(iso)
        return time

    def _read(self, kind: Declared, text: str) -> Any:
        """A field, or a text of a type of its own that is written as one."""
        if not text and kind is not Declared.STRING:
            raise FactError("it is missing")
        return kind.read(text)

    def items(self, rows: Iterable[NumberedRow]) -> Iterator[Item]:
        """Rows one by one, with what is wrong with some."""
        for number, text, row in rows:
            if isinstance(row, str):
                yield Malformed(number, text, row)
                continue
            if not self.time:
                self._settle(list(row))
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
            return kind.read(str(value)) if isinstance(value, Field) else kind.check(value)
        except FactError as error:
            raise FactError(f"column {column}: {error}") from None
