"""Strata: which nodes of a plan become SQL, which are left to the reasoner, and in which order.

Nodes that SQL cannot express (recursion, tuple windows, records) are left to the reasoner, together with nodes that only depend on them.
The reasoner reads the relations of their sources as intervals, and returns intervals for the next SQL. So SQL and the reasoner alternate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from laser.plan.nodes import Background, Dated, Node, Recent, Unit
from laser.plan.part import groups, reads
from laser.plan.plan import Component
from laser.sql.kinds import Kind
from laser.sql.lower import NAME, Lowerer, Statement, reason_of
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.values import Predicate

__all__ = ["Spared", "Strata"]

Group: TypeAlias = tuple[Component, ...]
Spared: TypeAlias = Callable[[Node], str | None]
"""Why a node is left to the reasoner, whatever the kinds of its values are; None if it need not be."""


class Strata:
    """Translates as much of a plan as has its sources, again each time that the reasoner has added more.

    ``left`` has the nodes that the reasoner must compute next, with the reasons: those that ``spared`` names and, if not ``silent``,
    those whose operations may be undefined.
    """

    def __init__(self, lowerer: Lowerer, silent: bool = True, spared: Spared = reason_of) -> None:
        self.lowerer, self.silent, self.spared = lowerer, silent, spared
        self.reads = reads(lowerer.plan)
        self.rest: list[Group] = [
            group
            for group in groups(lowerer.plan)
            if any(node in lowerer.wanted for component in group for node in component.nodes)
        ]
        self.left: dict[Node, str] = {}
        self.beyond: dict[Node, str] = {}
        """Nodes whose values SQL cannot represent, although the reasoner has computed them."""

    def outputs(self) -> dict[Predicate, Relation]:
        """The relations of the outputs that exist so far."""
        relations = self.lowerer.relations
        return {p: relations[node] for p, node in self.lowerer.plan.outputs.items() if node in relations}

    # -- SQL

    def lowered(self) -> tuple[Statement, ...]:
        """The statements of the next stratum. The remaining nodes are left to the reasoner, or wait for it."""
        self.left = {}
        made: list[Statement] = []
        waiting: list[Group] = []
        for group in self.rest:
            reason = self._refusal(group)
            missing = [source for source in self._sources(group) if source not in self.lowerer.relations]
            if any(reason is None or (s not in self.left and s not in self.beyond) for s in missing):
                waiting.append(group)
            elif reason is None:
                made += self._lower(group)
            else:
                self._leave(group, reason)
        self.rest = waiting
        return self._read(made)

    def _lower(self, group: Group) -> Iterator[Statement]:
        ((node,),) = (component.nodes for component in group)
        try:
            statement = self.lowerer.lower(node, self.silent)
        except NotLowered as refusal:
            self._leave(group, str(refusal))
            return
        if statement is not None:
            yield statement

    def _leave(self, group: Group, reason: str) -> None:
        self.left.update((node, reason) for component in group for node in component.nodes)

    def _refusal(self, group: Group) -> str | None:
        """Why a node, or a group of nodes that depend on each other, is left to the reasoner without an attempt."""
        nodes = [node for component in group for node in component.nodes]
        spared = [reason for node in nodes if (reason := self.spared(node)) is not None]
        recursive = [
            f"recursion through {', '.join(dict.fromkeys(n.subject for n in c.nodes))}" for c in group if c.recursive
        ]
        beyond = [f"{source}: {self.beyond[source]}" for source in self._sources(group) if source in self.beyond]
        return next(iter([*recursive, *spared, *beyond]), None)

    def _sources(self, group: Group) -> list[Node]:
        own = {node for component in group for node in component.nodes}
        return [source for node in own for source in self.reads[node] if source not in own]

    def _read(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        """The statements that are read; a relation is kept as a table if it is read more than once and costs more than its sources."""
        relations = self.lowerer.relations
        later = [node for group in self.rest for component in group for node in component.nodes]
        reads = Counter(
            relations[source].name
            for node in (*later, *self.left)
            for source in self.reads[node]
            if source in relations
        )
        reads.update(relation.name for node in self.lowerer.plan.outputs.values() if (relation := relations.get(node)))
        found: list[Statement] = []

        def kept(name: str, query: str) -> bool:
            reads.update(NAME.findall(query))
            return reads[name] > 1

        for statement in reversed(statements):
            if statement.relation.name in reads:
                again = kept(statement.relation.name, statement.query) and not _is_look(
                    statement.node, statement.relation
                )
                found.append(replace(statement, asides=(), kept=again))
            for aside in reversed(statement.asides):  # a helper of an unread statement may serve a later one
                if aside.name in reads:
                    made = replace(aside, kept=kept(aside.name, aside.query))
                    found[-1] = replace(found[-1], asides=(made, *found[-1].asides))
        self.lowerer.scope.keep({aside.name for statement in found for aside in statement.asides})
        return tuple(found[::-1])

    # -- the reasoner

    def exposed(self) -> list[Node]:
        """The remaining nodes that others read, or that are outputs."""
        later = {s for group in self.rest for c in group for node in c.nodes for s in self.reads[node]}
        later.update(self.lowerer.plan.outputs.values())
        return [node for node in self.left if node in later]

    def take(self, node: Node, kinds: tuple[Kind, ...] | None, is_empty: bool) -> Relation | None:
        """The relation of a node that was left, when its values are known; None if SQL cannot represent them."""
        if kinds is None and not is_empty:
            self.beyond[node] = "it has values that SQL cannot represent exactly"
            return None
        return self.lowerer.add(node, kinds if not is_empty else None)


def _is_look(node: Node, relation: Relation) -> bool:
    """Whether a relation costs no more than reading its source."""
    return isinstance(node, Background | Unit) or (isinstance(node, Recent | Dated) and not relation.coalesced)
