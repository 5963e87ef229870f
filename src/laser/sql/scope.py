"""What a rule is lowered in: the relations that there are, the timeline, and a place for helpers that it reads more than once."""

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
    """A helper of the statements after it, by a name of its own, and what it is for."""

    name: str
    query: str
    purpose: str
    kept: bool = False
    """Whether it is worth a table, since it is read more than once."""


@dataclass
class Scope:
    """Helpers with the same query are one."""

    timeline: Timeline
    relations: dict[Node, Relation] = field(default_factory=dict)
    asides: dict[str, Aside] = field(default_factory=dict)
    doubts: dict[str, None] = field(default_factory=dict)
    """Rules with an operation that may not be defined."""
    numbers: Iterator[int] = field(default_factory=count)
    fresh: list[Aside] = field(default_factory=list)
    """Those that the next statement is the first to read."""
    made: set[str] = field(default_factory=set)
    """Those that the statements so far have made."""

    blocks: bool = True
    """Whether intervals of one length are united by blocks first. Where rows are divided by key before they are sorted, it is a second division."""

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
        """What was begun is not made after all."""
        for aside in self.take_fresh():
            del self.asides[aside.query]

    def keep(self, names: Collection[str]) -> None:
        """Of the helpers of the last statements, these are made; the others have no reader, and whoever needs one later makes it anew."""
        self.made.update(names)
        self.asides = {query: aside for query, aside in self.asides.items() if aside.name in self.made}
