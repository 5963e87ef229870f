"""Makes facts of the rows of a table: finds the meaning of each column, and what is wrong with a malformed row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import repeat
from typing import Any

from laser.errors import FactError, LaserError
from laser.io.ahead import Ahead
from laser.io.columns import Memo, from_json_values, from_texts
from laser.io.formats import JSONL, format_of
from laser.io.records import Item, Malformed, Record, reason_of
from laser.io.table_blocks import Field, NumberedRow, Row, TableBlock
from laser.io.table_input import MixedTable, TableFile, TableInput
from laser.phrases import count, listed, quoted
from laser.ticks import Tick, check_time, is_date
from laser.values import Atom
from laser.values.declared import Declared

__all__ = ["PREDICATE", "TIMES", "MixedReader", "TableReader", "make_reader"]

TIMES = ("time", "timestamp", "ts")
"""The columns that can be the time if none is given. The first that exists is used."""
PREDICATE = "predicate"
"""The column of the predicate if none is given."""

Columns = tuple[list[int], list[tuple[Any, ...]]]
"""Times, and facts as flat tuples."""


class TableReader:
    """Reads a table of one predicate; the first row decides the meaning of the columns."""

    def __init__(self, table: TableInput, tick: Tick, ahead: Ahead | None) -> None:
        self.table, self.tick, self.ahead = table, tick, ahead
        self.time = ""
        self.args: Sequence[str] = ()
        self.iso = False
        self._is_sparse = format_of(table.path, table.layout) is JSONL
        self._kinds: set[bool] = set()
        self._points = Memo(self._point)
        self._memos = [Memo(partial(self._read, kind)) for kind in table.types]

    def bulk(self, block: TableBlock) -> Columns | None:
        """The times and facts of a block; None if some row needs a closer look."""
        if not self.time and (names := block.names()) is not None:
            self.settle(names)
        found = block.columns([self.time, *self.args]) if self.time else None
        if not found:
            return None
        moments, *values = found
        times = self._times(moments)
        columns = [self._column(block, *given) for given in zip(values, self.table.types, self._memos, strict=True)]
        if times is None or not times or any(column is None for column in columns):
            return None
        return times, list(zip(repeat(self.table.predicate.name), *columns))

    def _column(self, block: TableBlock, values: Sequence[Any], kind: Declared, memo: Memo) -> Sequence[Any] | None:
        if not block.is_text:
            return from_json_values(values, kind, memo)
        return from_texts(values, kind, memo) if self.table.dialect.has_point else memo.all(values)

    def _times(self, moments: Sequence[Any]) -> list[int] | None:
        """The time points of a column; either all are dates, or none."""
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
        """The value of a CSV field, or of a typed text that is written as one."""
        if not text and kind is not Declared.STRING:
            raise FactError("it is missing")
        return kind.read(self.table.dialect.plain(text, kind), self.tick.zone)

    def items(self, rows: Iterable[NumberedRow]) -> Iterator[Item]:
        """Rows one by one, or what is wrong with them."""
        for number, text, row in rows:
            yield Malformed(number, text, row) if isinstance(row, str) else self.item(number, text, row)

    def item(self, number: int, text: str, row: Row) -> Item:
        """A row as a fact, or what is wrong with it."""
        if not self.time and (fault := self._unsettled(row)) is not None:
            return Malformed(number, text, fault)
        try:
            time, iso = self._time(row.get(self.time))
            if iso and self.ahead is not None and (fault := self.ahead.fault(time, number)) is not None:
                raise FactError(f"column {self.time}: {fault}")
            return Record(time, (self._fact(row),), iso, number, text)
        except (LaserError, ValueError) as error:
            return Malformed(number, text, reason_of(error))

    def _unsettled(self, row: Row) -> str | None:
        """Decide the meaning of the columns by a row; if that is not possible, return why."""
        try:
            self.settle(list(row), is_sparse=self._is_sparse)
        except FactError as error:
            return reason_of(error)
        return None

    def settle(self, columns: list[str], is_sparse: bool = False) -> None:
        """Decide the meaning of the columns. If rows may leave columns out (``is_sparse``), more can appear later."""
        table = self.table
        time = time_column(table, columns, is_sparse)
        rest = [name for name in columns if name != time]
        self.args = table.columns or table.names or rest
        missing = [name for name in self.args if name not in columns]
        if missing and not is_sparse:
            raise LaserError(f"{table.path}: there is no column {missing[0]!r}; {_said(columns)}")
        if len(self.args) != table.predicate.arity:
            name = table.predicate.name
            raise LaserError(
                f"{table.path}: the program reads {table.predicate}, but there {'is' if len(self.args) == 1 else 'are'} {count(len(self.args), 'column')} for its arguments "
                f"({', '.join(self.args)}); name the right ones, as in --columns {name}={','.join(rest[: table.predicate.arity])}"
            )
        self.time = time

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
            return self._read(kind, str(value)) if isinstance(value, Field) else kind.check(value, self.tick.zone)
        except FactError as error:
            raise FactError(f"column {column}: {error}") from None


class MixedReader:
    """Reads a table of several predicates with a column for their names. Rows of other predicates are skipped and reported."""

    def __init__(self, table: MixedTable, tick: Tick, ahead: Ahead | None, tell: Callable[[str], object]) -> None:
        self.table, self._tell = table, tell
        self.iso = False
        self._column = ""
        self._is_sparse = format_of(table.path, table.layout) is JSONL
        self._readers = {each.predicate.name: TableReader(each, tick, ahead) for each in table.inputs}
        self._passed: set[str] = set()

    def bulk(self, block: TableBlock) -> Columns | None:
        """None: each row needs a look."""
        if not self._column and (names := block.names()) is not None:
            self._settle(names)
        return None

    def items(self, rows: Iterable[NumberedRow]) -> Iterator[Item]:
        """Rows one by one, or what is wrong with them."""
        for number, text, row in rows:
            if isinstance(row, str):
                yield Malformed(number, text, row)
                continue
            if not self._column and (not self._is_sparse or (self.table.column or PREDICATE) in row):
                self._settle(list(row))
            name = row.get(self._column)
            if name is None or name == "":
                column = self.table.column or PREDICATE
                yield Malformed(number, text, f"column {column} is missing: the name of a predicate is expected")
            elif (reader := self._readers.get(str(name).strip())) is not None:
                yield reader.item(number, text, row)
            else:
                self._pass_over(str(name), number)

    def _settle(self, columns: list[str]) -> None:
        self._column = self.table.column or PREDICATE
        if self._column not in columns:
            cure = ": name it with --predicate COLUMN, or the predicate of all rows with --input NAME=FILE"
            said = f"there is no column {self._column!r}{'' if self.table.column else cure}"
            raise LaserError(f"{self.table.path}: {said}; {_said(columns)}")
        for reader in self._readers.values():
            if not reader.table.columns and not reader.table.names and reader.table.predicate.arity:
                name = reader.table.predicate
                raise LaserError(
                    f"{self.table.path}: the arguments of {name} have no columns: declare them with #input, "
                    f"or add --columns {name.name}=A,B"
                )

    def _pass_over(self, name: str, number: int) -> None:
        if name not in self._passed and len(self._passed) < MOST_TOLD:
            self._passed.add(name)
            known = listed(sorted(self._readers), "and")
            self._tell(
                f"{self.table.path}: rows of {name!r} (first in line {number}) are skipped: the program reads {known}"
            )


MOST_TOLD = 10
"""The most names of unread predicates that are reported."""


def make_reader(
    table: TableFile, tick: Tick, ahead: Ahead | None, tell: Callable[[str], object]
) -> TableReader | MixedReader:
    """The reader of a table."""
    if isinstance(table, MixedTable):
        return MixedReader(table, tick, ahead, tell)
    assert isinstance(table, TableInput)
    return TableReader(table, tick, ahead)


def time_column(table: TableFile, columns: Sequence[str], is_sparse: bool) -> str:
    """The column of the time. If rows may leave columns out, a row without it is malformed, and the others are still read."""
    time = table.time or next((name for name in TIMES if name in columns), "")
    if time not in columns and is_sparse:
        raise FactError(f"column {time or ' or '.join(TIMES)} is missing")
    if time not in columns:
        default = f"there is no column {listed(TIMES, 'or')}: name the column of the time with --time COLUMN"
        asked = f"there is no column {time!r}" if time else default
        raise LaserError(f"{table.path}: {asked}; {_said(columns)}")
    return time


def _said(columns: Sequence[str]) -> str:
    """The columns of a table, with a hint: a single column often means that the delimiter is another."""
    other = next((name for sign, name in _DELIMITERS.items() if len(columns) == 1 and sign in columns[0]), None)
    hint = f" (if it has several, add --delimiter {other})" if other else ""
    found = f"its only column is {quoted(columns[0])}" if len(columns) == 1 else f"its columns are {listed(columns)}"
    return f"{found}{hint}"


_DELIMITERS = {";": "';'", "\t": "tab", "|": "'|'"}
