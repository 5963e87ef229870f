"""Which nodes have horizons that are the last word: a key tells its own, so nothing can renew it.

``@T steam(V) :- temp(V) at T in [20], V >= 100`` derives ``steam(V)`` at T until T + 20, whichever way and however often it
does. When that has passed, there is no need to ask whether some other witness has come.
"""

from __future__ import annotations

from typing import TypeAlias

from laser.plan.nodes import Background, Dated, Gate, Node, Pending, Points, Unbroken, Unit, width_of
from laser.plan.plan import Derivation, Plan, Use
from laser.syntax.tree import Variable

__all__ = ["final_nodes"]

Told: TypeAlias = tuple[int, int]
"""A position among the values of a key, and how long after the time point that stands there the key ends."""

Limit: TypeAlias = tuple[str, int]
"""A variable of a rule, and how long after its value something ends."""


def final_nodes(plan: Plan) -> frozenset[Node]:
    """The nodes of which every key tells its horizon, dated inputs among them."""
    told: dict[Node, Told] = {}
    for component in plan.components:
        for node in component.nodes:
            if isinstance(node, Dated | Points) and node.ticks is not None:
                told[node] = (width_of(node) - 1, node.ticks)
        if component.recursive or not component.derivations:
            continue
        (node,) = component.nodes
        ways = {_told(plan.derivations[number], told) for number in component.derivations}
        way = ways.pop()
        if way is not None and not ways and not isinstance(node, Pending):
            told[node] = way
    return frozenset(told)


def _told(derivation: Derivation, told: dict[Node, Told]) -> Told | None:
    """Where the keys of a derivation tell their horizon."""
    limits: list[Limit] = []
    for use in derivation.uses:
        limit = _limit(use, told)
        if limit is not None:
            limits.append(limit)
        elif not _lasts(use.node):
            return None
    if len({name for name, _ in limits}) != 1:
        return None
    name = limits[0][0]
    positions = [p for p, term in enumerate(derivation.terms) if isinstance(term, Variable) and term.name == name]
    return (positions[0], min(after for _, after in limits)) if positions else None


def _limit(use: Use, told: dict[Node, Told]) -> Limit | None:
    """How long an atom of a body holds, by its variables; None if they do not tell."""
    ends: list[Told] = [told[use.node]] if use.node in told else []
    if use.cap is not None and (ends or _lasts(use.node)):
        ends.append((len(use.terms) - 1, use.cap))
    terms = {use.terms[position] for position, _ in ends}
    if len(terms) != 1:
        return None
    (term,) = terms
    return (term.name, min(after for _, after in ends)) if isinstance(term, Variable) else None


def _lasts(node: Node) -> bool:
    """Whether keys hold until they are revoked, if ever."""
    return isinstance(node, Background | Gate | Unit | Unbroken) or (isinstance(node, Dated) and node.ticks is None)
