"""CSV: ``time,predicate,args…``, one fact per row; a header line with these names is optional.

A field that is a number in JSON is a number, ``<…>`` is an IRI, any other text is a string. A string that looks like a number
or an IRI is quoted: the string 007 needs no quotes, the string 1 is the field ``"1"``, in CSV ``\"""1\"""``.
Empty fields at the end of a row are padding and are ignored.

The header of answers shows their form: ``time,holds,predicate,args`` are changes, ``since,until,open,predicate,args``
intervals; snapshots are written as a stream.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import assert_never

from laser.errors import FactError
from laser.io.formats.format import FormName, LineFormat, Parse, read_time
from laser.io.lines import MAX_LINE, Line, open_lines
from laser.io.records import Entry, Malformed, ParsedChange, ParsedInterval, ParsedLine
from laser.syntax.looks_like import TIME
from laser.ticks import Tick
from laser.values import Atom, Iri, Value, write_value
from laser.values.facts import read_literal

__all__ = ["CSV", "join_quoted", "read_field", "write_field"]

_PADDED = re.compile(r"-?0[0-9][-+0-9.eE]*\Z|-\s")
"""Texts that are not numbers in a table: 007 is a code, and JSON does not allow it either."""
_PADDING = frozenset("-0")
_MUST_QUOTE = re.compile(r'[,"\r\n]|\A\s|\s\Z|\A\Z')
_MOST_LINES = 100
_OPEN = "a quoted field does not end"
_TRUTH = ("false", "true")


class Csv(LineFormat):
    name = "csv"
    title = "CSV"
    suffixes = (".csv",)
    spark_name = "csv"
    look = re.compile(rf'\s*"?(?:time|since)"?\s*,|{TIME},\s*"*(?:[a-z]\w*|<[^<>\s]+>)"*\s*(?:,|\Z)', re.I)
    headers = {  # noqa: RUF012 - a constant of the class
        "changes": "time,holds,predicate,args",
        "snapshots": "time,predicate,args",
        "intervals": "since,until,open,predicate,args",
    }

    def parser(self, tick: Tick, place: Path | None = None) -> Parse:
        return _Parser(tick)

    def parse_background(self, line: str) -> tuple[Atom, ...]:
        row = _row(line)
        return (_fact(row),) if row else ()

    def read_background(self, path: str | Path) -> Iterator[Entry | Malformed]:
        """A first row that begins with the word ``predicate`` is a header; in later rows it is the name of a predicate."""
        with open_lines(path) as lines:
            facts = _without_header(lines)
            yield from self.read_lines(facts, lambda line: ParsedLine(0, self.parse_background(line)))

    def gather(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Join the lines of a quoted field that contains line breaks, with the number of the first line."""
        return join_quoted(lines)

    def write_change(self, time: int | str, atom: Atom, holds: bool) -> str:
        return _line([str(time), _TRUTH[holds], *_fields(atom)])

    def write_snapshot(self, time: int | str, atoms: Sequence[Atom]) -> str:
        """One row per atom; a time point without atoms is ``36``."""
        return "\n".join(_line([str(time), *_fields(atom)]) for atom in atoms) if atoms else str(time)

    def write_interval(self, atom: Atom, since: int | str, until: int | str, ongoing: bool) -> str:
        return _line([str(since), str(until), _TRUTH[ongoing], *_fields(atom)])


CSV = Csv()


class _Parser:
    """Parses rows by the header above them; without a header they are those of a stream."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._form: FormName = "snapshots"

    def __call__(self, line: str) -> ParsedLine | ParsedChange | ParsedInterval | None:
        row = _row(line)
        if not row:
            return None
        if not row[0][:1].isdigit() and (form := _form_of(row)) is not None:
            self._form = form
            return None
        match self._form:
            case "snapshots":
                time, iso = read_time(row[0], self._tick)
                return ParsedLine(time, (_fact(row[1:]),) if len(row) > 1 else (), iso)
            case "changes":
                stamp, holds, *fields = _with_atom(row, 2)
                time, iso = read_time(stamp, self._tick)
                return ParsedChange(time, _fact(fields), _truth(holds), iso)
            case "intervals":
                first, last, ongoing, *fields = _with_atom(row, 3)
                (since, iso), (until, _) = read_time(first, self._tick), read_time(last, self._tick)
                return ParsedInterval(_fact(fields), since, until, _truth(ongoing), iso)
            case _:
                assert_never(self._form)


def _form_of(row: list[str]) -> FormName | None:
    """The form of the answers that a header shows; None if the row is not a header."""
    match [field.strip().lower() for field in row[:2]]:
        case ["time", "predicate"]:
            return "snapshots"
        case ["time", "holds"]:
            return "changes"
        case ["since", "until"]:
            return "intervals"
        case _:
            return None


def _with_atom(row: list[str], place: int) -> list[str]:
    if len(row) <= place:
        raise FactError("the row has no predicate")
    return row


def _truth(field: str) -> bool:
    word = field.strip().lower()
    if word not in _TRUTH:
        raise FactError(f"{field!r} is neither `true` nor `false`")
    return bool(_TRUTH.index(word))


def _without_header(lines: Iterator[Line]) -> Iterator[Line]:
    for line in lines:
        name = line.text.partition(",")[0].strip().strip('"').lower()
        if name != "predicate":
            yield line
        break
    yield from lines


def join_quoted(lines: Iterable[Line], delimiter: str = ",") -> Iterator[Line]:
    """Join lines that belong to one quoted field, with the number of the first line."""
    first: Line | None = None
    parts: list[str] = []
    for line in lines:
        if first is None and not _unfinished(line, delimiter):
            yield line
            continue
        first = first or line
        parts.append(line.text)
        joined = Line(first.number, "\n".join(parts), line.fault)
        is_open = _unfinished(joined, delimiter)
        if line.fault or len(parts) == _MOST_LINES or len(joined.text) > MAX_LINE or not is_open:
            yield joined._replace(fault=_OPEN) if is_open else joined
            first, parts = None, []
    if first is not None:
        yield Line(first.number, "\n".join(parts), _OPEN)


def _unfinished(line: Line, delimiter: str) -> bool:
    """Whether a quoted field is still open at the end; with an even number of quotes, none is."""
    if line.fault or line.text.count('"') % 2 == 0:
        return False
    try:
        _row(line.text, delimiter)
    except FactError as error:
        return str(error) == _OPEN
    return False


def _row(text: str, delimiter: str = ",") -> list[str]:
    try:
        row = next(csv.reader([text], strict=True, skipinitialspace=True, delimiter=delimiter), [])
    except csv.Error as error:
        open_quote = "unexpected end of data" in str(error)
        raise FactError(_OPEN if open_quote else f"it is not CSV: {error}") from None
    while row and not row[-1]:
        row.pop()
    return row


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
    return Iri(text[1:-1]) if text[:1] == "<" and text[-1:] == ">" else text  # a bad IRI is a mistake, not a string


def _fields(atom: Atom) -> list[str]:
    return [atom.predicate, *map(write_field, atom.args)]


def write_field(value: Value) -> str:
    """The text that `read_field` reads as this value."""
    if type(value) is not str:
        return write_value(value)
    is_special = not value or value[0] in '<"' or (read_literal(value) is not None and not _PADDED.match(value))
    return write_value(value) if is_special else value


def _line(fields: list[str]) -> str:
    return ",".join(_quote(field) if _MUST_QUOTE.search(field) else field for field in fields)


def _quote(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'
