"""Kinds of columns: Spark's names of the types that arguments can have, and their conversion to values and back.

A kind has a static type, given by ``static_type``. Facts travel in a *carrier*: ``long``, ``double`` or ``string``. The kind
``term`` is text in the notation of programs, for columns of any type or of several types. ``conversion`` is the only place that
defines how a value of a kind looks in SQL, in its carrier and in Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from laser.errors import FactError, LaserError
from laser.values import Duration, Time, number, write_value
from laser.values.facts import read_value
from laser.values.static_type import ANY, BOOLEAN, DURATION, INTEGER, NUMBER, STRING, TIME, StaticType
from laser.values.static_type import join as join_types

__all__ = ["CARRIERS", "Conversion", "carrier", "conversion", "join", "kind_of", "kind_of_type", "static_type"]

TERM = "term"
CARRIERS = {"long": "bigint", "double": "double", "string": "string"}

_INT = StaticType("int", INTEGER, "int")
_SMALLINT = StaticType("smallint", _INT, "smallint")
_TINYINT = StaticType("tinyint", _SMALLINT, "tinyint")
_FLOAT = StaticType("float", NUMBER, "float")
_LOCAL = StaticType("timestamp_ntz", TIME, "timestamp_ntz")
_DATE = StaticType("date", _LOCAL, "date")
_TYPES = {
    static.column or TERM: static
    for static in (
        ANY, BOOLEAN, INTEGER, NUMBER, STRING, TIME, DURATION, _INT, _SMALLINT, _TINYINT, _FLOAT, _LOCAL, _DATE,
    )
}  # fmt: skip

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_LONG_DIGITS = 18
"""The number of digits of a decimal that fit into a long."""
_EXACT_DIGITS = 15
"""The number of digits of a decimal that a double preserves."""
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The first and the last microsecond of the calendar."""
_LEFT_OUT = (
    "CAST(CAST({} AS timestamp) AS timestamp_ntz) != {}",
    "is a local time that the session's zone leaves out, when clocks are put forward",
)


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Conversion:
    """Converts a column to values of the language, and back. In SQL, ``{}`` stands for the column or its carrier."""

    carrier: str
    into_carrier: str
    from_carrier: str
    to_value: Callable[[Any], Any] = _as_it_is
    """From the carrier to the value; returns the same object if there is nothing to convert."""
    to_cell: Callable[[Any], Any] = _as_it_is
    key: str = ""
    """The key as SQL, if it is not the carrier itself."""
    odd: tuple[tuple[str, str], ...] = ()
    """SQL that is true for a cell that is not a value, and a description of such a cell."""

    def carried(self, column: str) -> str:
        """A column in its carrier, as SQL; the name of the column is already quoted."""
        return self.into_carrier.replace("{}", column)

    def keyed(self, column: str) -> str:
        """The SQL from which the bucket of a key is computed."""
        return self.key.replace("{}", column) if self.key else self.carried(column)

    def given_back(self, slot: str) -> str:
        """SQL that converts a slot of the carrier back to the column."""
        return self.from_carrier.replace("{}", slot)

    def oddities(self, column: str) -> list[tuple[str, str]]:
        """The ways in which a cell is not a value: SQL that is true for it, and a description; empty if every cell is a value."""
        return [(test.replace("{}", column), words) for test, words in self.odd]

    def values(self, cells: list[Any]) -> list[Any]:
        """Cells of a carrier as values."""
        return cells if self.to_value is _as_it_is else list(map(self.to_value, cells))

    def cells(self, values: list[Any]) -> list[Any]:
        """Values as cells of a carrier."""
        return values if self.to_cell is _as_it_is else list(map(self.to_cell, values))


