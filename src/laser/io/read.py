"""Reads streams and background data from files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from types import MappingProxyType

from laser.errors import FactError, LaserError, RecordError
from laser.io.ahead import Ahead
from laser.io.formats import format_by_look, format_of
from laser.io.formats.format import Format, LineFormat
from laser.io.lines import STDIN, source_name
from laser.io.records import Entry, Item, Malformed, ParsedLine, Record, Rejects, accept_records, records_of
from laser.rules.declared import of_types
from laser.syntax.looks_like import looks_like_program
from laser.syntax.tree import InputDirective
from laser.ticks import SECOND, Tick
from laser.values import Atom, Predicate

__all__ = ["Manner", "of_declared_types", "read_background", "read_stream"]

NOTHING: Mapping[Predicate, InputDirective] = MappingProxyType({})


@dataclass(frozen=True)
class Manner:
    """How a stream is read: whether its records are in order, which dates are refused, and whether the file grows (and so has no end)."""

    in_order: bool = True
    ahead: Ahead | None = None
    grows: bool = False


PLAIN = Manner()


def read_stream(
    path: str | Path,
    layout: str | None = None,
    tick: Tick = SECOND,
    start: int | None = None,
    rejects: Rejects | None = None,
    inputs: Mapping[Predicate, InputDirective] = NOTHING,
    manner: Manner = PLAIN,
) -> Iterator[Record]:
    """The records of a stream; ``-`` is standard input, and each record is available as soon as its line is complete.

    A fact of a predicate in ``inputs`` must have the declared types, or its record is malformed.
    """
    form = format_of(path, layout)
    entries = _read(form, path, tick, manner.grows)
    if inputs:
        entries = of_declared_types(entries, inputs, tick.zone)
    if manner.ahead is not None:
        entries = _not_ahead(entries, manner.ahead)
    items = _hinted(records_of(entries, start, in_order=manner.in_order), form)
    return accept_records(items, rejects, source_name(path))


def _read(form: Format, path: str | Path, tick: Tick, grows: bool) -> Iterator[Entry | Malformed]:
    if not grows or str(path) == STDIN:
        return form.read(path, tick)
    if not isinstance(form, LineFormat):
        raise LaserError(f"{path}: a {form.title} file does not grow, so it cannot be followed by the clock")
    return form.read(path, tick, grows=True)


def _not_ahead(entries: Iterable[Entry | Malformed], ahead: Ahead) -> Iterator[Entry | Malformed]:
    """Records that are too far ahead of the clock are malformed; they do not move the time."""
    for entry in entries:
        if isinstance(entry, Entry) and isinstance(entry.said, ParsedLine) and entry.said.iso:
            fault = ahead.fault(entry.said.time, entry.line)
            yield entry if fault is None else Malformed(entry.line, entry.text, fault)
        else:
            yield entry


def of_declared_types(
    entries: Iterable[Entry | Malformed], inputs: Mapping[Predicate, InputDirective], zone: tzinfo
) -> Iterator[Entry | Malformed]:
    """Records whose facts do not have their declared types are malformed; they do not move the time."""
    for entry in entries:
        if isinstance(entry, Malformed) or not isinstance(entry.said, ParsedLine):
            yield entry
            continue
        try:
            facts = tuple(of_types(fact, inputs, zone) for fact in entry.said.facts)
        except FactError as error:
            yield Malformed(entry.line, entry.text, str(error))
        else:
            yield entry._replace(said=entry.said._replace(facts=facts))


def _hinted(items: Iterator[Item], form: Format) -> Iterator[Item]:
    """Until the first good record, a malformed one may be of another format, which is then named."""
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
