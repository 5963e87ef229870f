"""Conditions that are one for all heads of a rule.

``alert(X) :- broken(X) in [1 d], heartbeat(_) in [10 s]`` promises no alert for longer than ten seconds, so that all of them
would be looked at again every ten seconds, for as long as the heart beats. Read as a *gate*, the heartbeat promises itself
for ever and is revoked when it is missed: then, and only then, all alerts are looked at.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from laser.plan.nodes import Dated, Gate, Node, Plain, Projection, Recent, Union
from laser.plan.order import components
from laser.plan.plan import PlanRule, Subgoal
from laser.syntax.tree import Constant, Variable
from laser.windows import HISTORY, TimeWindow

__all__ = ["set_gates"]


def set_gates(rules: list[PlanRule]) -> list[PlanRule]:
    """The same rules with gates where a condition without variables ends before what it is a condition of."""
    groups = {node: i for i, component in enumerate(components(rules, ())) for node in component.nodes}

    def gated(rule: PlanRule, subgoal: Subgoal) -> bool:
        others = [_span(other) for other in rule.positives if _has_variables(other)]
        outside = groups[subgoal.node] != groups[rule.head]
        return outside and _is_condition(subgoal) and max(others, default=0) > _span(subgoal, unknown=0)

    return [replace(r, positives=tuple(_gate(s) if gated(r, s) else s for s in r.positives)) for r in rules]


def _gate(subgoal: Subgoal) -> Subgoal:
    return Subgoal(Gate(subgoal.node, tuple(term.value for term in subgoal.terms if isinstance(term, Constant))), ())


def _is_condition(subgoal: Subgoal) -> bool:
    if subgoal.window != HISTORY or _has_variables(subgoal):
        return False
    match subgoal.node:
        case Recent(window=window):
            return isinstance(window, TimeWindow)
        case Plain() | Projection() | Union(modality="sometime"):
            return True
        case _:
            return False


def _has_variables(subgoal: Subgoal) -> bool:
    return any(isinstance(term, Variable) for term in subgoal.terms)


def _span(subgoal: Subgoal, unknown: float = inf) -> float:
    """How long what an atom reads lasts at most, in ticks; what rules derive may last for any time."""
    return min(_span_of(subgoal.node, unknown), _ticks(subgoal.window))


def _span_of(node: Node, unknown: float) -> float:
    match node:
        case Recent(window=TimeWindow() as window) | Dated(window=TimeWindow() as window):
            return _ticks(window)
        case Projection(source=source, window=window):
            return min(_span_of(source, unknown), _ticks(window))
        case _:
            return unknown


def _ticks(window: TimeWindow) -> float:
    return inf if window.reach.ticks is None else window.reach.ticks