@cache
def conversion(kind: str) -> Conversion:
    """How columns of a kind are converted."""
    static = static_type(kind)
    if static.fits(TIME):
        instant = "unix_micros(CAST({} AS timestamp))"
        return Conversion(
            carrier="long",
            into_carrier=instant,
            from_carrier=f"CAST(timestamp_micros({{}}) AS {kind})",
            to_value=Time,
            to_cell=_micros,
            odd=(
                (f"{instant} NOT BETWEEN {_FIRST} AND {_LAST}", "lies outside of the calendar"),
                *([_LEFT_OUT] if kind == "timestamp_ntz" else []),
            ),
        )
    if static.fits(DURATION):
        return Conversion(
            carrier="long",
            into_carrier="unix_micros(timestamp_micros(0L) + {})",
            from_carrier="(timestamp_micros({}) - timestamp_micros(0L))",
            to_value=Duration,
            to_cell=_micros,
        )
    if kind == TERM:
        return Conversion("string", "CAST({} AS string)", "{}", _read_term, write_value)
    if static.fits(INTEGER) and _digits(kind) > _LONG_DIGITS:
        whole = "CAST({} AS decimal(38,0))"
        return Conversion("string", "CAST({} AS string)", f"CAST({{}} AS {kind})", int, str, key=whole)
    if static.fits(INTEGER):
        return Conversion("long", "CAST({} AS bigint)", f"CAST({{}} AS {kind})")
    if static.fits(NUMBER):
        return Conversion(
            carrier="double",
            into_carrier="CAST({} AS double)",
            from_carrier=f"CAST({{}} AS {kind})",
            to_value=number,
            to_cell=_double,
            odd=(
                ("isnan(CAST({} AS double)) OR abs(CAST({} AS double)) = double('infinity')", "is not a finite number"),
            ),
        )
    return Conversion("string", "CAST({} AS string)", f"CAST({{}} AS {kind})")


def _micros(value: Any) -> int:
    return value.micros  # type: ignore[no-any-return]


def _double(value: Any) -> float:
    """A number as a double; OverflowError if it is an integer that a double cannot represent exactly."""
    cell = float(value)
    if cell != value:
        raise OverflowError(f"a double cannot represent the integer {value} exactly")
    return cell


def _read_term(text: str) -> Any:
    try:
        return read_value(text)
    except FactError as error:
        raise LaserError(f"{text!r} in a column of terms is not a term: {error}") from None


@cache
def static_type(kind: str) -> StaticType:
    """The static type that a kind of columns has."""
    if decimal := _DECIMAL.fullmatch(kind):
        return StaticType(kind, NUMBER if int(decimal[2]) else INTEGER, kind)
    return _TYPES[kind]


def _digits(kind: str) -> int:
    decimal = _DECIMAL.fullmatch(kind)
    return int(decimal[1]) if decimal else 0


def kind_of(static: StaticType | None) -> str:
    """The kind of a column with a static type; string if the column is always empty.

    >>> kind_of(INTEGER), kind_of(None), kind_of(ANY)
    ('bigint', 'string', 'term')
    """
    return (static or STRING).column or TERM


def kind_of_type(name: str, column: str) -> str:
    """The kind of a column from the name of its type, or LaserError."""
    decimal = _DECIMAL.fullmatch(name)
    if decimal and int(decimal[2]) and int(decimal[1]) > _EXACT_DIGITS:
        raise LaserError(
            f"column {column} of type {name} cannot be an argument: numbers with a fraction become doubles, which "
            f"are exact to {_EXACT_DIGITS} digits. Cast it to decimal({_EXACT_DIGITS},{min(int(decimal[2]), _EXACT_DIGITS)}), "
            "double or string"
        )
    if name in _TYPES or decimal:
        return name
    if name.startswith(("varchar", "char")):
        return "string"
    if name == "void":
        raise LaserError(
            f"column {column} cannot be an argument: it contains only nulls and has no type. Cast it to one"
        )
    raise LaserError(
        f"column {column} of type {name} cannot be an argument: cast it to a number, a string or a timestamp"
    )


def carrier(kind: str) -> str:
    """The carrier of facts of this kind.

    >>> carrier("timestamp"), carrier("decimal(10,2)"), carrier("decimal(20,0)"), carrier("term")
    ('long', 'double', 'string', 'string')
    """
    return conversion(kind).carrier


def join(one: str | None, other: str) -> str:
    """The kind of a column that combines two, or LaserError.

    >>> join("int", "bigint"), join("int", "double"), join("boolean", "string"), join(None, "int")
    ('bigint', 'double', 'string', 'int')
    """
    if one is None:
        return other
    common = join_types(static_type(one), static_type(other))
    if common is None:
        raise LaserError(f"columns of the types {one} and {other} cannot be combined: cast one of them")
    return kind_of(common)
