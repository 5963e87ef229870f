"""The context in which a rule is translated: the existing relations, the timeline, and helpers that are read more than once."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import count

from laser.plan.nodes import Node
from laser.sql.coalesce import coalesce
from laser.sql.relation import Relation
from laser.sql.timeline import Timeline

__all__ = ["Aside", "Scope"]


@dataclass(frozen=True)
class Aside:
    """A helper of later statements, with its name and purpose."""

    name: str
    query: str
    purpose: str
    kept: bool = False
    """Whether it is worth a table, because it is read more than once."""


@dataclass
class Scope:
    """Helpers with equal queries are shared."""

    timeline: Timeline
    relations: dict[Node, Relation] = field(default_factory=dict)
    asides: dict[str, Aside] = field(default_factory=dict)
    doubts: dict[str, None] = field(default_factory=dict)
    """Rules with an operation that may be undefined."""
    numbers: Iterator[int] = field(default_factory=count)
    fresh: list[Aside] = field(default_factory=list)
    """The helpers that the next statement is the first to read."""
    made: set[str] = field(default_factory=set)
    """The helpers that the statements so far have made."""

    blocks: bool = True
    """Whether intervals of equal length are first merged in blocks. If rows are divided by key before sorting, that would divide them twice."""

    def coalesce(self, source: str, keys: list[str], ascending: bool = False, reach: int | None = None) -> str:
        """The maximal intervals of each key."""
        return coalesce(source, keys, ascending, reach if self.blocks else None)

    def relation(self, node: Node) -> Relation:
        return self.relations[node]

    def aside(self, query: str, purpose: str) -> str:
        """The name of a table with the rows of a query."""
        if query not in self.asides:
            self.asides[query] = made = Aside(f"h{next(self.numbers)}", query, purpose)
            self.fresh.append(made)
        return self.asides[query].name

    def take_fresh(self) -> list[Aside]:
        taken, self.fresh = self.fresh, []
        return taken

    def drop_fresh(self) -> None:
        """Drop helpers that were begun and are not needed after all."""
        for aside in self.take_fresh():
            del self.asides[aside.query]

    def keep(self, names: Collection[str]) -> None:
        """Keep these helpers of the last statements; the others have no reader, and are made again if they are needed later."""
        self.made.update(names)
        self.asides = {query: aside for query, aside in self.asides.items() if aside.name in self.made}
