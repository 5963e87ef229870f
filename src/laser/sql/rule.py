"""The rules of a node: the union of their bodies, in columns of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from laser.plan.nodes import Pending
from laser.plan.plan import PlanRule
from laser.sql.body import Body
from laser.sql.doubts import is_doubtful_term
from laser.sql.kinds import Kind, join
from laser.sql.refusal import NotLowered
from laser.sql.relation import FactWindow
from laser.sql.scope import Scope
from laser.sql.terms import Expression, evaluate, time_point
from laser.sql.text import names
from laser.syntax.terms import variables
from laser.syntax.tree import Variable
from laser.windows import HISTORY

__all__ = ["Derivation", "derive"]


class Derivation(NamedTuple):
    """The rows that rules derive, and the kinds of their values. Without SQL, there are none.

    The other fields are properties of the relation.
    """

    sql: str | None
    kinds: tuple[Kind, ...]
    coalesced: bool = False
    ascending: bool = False
    reach: int | None = None
    pinned: bool = False
    window: FactWindow | None = None


class _Part(NamedTuple):
    """The result of one rule."""

    rule: PlanRule
    body: Body
    values: list[Expression]
    where: list[str]

    @property
    def is_coalesced(self) -> bool:
        """The result of a body is coalesced if the head contains all variables that the body binds."""
        named = {term.name for term in self.rule.terms if isinstance(term, Variable)}
        return self.body.is_coalesced(named, {variable.name for variable in variables(self.rule.terms)})

    @property
    def window(self) -> FactWindow | None:
        """The same window over facts as that of the body, with the columns that are in the head."""
        named = [term.name for term in self.rule.terms if isinstance(term, Variable)]
        columns = self.body.facts_columns(named)
        if columns is None or self.body.window is None or len(named) < len(self.rule.terms):
            return None
        return self.body.window._replace(columns=tuple(columns[name] for name in named))


def derive(rules: Sequence[PlanRule], scope: Scope) -> Derivation:
    """Everything that several rules derive for one node."""
    parts = [part for rule in rules if (part := _part(rule, scope)) is not None]
    kinds = tuple(join(value.kind for value in column) for column in zip(*(part.values for part in parts), strict=True))
    sql = "\nunion all\n".join(_select(part, kinds) for part in parts)
    if not parts:
        return Derivation(None, kinds)
    reaches = {part.body.reach for part in parts}
    return Derivation(
        sql,
        kinds,
        coalesced=len(parts) == 1 and parts[0].is_coalesced,
        ascending=len(parts) == 1 and parts[0].body.is_ascending,
        reach=reaches.pop() if len(reaches) == 1 else None,
        pinned=all(part.body.is_pinned(part.rule.terms[-1] if part.rule.terms else None) for part in parts),
        window=parts[0].window if len(parts) == 1 else None,
    )


def _part(rule: PlanRule, scope: Scope) -> _Part | None:
    try:
        body = Body(rule, scope)
        if not body.holds:
            return None
        values = [evaluate(term, body.bound) for term in rule.terms]
        if any(is_doubtful_term(term, body.bound) for term in rule.terms):
            scope.doubts[rule.text] = None
    except NotLowered as refusal:
        raise NotLowered(f"{refusal}, in `{rule.text}`") from None
    where = [
        f"({value.sql}) is not null"
        for value, term in zip(values, rule.terms, strict=True)
        if not isinstance(term, Variable)
    ]
    if isinstance(rule.head, Pending) and rule.head.window == HISTORY:
        values[-1] = Expression(time_point(values[-1], *scope.timeline), Kind.INTEGER)
        where.append(f"({values[-1].sql}) is not null")
    return _Part(rule, body, values, where)


def _select(part: _Part, kinds: tuple[Kind, ...]) -> str:
    columns = [
        f"{value.to(kind)} as {name}" for value, kind, name in zip(part.values, kinds, names(len(kinds)), strict=True)
    ]
    return part.body.select(columns, part.where)
