"""A plan in stages that are known before anything runs: statements, then a part for the reasoner, then statements again.

DuckDB asks the reasoner's results for the kinds of their values. An executor that only plans, such as Spark, must know the kinds
first. They follow from the rules: the nodes of a recursion begin empty, and each round adds the kinds of what the rules derive from
the nodes so far, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from laser.plan.nodes import Node
from laser.plan.part import given_to, part_of
from laser.plan.plan import Plan
from laser.sql.kinds import INEXACT, Kind
from laser.sql.lower import Lowerer, Statement
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.strata import Strata
from laser.values import Predicate

__all__ = ["ReasonedPart", "Stage", "stages"]


@dataclass(frozen=True)
class ReasonedPart:
    """A part of a plan for the reasoner: the relations that it reads, and those that it makes, by the outputs of the part."""

    plan: Plan
    given: Mapping[Node, Relation]
    made: Mapping[Predicate, Relation]
    reasons: Mapping[Node, str]
    widens: bool
    """Whether a whole number may have to become a double."""


@dataclass(frozen=True)
class Stage:
    """Statements, and the part of the reasoner that reads their relations."""

    statements: tuple[Statement, ...]
    part: ReasonedPart | None


def stages(strata: Strata) -> Iterator[Stage]:
    """All stages of a plan. NotLowered if the kinds of the reasoner's results are not known before it runs, or if it needs the facts."""
    statements = strata.lowered()
    while statements or strata.left:
        part = _part(strata) if strata.left else None
        yield Stage(statements, part)
        statements = strata.lowered()


def _part(strata: Strata) -> ReasonedPart:
    lowerer, left = strata.lowerer, dict(strata.left)
    found, widens = _relations(lowerer, left)
    named = {Predicate(lowerer.name(node), node.width): node for node in strata.exposed()}
    plan = part_of(lowerer.plan, left, named)
    given = {node: lowerer.relations[node] for node in given_to(plan)}
    for relation in (*given.values(), *(found[node] for node in named.values())):
        if not relation.empty and not {*relation.kinds} <= {Kind.INTEGER, Kind.NUMBER, Kind.STRING}:
            raise NotLowered(f"{_names(left)}, with values of several types or IRIs")
    made = {p: lowerer.add(n, None if found[n].empty else found[n].kinds) for p, n in named.items()}
    return ReasonedPart(plan, given, made, left, widens)


def _relations(lowerer: Lowerer, left: Mapping[Node, str]) -> tuple[dict[Node, Relation], bool]:
    """The relations of nodes that depend on each other, and whether one of them widens whole numbers."""
    found = {node: lowerer.add(node, None) for node in left}
    texts: dict[Node, str] = {}
    try:
        changed = True
        while changed:
            changed = False
            for node, before in found.items():
                relation, texts[node] = lowerer.peek(node)
                if not relation.empty and (before.empty or relation.kinds != before.kinds):
                    found[node], changed = lowerer.add(node, relation.kinds), True
    except NotLowered as refusal:
        raise NotLowered(f"{_names(left)}; {refusal}" if str(refusal) not in left.values() else _names(left)) from None
    finally:
        for node in left:
            del lowerer.relations[node]
    return found, any(INEXACT in text for text in texts.values())


def _names(left: Mapping[Node, str]) -> str:
    return "; ".join(dict.fromkeys(left.values()))
