"""Properties of the nodes of a plan: which may lose a key early, which know their own end, which need every tick."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from laser.plan.nodes import Background, Ending, Node, Pending, Points, Union
from laser.plan.plan import Plan, PlanRule, Subgoal
from laser.syntax.tree import Variable
from laser.windows import HISTORY, PRESENT, Sliding, TimeWindow

__all__ = ["Ticking", "revocable_nodes", "self_ending_nodes", "ticking"]


def revocable_nodes(plan: Plan) -> frozenset[Node]:
    """The nodes whose keys may be revoked: those that depend on negation, runs, counts or gates.

    Only these nodes need the code for it.
    """
    found: set[Node] = set()
    for component in plan.components:
        rules = [plan.rules[number] for number in component.rules]
        revoked = any(rule.negatives or any(subgoal.node in found for subgoal in rule.positives) for rule in rules)
        if revoked or any(node.revokes for node in component.nodes):
            found.update(component.nodes)
    return frozenset(found)


class _Limit(NamedTuple):
    """Something ends when the value of this variable leaves this window."""

    variable: str
    window: TimeWindow


def self_ending_nodes(plan: Plan) -> frozenset[Node]:
    """The nodes whose keys determine their own horizon, so that nothing can renew them.

    ``@T steam(V) :- temp(V) at T in [20], V >= 100`` derives ``steam(V)`` at T until T + 20, in whatever way and however
    often it does. After that, there is no need to look for another derivation.
    """
    endings: dict[Node, Ending] = {}
    for component in plan.components:
        endings.update((node, node.ending) for node in component.nodes if node.ending is not None)
        if component.recursive or not component.rules:
            continue
        (node,) = component.nodes
        found = {_ending(plan.rules[number], endings) for number in component.rules}
        ending = found.pop()
        if ending is not None and not found and not isinstance(node, Pending):
            endings[node] = ending
    return frozenset(endings)


def _ending(rule: PlanRule, endings: dict[Node, Ending]) -> Ending | None:
    """How the keys of a rule determine their horizon."""
    limits: list[_Limit] = []
    for subgoal in rule.positives:
        limit = _limit(subgoal, endings)
        if limit is not None:
            limits.append(limit)
        elif not subgoal.node.stands:
            return None
    if len({limit.variable for limit in limits}) != 1:
        return None
    window = _shortest([limit.window for limit in limits])
    name = limits[0].variable
    positions = [p for p, term in enumerate(rule.terms) if isinstance(term, Variable) and term.name == name]
    return Ending(positions[0], window) if positions and window is not None else None


def _limit(subgoal: Subgoal, endings: dict[Node, Ending]) -> _Limit | None:
    """How long an atom of a body holds, as far as its variables show; None if they do not."""
    ends = [endings[subgoal.node]] if subgoal.node in endings else []
    if subgoal.window != HISTORY and (ends or subgoal.node.stands):
        ends.append(Ending(len(subgoal.terms) - 1, subgoal.window))
    terms = {subgoal.terms[end.position] for end in ends}
    if len(terms) != 1:
        return None
    (term,), window = terms, _shortest([end.window for end in ends])
    return _Limit(term.name, window) if isinstance(term, Variable) and window is not None else None


def _shortest(windows: Collection[TimeWindow]) -> TimeWindow | None:
    """The window that everything leaves first; None if that depends on the time point."""
    sliding = [window for window in windows if isinstance(window, Sliding)]
    if len(sliding) == len(windows):
        return min(sliding, key=lambda window: window.ticks)
    return next(iter(windows)) if len(set(windows)) == 1 else None


class Ticking(NamedTuple):
    """Whether every tick must be evaluated; if not, the nodes that require it while they have keys."""

    always: bool
    while_alive: tuple[Node, ...] = ()


def ticking(plan: Plan) -> Ticking:
    """Finds the ticks that must not be skipped."""
    if any(isinstance(node, Points) for node in plan.outputs.values()):
        return Ticking(True)  # part of a plan may give time points to others
    companions: list[Node] = []
    for rule in plan.rules:
        nodes = [subgoal.node for subgoal in rule.subgoals]
        if any(isinstance(node, Points) and node.window != PRESENT for node in nodes):
            return Ticking(True)
        if Points(PRESENT) in nodes:
            if not isinstance(rule.head, Union) or Background(rule.head.predicate) in nodes:
                return Ticking(True)  # a rule that uses the present time itself, or only with data that always hold
            companions.append(next(node for node in nodes if node != Points(PRESENT)))
    return Ticking(False, tuple(companions))
