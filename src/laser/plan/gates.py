"""Conditions that are one for all heads of a rule.

``alert(X) :- broken(X) in [1 d], heartbeat(_) in [10 s]`` promises no alert for longer than ten seconds, so that all of them
would be looked at again every ten seconds, for as long as the heart beats. Read as a *gate*, the heartbeat promises itself
for ever and is revoked when it is missed: then, and only then, all alerts are looked at.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from laser.plan.nodes import Dated, Gate, Node, Plain, Projected, Recent, View
from laser.plan.order import components
from laser.plan.plan import Derivation, Use
from laser.syntax.tree import Constant, Variable

__all__ = ["set_gates"]


def set_gates(derivations: list[Derivation]) -> list[Derivation]:
    """The same derivations with gates where a condition without variables ends before what it is a condition of."""
    groups = {node: i for i, component in enumerate(components(derivations, ())) for node in component.nodes}

    def gated(derivation: Derivation, use: Use) -> bool:
        others = [_span(other) for other in derivation.uses if _has_variables(other)]
        outside = groups[use.node] != groups[derivation.head]
        return outside and _is_condition(use) and max(others, default=0) > _span(use, unknown=0)

    return [replace(d, uses=tuple(_gate(use) if gated(d, use) else use for use in d.uses)) for d in derivations]


def _gate(use: Use) -> Use:
    return Use(Gate(use.node, tuple(term.value for term in use.terms if isinstance(term, Constant))), ())


def _is_condition(use: Use) -> bool:
    if use.cap is not None or _has_variables(use):
        return False
    node = use.node
    return isinstance(node, Recent | Plain | Projected) or (isinstance(node, View) and node.modality == "sometime")


def _has_variables(use: Use) -> bool:
    return any(isinstance(term, Variable) for term in use.terms)


def _span(use: Use, unknown: float = inf) -> float:
    """How long what an atom reads lasts at most, in ticks; what rules derive may last for any time."""
    return min(_span_of(use.node, unknown), inf if use.cap is None else use.cap)


def _span_of(node: Node, unknown: float) -> float:
    match node:
        case Recent(ticks=ticks):
            return ticks
        case Dated(ticks=ticks):
            return inf if ticks is None else ticks
        case Projected(source=source, cap=cap):
            return min(_span_of(source, unknown), inf if cap is None else cap)
        case _:
            return unknown
