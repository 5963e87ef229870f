"""The record that defines a value type. No other code in Laser distinguishes values by type.

To add a type, write such a record and list it in ``registry.py``; ``docs/contributing.md`` has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from laser.values.static_type import StaticType

__all__ = ["ValueType"]


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueType:
    """A type of values: how they are written, read, ordered, and passed to other systems.

    ``tests/values/test_registry.py`` has the laws that every type must satisfy.
    """

    name: str
    classes: Mapping[type, StaticType]
    """The Python classes of its values; for each, the static type of an argument that holds such a value.

    A class that is a tuple (which hashes and compares in C) must begin with an item that no other type begins with, because
    tuples with equal items are equal, whatever their class.
    """
    plain: frozenset[type]
    """Those of its classes whose instances are always valid values. Instances of the others go through ``accept``."""
    rank: int
    """The place of its values when values of all types are sorted. Comparisons in programs do not use this order."""

    terminal: str = "LITERAL"
    """The terminal of its literals in the grammar."""
    in_program: str
    """A regular expression without groups for its literals in a program, where a sign before them is an operator."""
    in_fact: str
    """The same in facts and in CSV fields, where a sign is part of a number."""
    read: Callable[[str], Any]
    """From the text of a matching literal to the value, or LiteralError."""
    write: Callable[[Any], str]
    """From the value to a text that is read as the same value."""
    accept: Callable[[object], Any]
    """From an object of another class to a value; None if it is not of this type, FactError if it is but is not valid."""

    json_tag: str | None = None
    """In JSON, ``{tag: content}`` is a value of this type; None if JSON itself has such values."""
    to_json: Callable[[Any], Any] = _as_it_is
    from_json: Callable[[Any], Any] = _as_it_is
    """From the content of a tag to the value, or FactError."""

    code: Callable[[Any], str] = repr
    """Python source code for the value."""
    code_names: Mapping[str, object] = field(default_factory=dict)
    """The names that the code uses."""
