"""The rows of a table in blocks: as columns if every row is well-formed, otherwise one by one with their numbers.

Live rows (`live_rows`) are never in blocks.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from laser.errors import FactError, LaserError
from laser.io.blocks import Block, block_of_text, read_blocks
from laser.io.dialect import Dialect
from laser.io.formats import CSV, JSONL, PARQUET, TEXT
from laser.io.formats.csv import join_quoted
from laser.io.formats.format import Format
from laser.io.formats.jsonl import STRICT, read_object
from laser.io.lines import STDIN, Line, open_lines
from laser.io.records import reason_of

__all__ = ["Field", "NumberedRow", "Row", "TableBlock", "live_rows", "read_header", "table_blocks"]

Row: TypeAlias = Mapping[str, Any]
NumberedRow: TypeAlias = tuple[int, str, Row | str]
"""The number of a row, its text, and its values, or a text that says why there are none."""


class Field(str):
    """A CSV field, whose text has no type."""

    __slots__ = ()


class TableBlock(Protocol):
    """Successive rows."""

    is_text: bool
    """Whether the values are CSV fields."""

    def names(self) -> list[str] | None:
        """The names of the columns; None if each row must be looked at."""

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]] | None:
        """The values of some columns; None if a row must be looked at."""

    def rows(self) -> Iterator[NumberedRow]:
        """The same rows one by one."""


def table_blocks(path: str, form: Format, dialect: Dialect, text: str | None = None) -> Iterator[TableBlock]:
    """The rows of a complete file, or of a text instead of it."""
    if form is PARQUET:
        return _parquet_blocks(path)
    blocks = read_blocks(path, dialect.encoding) if text is None else iter([block_of_text(text)])
    if form is JSONL:
        return map(JsonBlock, blocks)
    if form in (CSV, TEXT):
        return _csv_blocks(path, blocks, dialect.delimiter)
    raise LaserError(f"{path}: {form.title} is not a format for tables")


def live_rows(path: str, form: Format, dialect: Dialect) -> Iterator[NumberedRow]:
    """The rows of a file that grows, or of standard input."""
    if form is PARQUET:
        if path != STDIN:
            raise LaserError(f"{path}: a {form.title} file does not grow, so it cannot be followed by the clock")
        for block in _parquet_blocks(path):
            yield from block.rows()
        return
    with open_lines(path, grows=True, encoding=dialect.encoding) as lines:
        yield from _json_rows(lines) if form is JSONL else _csv_rows(path, lines, dialect.delimiter, None)


# -- CSV


@dataclass
class CsvBlock:
    """CSV rows below their header."""

    path: str
    header: list[str]
    block: Block
    delimiter: str
    is_text: bool = field(default=True, init=False)

    def names(self) -> list[str] | None:
        return self.header

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]] | None:
        texts = self.block.texts
        try:
            rows = None if texts is None else list(csv.reader(texts, strict=True, delimiter=self.delimiter))
        except csv.Error:
            return None
        if not rows or texts is None or len(rows) != len(texts) or set(map(len, rows)) != {len(self.header)}:
            return None
        columns = list(zip(*rows, strict=True))
        return [columns[self.header.index(name)] for name in names]

    def rows(self) -> Iterator[NumberedRow]:
        return _csv_rows(self.path, self.block.by_line(), self.delimiter, self.header)


def _csv_blocks(path: str, blocks: Iterable[Block], delimiter: str) -> Iterator[TableBlock]:
    header: list[str] | None = None
    for block in _with_whole_fields(blocks):
        below = block
        if header is None:
            header, below = _header(path, block, delimiter)
        if header is not None:
            yield CsvBlock(path, header, below, delimiter)
    if header is None:
        raise _no_header(path)


def _with_whole_fields(blocks: Iterable[Block]) -> Iterator[Block]:
    """Join blocks if a quoted field extends from one to the next: with an even number of quotes, none is open."""
    waiting: Block | None = None
    for block in blocks:
        found = block if waiting is None else waiting.joined(block)
        if found.quotes % 2 and waiting is None:
            waiting = found
            continue
        waiting = None
        yield found
    if waiting is not None:
        yield waiting


def _header(path: str, block: Block, delimiter: str) -> tuple[list[str] | None, Block]:
    """The header, which is the first row that is not blank, and the rows below it."""
    lines = block.by_line()
    for place, line in enumerate(lines):
        if line.fault is not None:
            raise _odd_header(path, line.number, line.fault)
        fields = _fields(line.text, delimiter)
        if fields:
            header = read_header(line.text, delimiter)
            _check_header(path, header)
            texts = None if block.texts is None else block.texts[place + 1 :]
            return header, Block(line.number + 1, texts, None if texts is not None else lines[place + 1 :])
    return None, block


def read_header(line: str, delimiter: str) -> list[str]:
    """The names of the columns in the first line of a table."""
    return [name.strip() for name in _fields(line, delimiter)]


def _csv_rows(
    path: str | Path, lines: Iterable[Line], delimiter: str, header: list[str] | None
) -> Iterator[NumberedRow]:
    for number, text, fault in join_quoted(lines, delimiter):
        if fault is not None and header is None:
            raise _odd_header(path, number, fault)
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
        raise _no_header(path)


def _no_header(path: str | Path) -> LaserError:
    return LaserError(f"{path} is empty: the first line of a table must have the names of its columns")


def _odd_header(path: str | Path, number: int, fault: str) -> LaserError:
    return LaserError(f"{path}:{number}: {fault}; if the table has another encoding, name it, as in --encoding cp1252")


def _fields(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text.rstrip("\r")], delimiter=delimiter), [])
    except csv.Error:
        return [text]  # a row with one field, which does not match the header


def _row(header: Sequence[str], fields: Sequence[str]) -> Row | str:
    if len(fields) != len(header):
        return f"the row has {len(fields)} fields, but the header has {len(header)}"
    return dict(zip(header, map(Field, fields), strict=True))


def _check_header(path: str | Path, header: Iterable[str]) -> None:
    names = list(header)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise LaserError(f"{path}: two columns are called {twice!r}; rename one of them")


# -- JSON Lines


@dataclass
class JsonBlock:
    """JSON Lines rows."""

    block: Block
    is_text: bool = field(default=False, init=False)

    def names(self) -> list[str] | None:
        """All names that occur: a row may leave some out."""
        found: dict[str, None] = {}
        for _, _, row in self.rows():
            if not isinstance(row, str):
                found.update(dict.fromkeys(row))
        return list(found) or None

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]] | None:
        texts = self.block.texts
        if texts is None or any("\\u" in text for text in texts):  # only an escape can produce half a surrogate pair
            return None
        try:
            rows = list(map(STRICT, texts))
            return [[row[name] for row in rows] for name in names]
        except (LaserError, ValueError, RecursionError, LookupError, TypeError):
            return None

    def rows(self) -> Iterator[NumberedRow]:
        return _json_rows(self.block.by_line())


def _json_rows(lines: Iterable[Line]) -> Iterator[NumberedRow]:
    for number, text, fault in lines:
        if fault is not None or not text.strip():
            if fault is not None:
                yield number, text, fault
            continue
        try:
            yield number, text, read_object(text)
        except (FactError, RecursionError) as error:
            yield number, text, reason_of(error)


# -- Parquet


@dataclass
class ArrowBlock:
    """A batch of a Parquet file, with the number of the row before it."""

    batch: Any
    before: int
    is_text: bool = field(default=False, init=False)

    def names(self) -> list[str] | None:
        return list(self.batch.schema.names)

    def columns(self, names: Sequence[str]) -> list[Sequence[Any]] | None:
        found = [self.batch.column(name) for name in names]
        return None if any(column.null_count for column in found) else list(map(_values, found))

    def rows(self) -> Iterator[NumberedRow]:
        for number, row in enumerate(self.batch.to_pylist(), self.before + 1):
            yield number, json.dumps(row, ensure_ascii=False, default=str), row


def _values(column: Any) -> Sequence[Any]:
    """The values of a column as Python values; names and times, which repeat, are converted once each."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_float64(kind) or pa.types.is_float32(kind):
        plain: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
        return plain
    if not (pa.types.is_timestamp(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        whole: list[Any] = column.to_pylist()
        return whole
    encoded = column.dictionary_encode()
    different = encoded.dictionary.to_pylist()
    return list(map(different.__getitem__, encoded.indices.to_numpy(zero_copy_only=False).tolist()))


def _parquet_blocks(path: str) -> Iterator[TableBlock]:
    before = 0
    for batch in PARQUET.batches(path):
        yield ArrowBlock(batch, before)
        before += batch.num_rows


def all_rows(blocks: Iterable[TableBlock]) -> Iterator[NumberedRow]:
    """The rows of all blocks, one by one."""
    return chain.from_iterable(block.rows() for block in blocks)
