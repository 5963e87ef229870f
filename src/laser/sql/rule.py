"""The rules of a node: the union of what their bodies give, in columns of one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from laser.plan.nodes import Node, Pending
from laser.plan.plan import PlanRule
from laser.sql.body import Body
from laser.sql.kinds import Kind, join
from laser.sql.refusal import NotLowered
from laser.sql.relation import Relation
from laser.sql.terms import Expression, evaluate, time_point
from laser.sql.text import names
from laser.sql.timeline import Timeline
from laser.syntax.terms import variables
from laser.syntax.tree import Variable
from laser.windows import HISTORY

__all__ = ["Derivation", "derive", "keeps_apart"]


class Derivation(NamedTuple):
    """The rows that rules derive, and the kinds of their values. Without SQL, there are none."""

    sql: str | None
    kinds: tuple[Kind, ...]


class _Part(NamedTuple):
    """What one rule gives."""

    body: Body
    values: list[Expression]
    where: list[str]


def derive(rules: Sequence[PlanRule], relations: Callable[[Node], Relation], timeline: Timeline) -> Derivation:
    """All that several rules derive for one node."""
    parts = [part for rule in rules if (part := _part(rule, relations, timeline)) is not None]
    kinds = tuple(join(value.kind for value in column) for column in zip(*(part.values for part in parts), strict=True))
    return Derivation("\nunion all\n".join(_select(part, kinds) for part in parts) or None, kinds)


def _part(rule: PlanRule, relations: Callable[[Node], Relation], timeline: Timeline) -> _Part | None:
    try:
        body = Body(rule, relations, timeline)
        if not body.holds:
            return None
        values = [evaluate(term, body.bound) for term in rule.terms]
    except NotLowered as refusal:
        raise NotLowered(f"{refusal}, in `{rule.text}`") from None
    where = [
        f"({value.sql}) is not null"
        for value, term in zip(values, rule.terms, strict=True)
        if not isinstance(term, Variable)
    ]
    if isinstance(rule.head, Pending) and rule.head.window == HISTORY:
        values[-1] = Expression(time_point(values[-1], *timeline), Kind.INTEGER)
        where.append(f"({values[-1].sql}) is not null")
    return _Part(body, values, where)


def _select(part: _Part, kinds: tuple[Kind, ...]) -> str:
    columns = [
        f"{value.to(kind)} as {name}" for value, kind, name in zip(part.values, kinds, names(len(kinds)), strict=True)
    ]
    return part.body.select(columns, part.where)


def keeps_apart(rules: Sequence[PlanRule], relations: Callable[[Node], Relation]) -> bool:
    """Whether what is derived is coalesced as it is: one rule, whose head names all that the coalesced parts of its body bind."""
    if len(rules) != 1:
        return False
    (rule,) = rules
    named = {term.name for term in rule.terms if isinstance(term, Variable)}
    terms = [term for subgoal in rule.positives for term in subgoal.terms]
    open_ends = any(variable.name not in named for variable in variables(terms))
    return not open_ends and all(relations(subgoal.node).coalesced for subgoal in rule.positives)
