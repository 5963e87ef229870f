"""Gates: conditions that are the same for all heads of a rule.

``alert(X) :- broken(X) in [1 d], heartbeat(_) in [10 s]`` guarantees no alert for longer than ten seconds, so all alerts would be
checked again every ten seconds while heartbeats arrive. As a *gate*, the heartbeat has no horizon and is revoked when it is
missed: only then are all alerts checked again.
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
    """The same rules, with gates for conditions without variables that end before the rest of the body does."""
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
    """The longest time in ticks that what an atom reads can last; what rules derive may last any time."""
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
