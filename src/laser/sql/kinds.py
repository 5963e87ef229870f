"""Kinds of columns: how the values of one position are represented in SQL, so that exactly the equal values are equal there.

A column of one kind has the type of its values: whole numbers are BIGINT, numbers that may not be whole are DOUBLE, strings and
IRIs VARCHAR. If several kinds occur, the column has structs without NULLs, ``{k, n, s}``: the rank of the value's type, its
number (or 0) and its text (or ''). Whole numbers in DOUBLE columns must be below 2**53, where doubles are exact; a larger one
stops the query, and the reasoner, which has exact numbers of any size, takes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import reduce
from typing import assert_never

from laser.values import Duration, Iri, Time, Value

__all__ = [
    "EXACT",
    "INEXACT",
    "Kind",
    "convert",
    "is_text",
    "join",
    "kind_of",
    "literal",
    "number_of",
    "text",
    "text_of",
]

EXACT = 2**53
"""Up to here, every whole number is exact as a double."""

INEXACT = "laser: a number is too large to be exact"
"""The error message with which a query stops; the executor recognises it."""


class Kind(Enum):
    """The kind of the values of a column, with the column's type."""

    INTEGER = "bigint"
    NUMBER = "double"
    STRING = "varchar"
    IRI = "varchar "  # the blank distinguishes it from STRING, because members with equal values would be one member
    ANY = "struct(k tinyint, n double, s varchar)"

    @property
    def column(self) -> str:
        """The type of the column in DuckDB."""
        return self.value.strip()

    @property
    def is_number(self) -> bool:
        return self in (Kind.INTEGER, Kind.NUMBER)

    @property
    def is_mixed(self) -> bool:
        return self == Kind.ANY


_LITERAL = re.compile(r"cast\((-?\d+) as bigint\)")
_RANK = {Kind.INTEGER: 0, Kind.NUMBER: 0, Kind.STRING: 1, Kind.IRI: 2}


def join(kinds: Iterable[Kind]) -> Kind:
    """The kind of a column that combines columns of these kinds."""
    return reduce(_join, kinds)


def _join(one: Kind, other: Kind) -> Kind:
    if one == other:
        return one
    return Kind.NUMBER if one.is_number and other.is_number else Kind.ANY


def kind_of(value: Value) -> Kind | None:
    """The kind of a column that has only this value; None if no column can have it.

    That is the case for a time, a duration, a whole number of more than 64 bits, and half a surrogate pair.
    """
    match value:
        case Iri():
            return Kind.IRI
        case str():
            return Kind.STRING if is_text(value) else None
        case float():
            return Kind.NUMBER
        case int():
            return Kind.INTEGER if -(2**63) < value < 2**63 else None
        case Time() | Duration():
            return None
        case _:
            assert_never(value)


def is_text(value: str) -> bool:
    """Whether a string can be encoded in UTF-8: Python's may have half a surrogate pair."""
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def literal(value: Value) -> str:
    """A value as a literal of its own kind."""
    match value:
        case Iri():
            return text(value.text)
        case str():
            return text(value)
        case float():
            return f"cast({value!r} as double)"
        case int():
            return f"cast({value} as bigint)"
        case Time() | Duration():
            raise AssertionError(f"{value} has no kind")
        case _:
            assert_never(value)


def text(value: str) -> str:
    """A text as a literal."""
    return "'" + value.replace("'", "''") + "'"


def convert(sql: str, kind: Kind, to: Kind) -> str:
    """An expression of one kind, converted to a wider kind."""
    if kind == to:
        return sql
    match to:
        case Kind.NUMBER:
            assert kind == Kind.INTEGER
            if (whole := _LITERAL.fullmatch(sql)) and abs(int(whole[1])) <= EXACT:
                return literal(float(whole[1]))
            return (
                f"case when {sql} between -{EXACT} and {EXACT} then cast({sql} as double) else error('{INEXACT}') end"
            )
        case Kind.ANY:
            return _any(sql, kind)
        case Kind.INTEGER | Kind.STRING | Kind.IRI:
            raise AssertionError(f"{kind} does not widen to {to}")
        case _:
            assert_never(to)


def _any(sql: str, kind: Kind) -> str:
    if kind.is_number:
        struct = _struct("0", convert(sql, kind, Kind.NUMBER), "''")
        return f"case when {sql} is not null then {struct} end" if " " in sql else struct  # a column is never NULL
    return _struct(str(_RANK[kind]), "cast(0 as double)", sql)


def _struct(rank: str, number: str, words: str) -> str:
    return f"{{'k': cast({rank} as tinyint), 'n': {number}, 's': {words}}}"


def number_of(sql: str, kind: Kind) -> tuple[str, Kind]:
    """The number value of an expression, with its kind; NULL if it is not a number."""
    match kind:
        case Kind.INTEGER | Kind.NUMBER:
            return sql, kind
        case Kind.ANY:
            return f"case when ({sql}).k = 0 then ({sql}).n end", Kind.NUMBER
        case Kind.STRING | Kind.IRI:
            return "cast(null as double)", Kind.NUMBER
        case _:
            assert_never(kind)


def text_of(sql: str, kind: Kind) -> str:
    """The string value of an expression; NULL if it is not a string."""
    match kind:
        case Kind.STRING:
            return sql
        case Kind.ANY:
            return f"case when ({sql}).k = {_RANK[Kind.STRING]} then ({sql}).s end"
        case Kind.INTEGER | Kind.NUMBER | Kind.IRI:
            return "cast(null as varchar)"
        case _:
            assert_never(kind)
