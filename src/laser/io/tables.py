"""Ordinary tables as streams: the rows of a file with named columns are the facts of one predicate.

A table is complete, so its rows may be in any order: they are sorted by time, then by input, then by row. The type of a column
is the one that the program declares (``#input``) or, without a declaration, follows from how the rules use it. A row that does
not match is malformed, and reported with its line, its column, its value and what was expected.
"""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import le
from typing import Any, NamedTuple

from laser.errors import LaserError
from laser.io.ahead import Ahead
from laser.io.formats import format_of
from laser.io.lines import source_name
from laser.io.records import Item, Malformed, Record, Rejects, accept_records
from laser.io.table_blocks import live_rows, table_blocks
from laser.io.table_input import TableFile
from laser.io.table_reader import make_reader
from laser.ticks import Tick
from laser.values import Atom

__all__ = ["Facts", "follow_table", "read_tables", "table_items"]

log = logging.getLogger("laser")


class Facts(NamedTuple):
    """The facts of a complete stream in order of time, by column: their times, and the facts as flat tuples."""

    times: list[int]
    facts: list[tuple[Any, ...]]
    iso: bool

    def within(self, start: int | None, until: int | None) -> Facts:
        """The facts from one time point to another; None means no limit."""
        first = 0 if start is None else bisect_left(self.times, start)
        last = len(self.times) if until is None else bisect_right(self.times, until)
        if last - first == len(self.times):
            return self
        return Facts(self.times[first:last], self.facts[first:last], self.iso)

    def by_time(self) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
        """The facts of each time point that has some."""
        end = 0
        while end < len(self.times):
            begin, time = end, self.times[end]
            end = bisect_right(self.times, time, begin)
            yield time, self.facts[begin:end]

    def records(self) -> Iterator[Record]:
        """The facts one by one, without their positions in files."""
        for time, fact in zip(self.times, self.facts, strict=True):
            yield Record(time, (Atom.of(fact),), self.iso, 0, "")


def read_tables(
    inputs: Sequence[TableFile],
    tick: Tick,
    rejects: Rejects | None = None,
    ahead: Ahead | None = None,
    tell: Callable[[str], object] = log.warning,
) -> Facts:
    """The rows of all tables as one stream, in order of time; rows too far ``ahead`` are malformed."""
    times: list[int] = []
    facts: list[tuple[Any, ...]] = []
    kinds: set[bool] = set()
    for table in inputs:
        reader = make_reader(table, tick, ahead, tell)
        for block in table_blocks(table.path, format_of(table.path, table.layout), table.dialect, table.text):
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
        raise LaserError("some times are dates and others are numbers; convert them to the same kind")
    return _sorted(Facts(times, facts, True in kinds))


def table_items(table: TableFile, tick: Tick, ahead: Ahead | None = None) -> list[Item]:
    """The rows of a table one by one: first the malformed ones, then the others in order of time."""
    reader = make_reader(table, tick, ahead, log.warning)
    blocks = table_blocks(table.path, format_of(table.path, table.layout), table.dialect, table.text)
    items = [item for block in blocks for item in reader.items(block.rows())]
    return sorted(items, key=lambda item: item.time if isinstance(item, Record) else -1)


def _sorted(found: Facts) -> Facts:
    """Sorted by time; rows of one time point keep their order."""
    times = found.times
    if all(map(le, times, islice(times, 1, None))):
        return found
    order = sorted(range(len(times)), key=times.__getitem__)
    return Facts([times[i] for i in order], [found.facts[i] for i in order], found.iso)


def follow_table(
    table: TableFile,
    tick: Tick,
    rejects: Rejects | None = None,
    ahead: Ahead | None = None,
    tell: Callable[[str], object] = log.warning,
) -> Iterator[Record]:
    """The rows of a table as they arrive, from standard input or a file that grows. They are not sorted."""
    rows = live_rows(table.path, format_of(table.path, table.layout), table.dialect)
    return accept_records(make_reader(table, tick, ahead, tell).items(rows), rejects, source_name(table.path))


def _named(items: Iterable[Item], path: str | bool) -> Iterator[Item]:
    """Malformed rows with the name of their file, if there are several."""
    for item in items:
        yield item._replace(reason=f"{path}: {item.reason}") if path and isinstance(item, Malformed) else item
