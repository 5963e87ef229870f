"""A node of the plan in SQL: a relation of values and an interval, ``(a1, …, ak, c, h)``.

The key holds at every evaluation time in [c, h]. If a node has a time point, it is the last value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from laser.sql.kinds import Kind
from laser.sql.terms import Expression
from laser.sql.text import names

__all__ = ["FactWindow", "Relation"]


class FactWindow(NamedTuple):
    """The origin of a relation: each fact of a table from its time on for some ticks, by some of its columns."""

    facts: str
    columns: tuple[str, ...]
    ticks: int


@dataclass(frozen=True)
class Relation:
    """A relation by its name, with the kinds of its values.

    ``coalesced``: the intervals of a key neither overlap nor touch. ``empty``: it is known to have no rows.
    ``lasting``: all its intervals are the whole timeline. ``ascending``: an interval that begins later never ends earlier, for all keys.
    ``reach``: each interval is [c, c + reach], cut at the end of the timeline. ``pinned``: each begins at its last value, a time point.
    ``window``: the facts that it consists of, if nothing else is added.
    """

    name: str
    kinds: tuple[Kind, ...]
    coalesced: bool = False
    empty: bool = False
    lasting: bool = False
    ascending: bool = False
    reach: int | None = None
    pinned: bool = False
    window: FactWindow | None = None

    @property
    def columns(self) -> list[str]:
        return names(len(self.kinds))

    def values(self, alias: str) -> list[Expression]:
        """Its columns with an alias."""
        return [Expression(f"{alias}.{column}", kind) for column, kind in zip(self.columns, self.kinds, strict=True)]
