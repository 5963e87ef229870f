"""Streams and background data from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from laser.errors import FactError, RecordError
from laser.io.formats import format_by_look, format_of
from laser.io.formats.format import Format
from laser.io.lines import source_name
from laser.io.records import Entry, Item, Malformed, ParsedLine, Record, Rejects, accept_records, records_of
from laser.rules.declared import of_types
from laser.syntax.looks_like import looks_like_program
from laser.syntax.tree import InputDirective
from laser.ticks import SECOND, Tick
from laser.values import Atom, Predicate

__all__ = ["read_background", "read_stream"]

NOTHING: Mapping[Predicate, InputDirective] = MappingProxyType({})


def read_stream(
    path: str | Path,
    layout: str | None = None,
    tick: Tick = SECOND,
    start: int | None = None,
    rejects: Rejects | None = None,
    inputs: Mapping[Predicate, InputDirective] = NOTHING,
) -> Iterator[Record]:
    """The records of a stream in time order; ``-`` is standard input, a record as soon as its line is there.

    A fact of a predicate of ``inputs`` has the types that are declared there, or its record is malformed.
    """
    form = format_of(path, layout)
    entries = form.read(path, tick)
    items = _hinted(records_of(_of_types(entries, inputs) if inputs else entries, start), form)
    return accept_records(items, rejects, source_name(path))


def _of_types(
    entries: Iterable[Entry | Malformed], inputs: Mapping[Predicate, InputDirective]
) -> Iterator[Entry | Malformed]:
    """Records whose facts are not of their declared types are malformed; they do not move the time."""
    for entry in entries:
        if isinstance(entry, Malformed) or not isinstance(entry.said, ParsedLine):
            yield entry
            continue
        try:
            facts = tuple(of_types(fact, inputs) for fact in entry.said.facts)
        except FactError as error:
            yield Malformed(entry.line, entry.text, str(error))
        else:
            yield entry._replace(said=entry.said._replace(facts=facts))


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
