"""Numbers: integers of any size, and doubles for all numbers that are not whole.

A whole number is an exact integer, however it was written or computed (specification, section 1), so equal numbers have one
form: they are hashed, printed and sent in the same way.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from laser.errors import FactError, LiteralError
from laser.values import static_type
from laser.values.value_type import ValueType

__all__ = ["HUGE", "NUMBER", "is_writable", "number"]

UNSIGNED = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"

HUGE = 2**1024
"""Larger integers have no value, just as decimals overflow: squaring in a loop would exhaust memory."""

LONGEST_DECIMAL = 14_000
"""The number of bits from which Python refuses to write an integer in decimal (at 4300 digits)."""

_EXACT = 2.0**53
"""A whole double below this limit is exactly the number that was written."""


def number(value: float) -> int | float:
    """The normal form of a number: 1.0 becomes 1, so that equal numbers are also printed in the same way."""
    return int(value) if value.is_integer() else value


def is_writable(value: object) -> bool:
    """Whether a value can be written in a program: all values except integers of more than 4300 digits."""
    return type(value) is not int or value.bit_length() <= LONGEST_DECIMAL


def _read(text: str) -> int | float:
    """
    >>> _read("1e23"), _read("- 2.50"), _read("1.0")
    (100000000000000000000000, -2.5, 1)
    """
    try:
        if text.isdigit():
            return int(text)
        if text[0] == "-":
            text = "-" + text[1:].lstrip()
        return _read_decimal(text) if "." in text or "e" in text or "E" in text else int(text)
    except (ValueError, OverflowError):  # infinite, or more digits than Python can convert
        shown = text if len(text) <= 20 else f"{text[:20]}…"
        note = "an integer can have at most 4300 digits, and a decimal can be at most about 1.8e308"
        raise LiteralError("huge-number", f"the number {shown} is too large", None, note) from None


def _read_decimal(text: str) -> int | float:
    """A double, or the integer as written, because the nearest double may differ: 1e23 is not 99999999999999991611392."""
    value = float(text)
    if abs(value) < _EXACT:
        return int(value) if value.is_integer() else value
    nearest = int(value)
    numerator, denominator = Decimal(text).as_integer_ratio()
    return numerator if denominator == 1 else nearest


def _write(value: int | float) -> str:
    return repr(value) if is_writable(value) else hex(int(value))


def _accept(value: Any) -> int | float | None:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FactError(f"{value} is not a term: numbers must be finite")
        return number(float(value))
    return int(value) if isinstance(value, int) else _accept_foreign(value)


def _accept_foreign(value: Any) -> int | float | None:
    """Numbers of other libraries (numpy, decimal), converted by their own methods."""
    try:
        if hasattr(value, "__index__"):
            return int(value.__index__())
        if hasattr(value, "__float__"):
            whole = int(value) if hasattr(value, "__int__") else None
            return whole if whole is not None and whole == value else _accept(float(value))
    except (TypeError, ValueError, OverflowError):
        pass
    return None


def _to_json(value: int | float) -> Any:
    return value if is_writable(value) else {"int": hex(int(value))}


def _from_json(content: Any) -> int:
    try:
        return int(content, 16)
    except (TypeError, ValueError):
        raise FactError(f'{content!r} is not a hexadecimal integer such as {{"int": "0x1f"}}') from None


NUMBER = ValueType(
    name="number",
    classes={int: static_type.INTEGER, float: static_type.NUMBER},
    plain=frozenset({int}),
    rank=0,
    terminal="NUMBER",
    in_program=UNSIGNED,
    in_fact=rf"(?:-\s*)?{UNSIGNED}(?!\w)",
    read=_read,
    write=_write,
    accept=_accept,
    json_tag="int",
    to_json=_to_json,
    from_json=_from_json,
    code=_write,
)
