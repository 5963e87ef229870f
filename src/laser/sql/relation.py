"""What a node of the plan is in SQL: a relation of values and an interval, ``(a1, …, ak, c, h)``.

At every evaluation time of [c, h] the key holds, whatever the node: a node that knows *when* has the time point as its last value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from laser.sql.kinds import Kind
from laser.sql.terms import Expression
from laser.sql.text import names

__all__ = ["FactWindow", "Relation"]


class FactWindow(NamedTuple):
    """What a relation is made of: each fact of a table from its time on for so many ticks, by some of its columns."""

    facts: str
    columns: tuple[str, ...]
    ticks: int


@dataclass(frozen=True)
class Relation:
    """A relation by its name, with the kinds of its values.

    ``coalesced``: the intervals of a key neither overlap nor touch. ``empty``: it is known to have no rows.
    ``lasting``: all its intervals are the whole timeline. ``ascending``: what begins later never ends earlier, whatever the key.
    ``reach``: each interval is [c, c + reach], cut where the timeline ends. ``pinned``: each begins at its last value, a time point.
    ``window``: the facts that it is made of, if that is all there is to it.
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
        """Its columns under an alias."""
        return [Expression(f"{alias}.{column}", kind) for column, kind in zip(self.columns, self.kinds, strict=True)]
