"""Kinds of columns: the types that Spark has, as far as they can be arguments, and the few that carry them.

A kind is Spark's own name of a type. A *carrier* is what facts travel in: ``long``, ``double`` or ``string``. The kind
``term`` is text in the notation of programs, for columns in which numbers, strings and IRIs mix.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from laser.errors import LaserError
from laser.values import Iri, Value, write_value
from laser.values.facts import parse_fact

__all__ = [
    "CARRIERS",
    "ClashError",
    "carrier",
    "join",
    "kind_of_type",
    "kind_of_value",
    "meet",
    "read_term",
    "write_cell",
]

INTEGERS = ("tinyint", "smallint", "int", "bigint")
CARRIERS = {"long": "bigint", "double": "double", "string": "string"}
_BY_KIND = {**dict.fromkeys((*INTEGERS, "timestamp"), "long"), **dict.fromkeys(("float", "double"), "double")}
_TEXTS = {"string", "boolean", "term"}


class ClashError(LaserError):
    """Two kinds that are no one column."""


def kind_of_type(name: str, column: str) -> str:
    """The kind of a column from the name of its type, or LaserError."""
    if name in _BY_KIND or name in _TEXTS or name.startswith("decimal"):
        return name
    if name == "timestamp_ntz":
        return "timestamp"
    if name.startswith(("varchar", "char")):
        return "string"
    raise LaserError(
        f"column {column} of type {name} cannot be an argument: cast it to a number, a string or a timestamp"
    )


def kind_of_value(value: Value) -> str:
    """The kind that a value of a program or of background data has."""
    if isinstance(value, str):
        return "string"
    return "term" if isinstance(value, Iri) else "bigint" if isinstance(value, int) else "double"


def carrier(kind: str) -> str:
    """What facts of this kind travel in."""
    return _BY_KIND.get(kind, "double" if kind.startswith("decimal") else "string")


def is_number(kind: str) -> bool:
    return carrier(kind) != "string"


def join(a: str | None, b: str | None) -> str | None:
    """The kind of a column into which both flow.

    >>> join("int", "bigint"), join("int", "double"), join("boolean", "string"), join(None, "int")
    ('bigint', 'double', 'string', 'int')
    """
    if a is None or b is None or a == b:
        return a or b
    if {a, b} == {"boolean", "string"}:
        return "string"
    if not is_number(a) or not is_number(b):
        raise ClashError(f"{a} and {b}")
    if a in INTEGERS and b in INTEGERS:
        return max(a, b, key=INTEGERS.index)
    return "bigint" if carrier(a) == carrier(b) == "long" else "double"


def meet(a: str | None, b: str | None) -> str | None:
    """The kind of a variable that is bound in two columns: only what is in both can match."""
    if "term" in (a, b) and None not in (a, b):
        return b if a == "term" else a
    return join(a, b)


def arithmetic(operator: str, kinds: Iterable[str]) -> str:
    """The kind of a computed number."""
    whole = all(carrier(kind) == "long" for kind in kinds)
    return "bigint" if whole and operator != "/" else "double"


def read_term(text: str) -> Value:
    """A value from its text in the notation of programs."""
    value: Value = parse_fact(f"v({text})")[1]
    return value


def write_cell(kind: str, value: Any) -> Any:
    """A value as its carrier wants it."""
    return write_value(value) if kind == "term" else value
