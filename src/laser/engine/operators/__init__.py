"""Operators compute the nodes that the stream does not feed. This is the list: which operator computes which node."""

from __future__ import annotations

from laser.engine.operators.aggregate import make_aggregate
from laser.engine.operators.counted import EveryPointByKeyOperator, EveryPointOperator, ManyPointsOperator
from laser.engine.operators.fixpoint import FixpointOperator
from laser.engine.operators.gate import GateOperator
from laser.engine.operators.operator import Environment, Operator
from laser.engine.operators.rule import RuleOperator
from laser.engine.operators.steady import SteadyOperator
from laser.plan.nodes import Aggregated, EveryPoint, Gate, ManyPoints, Steady
from laser.plan.plan import Component
from laser.windows import LastOf

__all__ = ["Environment", "Operator", "make_operator"]


def make_operator(component: Component, env: Environment) -> Operator:
    """The operator that settles a component."""
    heads = [env.relations[node] for node in component.nodes]
    if component.recursive:
        return FixpointOperator(heads, *env.triggers(component), env.checks(component), env.count_derivations)
    (node,), (head,) = component.nodes, heads
    match node:
        case ManyPoints(dated=dated, times=times):
            return ManyPointsOperator(head, env.relations[dated], times)
        case EveryPoint(dated=dated, window=LastOf() as window, per=per):
            return EveryPointByKeyOperator(head, env.relations[dated], env.arrivals.latest[window], per)
        case EveryPoint(dated=dated, window=window):
            return EveryPointOperator(head, env.relations[dated], window, env.arrivals)
        case Aggregated(tuples=tuples):
            return make_aggregate(node, head, env.relations[tuples], env.undefined(node))
        case Steady(predicate=predicate, source=source, window=window):
            return SteadyOperator(head, env.relations[source], window, env.records[predicate])
        case Gate(source=source, values=values):
            return GateOperator(head, env.relations[source], (source.label, *values))
        case _:
            checks = env.checks(component)[head.number]
            return RuleOperator(head, *env.triggers(component), checks, node in env.self_ending)
