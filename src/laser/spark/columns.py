"""Kinds of columns: Spark's names of the types that arguments can have, and the few types that carry them.

A kind stands for a static type, to which ``static_type`` maps it. A *carrier* is what facts travel in: ``long``, ``double``
or ``string``. The kind ``term`` is text in the notation of programs, for columns of any type and of several.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from laser.errors import LaserError
from laser.values import write_value
from laser.values.static_type import ANY, BOOLEAN, INTEGER, NUMBER, STRING, TIME, StaticType
from laser.values.static_type import join as join_types

__all__ = ["CARRIERS", "carrier", "join", "kind_of", "kind_of_type", "static_type", "write_cell"]

TERM = "term"
CARRIERS = {"long": "bigint", "double": "double", "string": "string"}

_INT = StaticType("int", INTEGER, "int")
_SMALLINT = StaticType("smallint", _INT, "smallint")
_TINYINT = StaticType("tinyint", _SMALLINT, "tinyint")
_FLOAT = StaticType("float", NUMBER, "float")
_TYPES = {
    static.column or TERM: static
    for static in (ANY, BOOLEAN, INTEGER, NUMBER, STRING, TIME, _INT, _SMALLINT, _TINYINT, _FLOAT)
}


@cache
def static_type(kind: str) -> StaticType:
    """The static type that a kind of columns has."""
    return StaticType(kind, NUMBER, kind) if kind.startswith("decimal") else _TYPES[kind]


def kind_of(static: StaticType | None) -> str:
    """The kind of a column of a static type; where nothing ever flows, a string is as good as anything.

    >>> kind_of(INTEGER), kind_of(None), kind_of(ANY)
    ('bigint', 'string', 'term')
    """
    return (static or STRING).column or TERM


def kind_of_type(name: str, column: str) -> str:
    """The kind of a column from the name of its type, or LaserError."""
    if name in _TYPES or name.startswith("decimal"):
        return name
    if name == "timestamp_ntz":
        return "timestamp"
    if name.startswith(("varchar", "char")):
        return "string"
    raise LaserError(
        f"column {column} of type {name} cannot be an argument: cast it to a number, a string or a timestamp"
    )


def carrier(kind: str) -> str:
    """What facts of this kind travel in.

    >>> carrier("timestamp"), carrier("decimal(10,2)"), carrier("term")
    ('long', 'double', 'string')
    """
    static = static_type(kind)
    if static.fits(INTEGER) or static.fits(TIME):
        return "long"
    return "double" if static.fits(NUMBER) else "string"


def join(one: str | None, other: str) -> str:
    """The kind of a column into which two flow, or LaserError.

    >>> join("int", "bigint"), join("int", "double"), join("boolean", "string"), join(None, "int")
    ('bigint', 'double', 'string', 'int')
    """
    if one is None:
        return other
    common = join_types(static_type(one), static_type(other))
    if common is None:
        raise LaserError(f"columns of the types {one} and {other} cannot be one column: cast one of them")
    return kind_of(common)


def write_cell(kind: str, value: Any) -> Any:
    """A value as its carrier wants it."""
    return write_value(value) if kind == TERM else value
