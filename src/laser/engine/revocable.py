"""Which nodes may lose a key before its horizon: those that rest on negation, on runs, on counts or on gates."""

from __future__ import annotations

from laser.plan.nodes import Every, Gate, LastDated, LastPoints, LastRecent, Node, Unbroken
from laser.plan.plan import Plan

__all__ = ["revocable_nodes"]


def revocable_nodes(plan: Plan) -> frozenset[Node]:
    """The nodes whose keys may be revoked; only what rests on them carries the machinery for it."""
    found: set[Node] = set()
    for component in plan.components:
        derivations = [plan.derivations[number] for number in component.derivations]
        revoked = any(d.negatives or any(use.node in found for use in d.uses) for d in derivations)
        if revoked or any(
            isinstance(n, Unbroken | LastRecent | LastDated | LastPoints | Every | Gate) for n in component.nodes
        ):
            found.update(component.nodes)
    return frozenset(found)
