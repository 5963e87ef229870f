"""Records of a stream, and what becomes of malformed ones.

A reader of a format yields, line after line, a Record or a Malformed. The few steps from there to the reasoner are
generators over that: put late records aside (`in_order`), and refuse or collect what is malformed (`sift`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from laser.errors import LaserError, RecordError
from laser.io.lines import Line
from laser.values import Atom

__all__ = ["Item", "Malformed", "Record", "Rejects", "Said", "in_order", "read_items", "sift"]


class Said(NamedTuple):
    """What a line says: a time point and its facts, and whether the time was written as a date."""

    time: int
    facts: tuple[Atom, ...]
    iso: bool = False


class Record(NamedTuple):
    """A well-formed record with the place that it came from."""

    time: int
    facts: tuple[Atom, ...]
    iso: bool
    line: int
    text: str


class Malformed(NamedTuple):
    """A line that is no record, and why."""

    line: int
    text: str
    reason: str


Item: TypeAlias = Record | Malformed

_LONGEST_REASON = 300


def read_items(lines: Iterable[Line], parse: Callable[[str], Said | None]) -> Iterator[Item]:
    """Parse line by line; a line of which ``parse`` makes None (a blank, a comment) is passed over."""
    for number, text, fault in lines:
        if fault is not None:
            yield Malformed(number, text, fault)
            continue
        try:
            said = parse(text)
        except (LaserError, ValueError, RecursionError) as error:
            yield Malformed(number, text, reason_of(error))
        else:
            if said is not None:
                yield Record(*said, number, text)


def reason_of(error: Exception) -> str:
    """Why a line was refused, short enough to be read even where the line is not."""
    reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + "…"


def in_order(items: Iterable[Item], start: int | None = None) -> Iterator[Item]:
    """Time never goes back: a record before the present, or before the start, is malformed."""
    present = None
    for item in items:
        if isinstance(item, Malformed):
            yield item
        elif present is not None and item.time < present:
            yield Malformed(item.line, item.text, f"time {item.time} lies before {present}")
        elif start is not None and item.time < start:
            yield Malformed(item.line, item.text, f"time {item.time} lies before the start, {start}")
        else:
            present = item.time
            yield item


class Sink(Protocol):
    """Where text goes: a file, a terminal."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


@dataclass
class Rejects:
    """Malformed records set aside: counted, and written as JSON Lines where there is a place for them."""

    sink: Sink
    count: int = 0

    def add(self, item: Malformed) -> None:
        """Set one aside; it is on disk at once, because the run that follows may fail."""
        self.count += 1
        entry = {"line": item.line, "reason": item.reason, "record": item.text}
        self.sink.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self.sink.flush()


def sift(items: Iterable[Item], rejects: Rejects | None = None, name: str = "<stream>") -> Iterator[Record]:
    """The records alone; a malformed one is set aside, or raises RecordError where nobody collects them."""
    for item in items:
        if isinstance(item, Record):
            yield item
        elif rejects is not None:
            rejects.add(item)
        else:
            raise RecordError(item.reason, item.line, name)
