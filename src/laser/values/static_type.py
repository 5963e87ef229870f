"""Static types: what is known of an argument before anything runs.

A value knows its own type (``value_type.py``). A *position* of a predicate has a static type: it is known before there are
values, and it decides which column of a table the position becomes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["ANY", "BOOLEAN", "DURATION", "INTEGER", "NUMBER", "STRING", "TIME", "StaticType", "join"]


@dataclass(frozen=True)
class StaticType:
    """A type with the next wider one: each value of this type is also a value of that."""

    name: str
    wider: StaticType | None = None
    column: str | None = None
    """The type of its columns on Spark; None: text in the notation of programs."""

    def __str__(self) -> str:
        return self.name

    def widening(self) -> Iterator[StaticType]:
        """This type and all wider ones, narrowest first."""
        wider: StaticType | None = self
        while wider is not None:
            yield wider
            wider = wider.wider

    def fits(self, other: StaticType) -> bool:
        """Whether all values of this type are of the other."""
        return other in self.widening()


NUMBER = StaticType("number", column="double")
INTEGER = StaticType("integer", NUMBER, "bigint")
TIME = StaticType("time", column="timestamp")
DURATION = StaticType("duration", column="interval day to second")
STRING = StaticType("string", column="string")
BOOLEAN = StaticType("boolean", STRING, "boolean")
ANY = StaticType("any")


def join(one: StaticType, other: StaticType) -> StaticType | None:
    """The narrowest type that has the values of both; None where only ``any`` would do.

    >>> print(join(INTEGER, NUMBER), join(BOOLEAN, STRING), join(STRING, NUMBER), join(TIME, INTEGER))
    number string None None
    """
    return next((wider for wider in one.widening() if other.fits(wider)), None)
