"""Plans of programs, for the tests of this room."""

from __future__ import annotations

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.plan.build import build
from laser.plan.nodes import Node
from laser.plan.plan import Plan
from laser.values import Predicate

__all__ = ["named", "plan_of"]


def plan_of(text: str, *also_streamed: Predicate) -> Plan:
    return build(accept(parse(text)), frozenset(also_streamed))


def named(plan: Plan, start: str) -> Node:
    """The one node whose name begins so."""
    (node,) = (n for component in plan.components for n in component.nodes if str(n).startswith(start))
    return node
