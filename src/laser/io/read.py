"""Streams and background data from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from laser.errors import RecordError
from laser.io.formats import format_by_look, format_of
from laser.io.formats.format import Format
from laser.io.lines import source_name
from laser.io.records import Item, Malformed, ParsedLine, Record, Rejects, accept_records, records_of
from laser.syntax.looks_like import looks_like_program
from laser.ticks import SECOND, Tick
from laser.values import Atom

__all__ = ["read_background", "read_stream"]


def read_stream(
    path: str | Path,
    layout: str | None = None,
    tick: Tick = SECOND,
    start: int | None = None,
    rejects: Rejects | None = None,
) -> Iterator[Record]:
    """The records of a stream in time order; ``-`` is standard input, a record as soon as its line is there."""
    form = format_of(path, layout)
    items = _hinted(records_of(form.read(path, tick), start), form)
    return accept_records(items, rejects, source_name(path))


def _hinted(items: Iterator[Item], form: Format) -> Iterator[Item]:
    """Until a first record fits, what is malformed may be of another format, which is then named."""
    for item in items:
        if isinstance(item, Record):
            yield item
            break
        yield item._replace(reason=item.reason + _hint(item.text, form))
    yield from items


def _hint(line: str, form: Format) -> str:
    if looks_like_program(line):
        return "; the file looks like a program: did you swap PROGRAM and STREAM?"
    other = format_by_look(line)
    if other is None or other is form:
        return ""
    return (
        f"; the file looks like {other.title}: use --input-format {other.name}, "
        f"or a name that ends in {other.suffixes[0]}"
    )


def read_background(path: str | Path, layout: str | None = None) -> Iterator[Atom]:
    """The facts of a file without times, in any format."""
    for item in format_of(path, layout).read_background(path):
        if isinstance(item, Malformed):
            raise RecordError(item.reason, item.line, source_name(path))
        assert isinstance(item.said, ParsedLine)
        yield from item.said.facts
