"""Static types: what is known about an argument before anything runs.

A value knows its own type (``value_type.py``). An argument *position* of a predicate has a static type: it is known before
there are values, and it decides the type of the table column for that position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ANY", "BOOLEAN", "DURATION", "INTEGER", "NUMBER", "STRING", "TIME", "StaticType", "join"]


@dataclass(frozen=True)
class StaticType:
    """A type with the next wider type: each value of this type is also a value of the wider one."""

    name: str
    wider: StaticType | None = None
    column: str | None = None
    """The type of its columns on Spark; None means text as written in programs."""

    def __str__(self) -> str:
        return self.name

    def widening(self) -> Iterator[StaticType]:
        """This type and all wider ones, narrowest first."""
        wider: StaticType | None = self
        while wider is not None:
            yield wider
            wider = wider.wider

    def fits(self, other: StaticType) -> bool:
        """Whether all values of this type also have the other type."""
        return other in self.widening()


NUMBER = StaticType("number", column="double")
INTEGER = StaticType("integer", NUMBER, "bigint")
TIME = StaticType("time", column="timestamp")
DURATION = StaticType("duration", column="interval day to second")
STRING = StaticType("string", column="string")
BOOLEAN = StaticType("boolean", STRING, "boolean")
ANY = StaticType("any")


def join(one: StaticType, other: StaticType) -> StaticType | None:
    """The narrowest type that contains the values of both; None if only ``any`` does.

    >>> print(join(INTEGER, NUMBER), join(BOOLEAN, STRING), join(STRING, NUMBER), join(TIME, INTEGER))
    number string None None
    """
    return next((wider for wider in one.widening() if other.fits(wider)), None)
