"""Streams and background data from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from laser.errors import RecordError
from laser.io.formats import FORMATS, Format, format_of
from laser.io.lines import open_lines, source_name
from laser.io.records import Item, Malformed, Record, Rejects, Said, in_order, read_items, sift
from laser.syntax.looks_like import Kind, likeness
from laser.ticks import Tick
from laser.values import Atom

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
        yield from sift(in_order(_hinted(items, form), start), rejects, source_name(path))


def _hinted(items: Iterable[Item], form: Format) -> Iterator[Item]:
    """Until a first record fits, what is malformed may be of another format, which is then named."""
    fits = False
    for item in items:
        fits = fits or isinstance(item, Record)
        if isinstance(item, Malformed) and not fits:
            yield item._replace(reason=item.reason + _hint(likeness(item.text), form))
        else:
            yield item


def _hint(kind: Kind | None, form: Format) -> str:
    if kind is None or kind == form.name:
        return ""
    if kind == "program":
        return "; the file looks like a program: did you swap PROGRAM and STREAM?"
    other = FORMATS[kind]
    return f"; the file looks like {other.title}: use --input-format {kind}, or a name that ends in {other.suffixes[0]}"


def read_background(path: str | Path, layout: str | None = None) -> Iterator[Atom]:
    """The facts of a file without times: text (``a(x), b(y).``), CSV (``predicate,args…``) or JSON Lines."""
    form = format_of(path, layout)
    with open_lines(path) as lines:
        for item in read_items(form.gather(lines), lambda text: Said(0, tuple(form.background(text)))):
            if isinstance(item, Malformed):
                raise RecordError(item.reason, item.line, source_name(path))
            yield from item.facts
