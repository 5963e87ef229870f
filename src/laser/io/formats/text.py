"""The text format: ``36: a(x1, y), b(y, z).``, one time point per line.

The time is an integer or ISO 8601. ``37:`` is a time point without facts. ``%`` and ``//`` begin a comment. In answers, snapshots
are such lines, a change is ``36  + q(x1, y)``, and an interval ``q(x1, y)  [36, 39]``; ``…]`` means that it still held at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from laser.errors import FactError, TimeError
from laser.io.formats.format import LineFormat, Parse, read_time
from laser.io.records import ParsedChange, ParsedInterval, ParsedLine
from laser.syntax.looks_like import TIME
from laser.ticks import Tick
from laser.values import Atom
from laser.values.facts import parse_fact, parse_facts

__all__ = ["TEXT", "strip_comment"]

# In an ISO time, a digit follows each colon, and no fact begins with a digit.
_AFTER_TIME = re.compile(r":(?!\d)")
# The parser of facts counts columns from the first fact; people count from the start of the line.
_COLUMN = re.compile(r"(?<=, column )\d+(?=\):)")
# A string without an end extends to the end of the line, so that the search takes linear time.
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|<[^<>"\s]*>|(%|//)', re.DOTALL)
_CHANGE = re.compile(r"\s*([^\s:]\S*)\s+([+-])\s+(.+)")
_BOUNDS = re.compile(r"(\S+), ([^\s…]+)(…?)\]")


class Text(LineFormat):
    name = "text"
    title = "text"
    suffixes = (".stream", ".txt", ".lars")
    look = re.compile(rf"{TIME}:(?![-\d])")

    def parser(self, tick: Tick, place: Path | None = None) -> Parse:
        return lambda line: _parse(line, tick)

    def parse_background(self, line: str) -> tuple[Atom, ...]:
        return _facts(strip_comment(line), 0)

    def write_change(self, time: int | str, atom: Atom, holds: bool) -> str:
        return f"{time}  {'+' if holds else '-'} {atom}"

    def write_snapshot(self, time: int | str, atoms: Sequence[Atom]) -> str:
        return f"{time}: {', '.join(map(str, atoms))}."

    def write_interval(self, atom: Atom, since: int | str, until: int | str, ongoing: bool) -> str:
        return f"{atom}  [{since}, {until}{'…' if ongoing else ''}]"


TEXT = Text()


def _parse(line: str, tick: Tick) -> ParsedLine | ParsedChange | ParsedInterval | None:
    text = strip_comment(line)
    if not text or text.isspace():
        return None
    if change := _CHANGE.fullmatch(text):
        time, iso = read_time(change[1], tick)
        return ParsedChange(time, parse_fact(change[3]), change[2] == "+", iso)
    atom, _, bounds = text.rpartition("[")
    if interval := _BOUNDS.fullmatch(bounds):
        (since, iso), (until, _) = read_time(interval[1], tick), read_time(interval[2], tick)
        return ParsedInterval(parse_fact(atom.strip()), since, until, bool(interval[3]), iso)
    return _record(text, tick)


def _record(text: str, tick: Tick) -> ParsedLine:
    colon = _AFTER_TIME.search(text)
    if colon is None:
        raise TimeError("a record must begin with its time and a colon, as in '36: a(x1, y).'")
    time, iso = read_time(text[: colon.start()], tick)
    return ParsedLine(time, _facts(text, colon.end()), iso)


def _facts(text: str, start: int) -> tuple[Atom, ...]:
    """The facts of a line from a column on."""
    said = text[start:].strip()
    if said in ("", "."):
        return ()
    try:
        return tuple(parse_facts(said))
    except FactError as error:
        offset = text.index(said, start)
        message = _COLUMN.sub(lambda column: str(int(column[0]) + offset), str(error), count=1)
        raise FactError(message) from None


def strip_comment(text: str) -> str:
    """A line without its comment and trailing blanks; a ``%`` within a string or an IRI does not begin a comment."""
    if "%" in text or "//" in text:
        for match in _COMMENT.finditer(text):
            if match[1]:
                text = text[: match.start()]
                break
    return text.rstrip()
