"""CSV: ``time,predicate,args…``, one fact a row; a header line of these names may stand above.

A field that is a number as JSON writes it is a number, ``<…>`` is an IRI, other text is a string. A string that only looks like
one of these has quotes of its own: the string 007 needs none, the string 1 is the field ``"1"``, in CSV ``\"""1\"""``.
Empty fields at the end of a row are padding and do not count.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence

from laser.errors import FactError
from laser.io.lines import Line
from laser.io.records import Said
from laser.ticks import Tick
from laser.values import Atom, Iri, Value, write_value
from laser.values.facts import read_literal

__all__ = [
    "join_quoted", "parse_background", "parse_record", "read_field", "write_change", "write_interval", "write_snapshot",
]  # fmt: skip

_PADDED = re.compile(r"-?0[0-9]|-\s")
"""How no table writes a number: 007 is a code, and JSON does not have it either."""
_PADDING = frozenset("-0")
_MUST_QUOTE = re.compile(r'[,"\r\n]|\A\s|\s\Z|\A\Z')
_MOST_LINES = 100


def join_quoted(lines: Iterable[Line]) -> Iterator[Line]:
    """A quoted field may go over several lines: join them, under the number of the first."""
    first: Line | None = None
    parts: list[str] = []
    for line in lines:
        if first is None and not _unfinished(line):
            yield line
            continue
        first = first or line
        parts.append(line.text)
        joined = Line(first.number, "\n".join(parts), line.fault)
        if line.fault or len(parts) == _MOST_LINES or not _unfinished(joined):
            yield joined
            first, parts = None, []
    if first is not None:
        yield Line(first.number, "\n".join(parts))


def _unfinished(line: Line) -> bool:
    """Whether a quoted field is still open at the end; an even number of quotes leaves none open."""
    if line.fault or line.text.count('"') % 2 == 0:
        return False
    try:
        _row(line.text)
    except FactError as error:
        return "does not end" in str(error)
    return False


def _row(text: str) -> list[str]:
    try:
        row = next(csv.reader([text], strict=True, skipinitialspace=True), [])
    except csv.Error as error:
        open_quote = "unexpected end of data" in str(error)
        raise FactError("a quoted field does not end" if open_quote else f"it is no CSV: {error}") from None
    while row and not row[-1]:
        row.pop()
    return row


def parse_record(text: str, tick: Tick) -> Said | None:
    """A row of a stream, or None for blank rows and headers.

    >>> parse_record('36,a,x1,1.5,<http://e.org/y>', Tick())
    Said(time=36, facts=(a(x1, 1.5, <http://e.org/y>),), iso=False)
    """
    row = _row(text)
    if not row or [field.strip().lower() for field in row[:2]] == ["time", "predicate"]:
        return None
    stamp = row[0].strip()
    return Said(tick.from_text(stamp), (_fact(row[1:]),) if len(row) > 1 else (), not stamp.isdigit())


def parse_background(text: str) -> tuple[Atom, ...]:
    """The fact of a row without a time; a row that begins with the word ``predicate`` is a header."""
    row = _row(text)
    return (_fact(row),) if row and row[0].strip().lower() != "predicate" else ()


def _fact(fields: list[str]) -> Atom:
    return Atom(fields[0].strip(), map(read_field, fields[1:]))


def read_field(text: str) -> Value:
    """The value of a field.

    >>> read_field("1"), read_field("1.5"), read_field("007"), read_field('"1"'), read_field("two words")
    (1, 1.5, '007', '1', 'two words')
    """
    value = None if text[:1] in _PADDING and _PADDED.match(text) else read_literal(text)
    if value is not None:
        return value
    return Iri(text[1:-1]) if text[:1] == "<" and text[-1:] == ">" else text  # no IRI there is a mistake, not a string


def write_change(time: int | str, atom: Atom, holds: bool) -> str:
    """``36,true,q,x1,y``"""
    return _line([str(time), "true" if holds else "false", *_fields(atom)])


def write_snapshot(time: int | str, atoms: Sequence[Atom]) -> str:
    """``36,q,x1,y``, a row an atom, which can be read as a stream again; a time point with none is ``36``."""
    return "\n".join(_line([str(time), *_fields(atom)]) for atom in atoms) if atoms else str(time)


def write_interval(atom: Atom, since: int | str, until: int | str, ongoing: bool) -> str:
    """``36,39,false,q,x1,y``"""
    return _line([str(since), str(until), "true" if ongoing else "false", *_fields(atom)])


def _fields(atom: Atom) -> list[str]:
    return [atom.predicate, *map(_write_field, atom.args)]


def _write_field(value: Value) -> str:
    """The text that `read_field` makes this value of."""
    if type(value) is not str:
        return write_value(value)
    is_special = not value or value[0] in '<"' or (read_literal(value) is not None and not _PADDED.match(value))
    return write_value(value) if is_special else value


def _line(fields: list[str]) -> str:
    return ",".join(_quote(field) if _MUST_QUOTE.search(field) else field for field in fields)


def _quote(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'
