"""Streams and background data from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from laser.errors import RecordError
from laser.io.formats import format_of
from laser.io.lines import open_lines, source_name
from laser.io.records import Malformed, Record, Rejects, Said, in_order, read_items, sift
from laser.terms import Atom
from laser.time import Tick

__all__ = ["read_background", "read_stream"]

SECOND = Tick()


def read_stream(
    path: str | Path,
    layout: str | None = None,
    tick: Tick = SECOND,
    start: int | None = None,
    rejects: Rejects | None = None,
) -> Iterator[Record]:
    """The records of a stream in time order; ``-`` is standard input, a record as soon as its line is there."""
    form = format_of(path, layout)
    with open_lines(path) as lines:
        items = read_items(form.gather(lines), lambda text: form.record(text, tick))
        yield from sift(in_order(items, start), rejects, source_name(path))


def read_background(path: str | Path, layout: str | None = None) -> Iterator[Atom]:
    """The facts of a file without times: text (``a(x), b(y).``), CSV (``predicate,args…``) or JSON Lines."""
    form = format_of(path, layout)
    with open_lines(path) as lines:
        for item in read_items(form.gather(lines), lambda text: Said(0, tuple(form.background(text)))):
            if isinstance(item, Malformed):
                raise RecordError(item.reason, item.line, source_name(path))
            yield from item.facts
