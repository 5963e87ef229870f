"""The value types, and functions that work for values of every type. Each function is one lookup by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from laser.errors import FactError
from laser.values.iri import IRI, Iri
from laser.values.number import NUMBER
from laser.values.static_type import StaticType
from laser.values.string import STRING
from laser.values.time import DURATION, TIME, Duration, Time
from laser.values.value_type import ValueType

__all__ = [
    "BY_CLASS",
    "CODE_NAMES",
    "PLAIN_CLASSES",
    "TYPES",
    "Value",
    "from_json",
    "static_type_of",
    "to_json",
    "to_value",
    "type_of",
    "value_order",
    "write_code",
    "write_value",
]

Value: TypeAlias = int | float | str | Iri | Time | Duration

TYPES: Final = (STRING, TIME, DURATION, NUMBER, IRI)
"""All value types. If a text or an object fits several types, the first one wins."""

BY_CLASS: Final[Mapping[type, ValueType]] = {python: each for each in TYPES for python in each.classes}
PLAIN_CLASSES: Final = frozenset[type]().union(*(each.plain for each in TYPES))
CODE_NAMES: Final = {name: thing for each in TYPES for name, thing in each.code_names.items()}

_BY_TAG = {each.json_tag: each for each in TYPES if each.json_tag is not None}
_WRITE = {python: each.write for python, each in BY_CLASS.items()}
_TO_JSON = {python: each.to_json for python, each in BY_CLASS.items()}
_RANK = {python: each.rank for python, each in BY_CLASS.items()}


def type_of(value: Value) -> ValueType:
    """The type of a value."""
    return BY_CLASS[type(value)]


def static_type_of(value: Value) -> StaticType:
    """The static type of an argument that holds this value."""
    return BY_CLASS[type(value)].classes[type(value)]


def to_value(value: Any) -> Value:
    """Convert a Python object to a term, or raise FactError.

    >>> to_value(True), to_value(2.0), to_value("x")
    ('true', 2, 'x')
    """
    python = type(value)
    if python in PLAIN_CLASSES:
        return value  # type: ignore[no-any-return]
    known = BY_CLASS.get(python)
    return _foreign(value) if known is None else known.accept(value)


def _foreign(value: Any) -> Value:
    """Convert an object of another class with the first type that accepts it."""
    for each in TYPES:
        taken: Value | None = each.accept(value)
        if taken is not None:
            return taken
    *others, last = [known.__name__ for known in sorted(BY_CLASS, key=_RANK.__getitem__)]
    raise FactError(f"{value!r} of type {type(value).__name__} is not a term: use {', '.join(others)} or {last}")


def write_value(value: Value) -> str:
    """A value as written in a program.

    >>> print(write_value("x1"), write_value("two words"), write_value(3.5))
    x1 "two words" 3.5
    """
    return _WRITE[type(value)](value)


def value_order(value: Value) -> tuple[int, Any]:
    """A sort key that orders all values: numbers, strings, IRIs, times, durations."""
    return (_RANK[type(value)], value)


def write_code(value: Value) -> str:
    """Python source code for a value; ``CODE_NAMES`` has the names that it uses."""
    return BY_CLASS[type(value)].code(value)


def to_json(value: Value) -> Any:
    """A value in its JSON form."""
    return _TO_JSON[type(value)](value)


def from_json(data: Any) -> Value:
    """The value for a JSON form, or FactError.

    >>> from_json(1.0), from_json(True), from_json({"iri": "http://example.org/a"})
    (1, 'true', <http://example.org/a>)
    """
    if type(data) is not dict:
        return to_value(data)
    tag, content = next(iter(data.items()), (None, None))
    if len(data) != 1 or tag not in _BY_TAG:
        forms = " or ".join(f'{{"{known}": …}}' for known in sorted(_BY_TAG))
        raise FactError(f"an object is not a term, unless it has the form {forms}")
    return _BY_TAG[tag].from_json(content)  # type: ignore[no-any-return]
