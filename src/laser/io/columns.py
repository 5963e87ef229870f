"""Converts whole columns of a table to values, all rows of a block at once.

Every function returns the values that the reader of single rows would return (`laser.io.tables`), or None if some row needs a
closer look: then that reader reads the block, and finds what is wrong with which row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, assert_never

from laser.errors import LaserError
from laser.values.declared import Declared

__all__ = ["Memo", "from_json_values", "from_texts"]

EXACT = 2**53
"""Below this, a double that was read from a text equals the number in the text."""
_DIGITS = frozenset("0123456789.-+,")
MOST_KEPT = 100_000

Values = Sequence[Any]


class Memo(dict[Any, Any]):
    """The values of texts, each read once: columns of names and times have few different texts."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, text: Any) -> Any:
        if len(self) >= MOST_KEPT:
            self.clear()
        value = self[text] = self._read(text)
        return value

    def all(self, texts: Values) -> list[Any] | None:
        """The values of all texts; None if one of them has no value."""
        try:
            return list(map(self.__getitem__, texts))
        except (LaserError, ValueError):
            return None


def from_texts(texts: Values, kind: Declared, memo: Memo) -> Values | None:
    """CSV fields as values of a type."""
    match kind:
        case Declared.STRING:
            return memo.all(texts)  # equal texts become one object, which is hashed once
        case Declared.NUMBER | Declared.INTEGER:
            numbers = _numbers(texts)
            if numbers is not None and (kind is Declared.NUMBER or set(map(type, numbers)) == {int}):
                return numbers
    return memo.all(texts)


def _numbers(texts: Values) -> Values | None:
    """Plain numbers: none has an exponent, a blank or another character that Python reads differently from Laser."""
    joined = ",".join(texts)
    if not _DIGITS.issuperset(joined) or ".," in joined or joined.endswith("."):
        return None
    try:
        if "." not in joined:
            return list(map(int, texts))
        values = list(map(float, texts))
    except ValueError:
        return None
    return _exact(values)


def _exact(values: list[Any]) -> list[Any] | None:
    """Doubles, with whole numbers as integers; None if a double may be rounded or is not finite."""
    if not all(-EXACT < value < EXACT for value in (min(values), max(values))):
        return None
    return [int(value) if value.is_integer() else value for value in values]


def from_json_values(values: Values, kind: Declared, memo: Memo) -> Values | None:
    """Values that already have a type, as in JSON and Parquet."""
    kinds = set(map(type, values))
    if kinds == {str}:
        match kind:
            case Declared.STRING:
                return values
            case Declared.ANY:
                return None if "" in values else values
            case Declared.TIME | Declared.DURATION | Declared.IRI:
                return memo.all(values)
            case Declared.NUMBER | Declared.INTEGER | Declared.BOOLEAN:
                return None
            case _:
                assert_never(kind)
    if kinds == {int} and kind in (Declared.NUMBER, Declared.INTEGER, Declared.ANY):
        return values
    if kinds <= {int, float} and kind in (Declared.NUMBER, Declared.ANY):
        if not all(-EXACT < value < EXACT for value in values):
            return None
        return [int(value) if type(value) is float and value.is_integer() else value for value in values]
    return None
