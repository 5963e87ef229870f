"""What a value type knows. Nothing else in Laser tells values of different types apart.

To add a type is to write one such record and to list it in ``registry.py``; ``docs/contributing.md`` has an example.
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
    """A type of values: how they are written, read, ordered, and handed over to other systems.

    ``tests/values/test_registry.py`` has the laws that every type keeps.
    """

    name: str
    classes: Mapping[type, StaticType]
    """The Python classes of its values; for each, the static type of a position that holds such a value.

    A class that is a tuple (which hashes and compares in C) begins with something that no other type begins with: tuples
    of equal content are equal, whatever their class.
    """
    plain: frozenset[type]
    """Those of its classes whose instances are all values as they are. The others go through ``accept``."""
    rank: int
    """The place of its values among those of other types, where all are sorted. Comparisons know no such order."""

    terminal: str = "LITERAL"
    """What the grammar of programs calls its literals."""
    in_program: str
    """A regular expression without groups: its literals in a program, where a sign is an operator before them."""
    in_fact: str
    """The same in facts and in fields of CSV, where a sign is part of a number."""
    read: Callable[[str], Any]
    """From the text of a literal, which matches, to the value, or LiteralError."""
    write: Callable[[Any], str]
    """From the value to a text that reads as the same value."""
    accept: Callable[[object], Any]
    """From an object of some other class to a value; None where it is none of this type. FactError says why not."""

    json_tag: str | None = None
    """In JSON, ``{tag: content}`` is a value of this type; None where its values are JSON's own."""
    to_json: Callable[[Any], Any] = _as_it_is
    from_json: Callable[[Any], Any] = _as_it_is
    """From the content of a tag to the value, or FactError."""

    code: Callable[[Any], str] = repr
    """Python source of the value."""
    code_names: Mapping[str, object] = field(default_factory=dict)
    """The names that occur in it."""
