"""The text format: ``36: a(x1, y), b(y, z).``, one time point a line.

The time is an integer or ISO 8601. ``37:`` is a time point without facts. ``%`` and ``//`` begin a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from laser.errors import FactError, TimeError
from laser.io.records import Said
from laser.ticks import Tick
from laser.values import Atom
from laser.values.facts import parse_facts

__all__ = ["parse_background", "parse_record", "strip_comment", "write_change", "write_interval", "write_snapshot"]

# The colons of an ISO time have a digit behind them, and no fact begins with a digit.
_AFTER_TIME = re.compile(r":(?!\d)")
# The parser of facts counts columns from the first fact; a reader of the file counts from the time.
_COLUMN = re.compile(r"(?<=, column )\d+(?=\):)")
# A string that is never closed reaches to the end, so that the search stays linear in the line.
_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|<[^<>"\s]*>|(%|//)', re.DOTALL)


def parse_record(text: str, tick: Tick) -> Said | None:
    """A line of a stream, or None where it has nothing but a comment.

    >>> parse_record("36: a(x1, y), b(y, z).  % two facts", Tick())
    Said(time=36, facts=(a(x1, y), b(y, z)), iso=False)
    >>> parse_record("1970-01-01T00:01:00Z: a(x1, y).", Tick())
    Said(time=60, facts=(a(x1, y),), iso=True)
    """
    text = strip_comment(text)
    if not text or text.isspace():
        return None
    colon = _AFTER_TIME.search(text)
    if colon is None:
        raise TimeError("a record begins with its time and a colon, as in '36: a(x1, y).'")
    stamp = text[: colon.start()].strip()
    return Said(tick.from_text(stamp), _facts(text, colon.end()), not stamp.isdigit())


def parse_background(text: str) -> tuple[Atom, ...]:
    """The facts of a line without a time."""
    return _facts(strip_comment(text), 0)


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
    """A line without its comment and the blanks at its end; ``%`` within a string or an IRI begins none."""
    if "%" in text or "//" in text:
        for match in _COMMENT.finditer(text):
            if match[1]:
                text = text[: match.start()]
                break
    return text.rstrip()


def write_change(time: int | str, atom: Atom, holds: bool) -> str:
    """``36  + q(x1, y)``"""
    return f"{time}  {'+' if holds else '-'} {atom}"


def write_snapshot(time: int | str, atoms: Sequence[Atom]) -> str:
    """``36: q(x1, y), q(x2, y).``, which can be read as a stream again."""
    return f"{time}: {', '.join(map(str, atoms))}."


def write_interval(atom: Atom, since: int | str, until: int | str, ongoing: bool) -> str:
    """``q(x1, y)  [36, 39]``; ``[36, 39…]`` still held when the stream ended."""
    return f"{atom}  [{since}, {until}{'…' if ongoing else ''}]"
