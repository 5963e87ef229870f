"""Strings, and the reserved words, which must be quoted when used as strings."""

from __future__ import annotations

import re

from laser.errors import LiteralError
from laser.values import static_type
from laser.values.value_type import ValueType

__all__ = ["NAME", "RESERVED", "STRING", "WORDS", "is_name", "quote"]

NAME = r"[a-z][A-Za-z0-9_]*"
"""A name that can be written without quotes, for a predicate or a string."""

WORDS = ("not", "in", "at", "always", "div", "mod", "abs", "min", "max")
RESERVED = frozenset(WORDS)
"""The reserved words: they cannot name a predicate, and as strings they must be quoted."""

_ESCAPED = {"\\": "\\", '"': '"', "n": "\n", "t": "\t", "r": "\r"}
_HIDDEN = (
    *range(0x20),
    *range(0x7F, 0xA0),
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    0xFFFE,
    0xFFFF,
)
"""Control characters, line separators and direction marks: printed raw, they would control a terminal."""
_ESCAPES = str.maketrans(
    {code: f"\\u{code:04x}" for code in _HIDDEN}
    | {ord(character): f"\\{letter}" for letter, character in _ESCAPED.items()}
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)")
_NAME = re.compile(NAME)

_FOREIGN_BOOLEANS = frozenset({"bool", "bool_"})
"""The names of numpy's boolean class in its versions. Numpy does not treat booleans as numbers, but converts them."""


def is_name(text: str) -> bool:
    """Whether a text can be written without quotes."""
    return text not in RESERVED and _NAME.fullmatch(text) is not None


def _read(text: str) -> str:
    """
    >>> _read('"two words"'), _read(r'"a\\tb"')
    ('two words', 'a\\tb')
    """
    return _ESCAPE.sub(_unescape, text[1:-1]) if "\\" in text else text[1:-1]


def _unescape(match: re.Match[str]) -> str:
    character = chr(int(match[1][1:], 16)) if len(match[1]) > 1 else _ESCAPED.get(match[1])
    if character is None or "\ud800" <= character <= "\udfff":
        where = slice(match.start() + 1, match.end() + 1)  # the quotation mark comes before it
        note, hint = r"the escapes are \\ \" \n \t \r and \u001b (four digits)", r"write \\ for a backslash"
        raise LiteralError("bad-escape", f"'{match[0]}' is not a valid escape", where, note, hint)
    return character


def quote(text: str) -> str:
    """A text in quotes, as in programs; control characters are escaped."""
    return f'"{text.translate(_ESCAPES)}"'


def _write(value: str) -> str:
    return value if is_name(value) else quote(value)


def _accept(value: object) -> str | None:
    """Strings, and booleans, which Python treats as numbers."""
    if isinstance(value, bool) or type(value).__name__ in _FOREIGN_BOOLEANS:
        return "true" if value else "false"
    return (
        str.__str__(value) if isinstance(value, str) else None
    )  # not str(), which gives the name of an enumeration member instead of its value


STRING = ValueType(
    name="string",
    classes={str: static_type.STRING},
    plain=frozenset({str}),
    rank=1,
    in_program=r'"[^"\\\n\r]*(?:\\[^\n\r][^"\\\n\r]*)*"',
    in_fact=r'"[^"\\\n\r]*(?:\\(?:[\\"ntr]|u[0-9A-Fa-f]{4})[^"\\\n\r]*)*"',
    read=_read,
    write=_write,
    accept=_accept,
)
