"""The contents of files, and what is done with malformed lines.

The reader of a format yields an Entry or a Malformed for each line or row. Two generators lead from there to the reasoner:
`records_of` selects the records of a stream, and `accept_records` refuses or collects what is malformed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias, assert_never

from laser.errors import RecordError
from laser.values import Atom

__all__ = [
    "Entry", "Item", "Malformed", "ParsedChange", "ParsedInterval", "ParsedLine", "Record", "Rejects",
    "accept_records", "reason_of", "records_of",
]  # fmt: skip


class ParsedLine(NamedTuple):
    """What holds at a time point according to a line of a stream, or a snapshot. ``iso``: the time was a date."""

    time: int
    facts: tuple[Atom, ...]
    iso: bool = False


class ParsedChange(NamedTuple):
    """An atom begins to hold, or ends."""

    time: int
    atom: Atom
    holds: bool
    iso: bool = False


class ParsedInterval(NamedTuple):
    """An atom holds over an interval; ``open``: it still held when the stream ended."""

    atom: Atom
    since: int
    until: int
    open: bool = False
    iso: bool = False


class Entry(NamedTuple):
    """What a line or row says, and its position."""

    said: ParsedLine | ParsedChange | ParsedInterval
    line: int
    text: str


class Record(NamedTuple):
    """A well-formed record of a stream, with its position."""

    time: int
    facts: tuple[Atom, ...]
    iso: bool
    line: int
    text: str


class Malformed(NamedTuple):
    """A line that cannot be read, and why."""

    line: int
    text: str
    reason: str


Item: TypeAlias = Record | Malformed

_LONGEST_REASON = 300


def reason_of(error: Exception) -> str:
    """Why a line was refused, shortened if necessary."""
    reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + "…"


def records_of(
    items: Iterable[Entry | Malformed], start: int | None = None, present: int | None = None, in_order: bool = True
) -> Iterator[Item]:
    """The records of a stream from its start on. A record out of order is malformed (if order is required), and so is an answer."""
    for item in items:
        if isinstance(item, Malformed):
            yield item
            continue
        said, line, text = item
        match said:
            case ParsedLine(time):
                if in_order and present is not None and time < present:
                    yield Malformed(line, text, f"time {time} is before {present}: records must be in order of time")
                    continue
                present = time
                if start is None or time >= start:
                    yield Record(*said, line, text)
            case ParsedChange():
                yield Malformed(line, text, "it is a change of an answer, not a record of a stream")
            case ParsedInterval():
                yield Malformed(line, text, "it is an interval of an answer, not a record of a stream")
            case _:
                assert_never(said)


class Sink(Protocol):
    """Where text is written: a file or a terminal."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


@dataclass
class Rejects:
    """Malformed records that are set aside: counted, and written as JSON Lines if there is a file for them."""

    sink: Sink
    count: int = 0

    def add(self, item: Malformed) -> None:
        """Set a record aside. It is written at once, because the run may fail later."""
        self.count += 1
        entry = {"line": item.line, "reason": item.reason, "record": item.text}
        self.sink.write(json.dumps(entry, ensure_ascii=False) + "\n")
        self.sink.flush()


def accept_records(items: Iterable[Item], rejects: Rejects | None = None, name: str = "<stream>") -> Iterator[Record]:
    """The well-formed records; a malformed one is set aside, or raises RecordError if there are no ``rejects``."""
    for item in items:
        if isinstance(item, Record):
            yield item
        elif rejects is not None:
            rejects.add(item)
        else:
            raise RecordError(item.reason, item.line, name)
