"""Which relation serves which input node."""

from __future__ import annotations

from laser.engine.inputs import ConstantInput, DatedInput, InputRelation, PointsInput, RecentInput, RecentOutput
from laser.engine.relation import Wake
from laser.engine.runs import UnbrokenInput
from laser.engine.tail import Tail
from laser.engine.tail_inputs import LastDatedInput, LastPointsInput, LastRecentInput
from laser.plan.nodes import Background, Dated, Input, LastDated, LastPoints, LastRecent, Points, Recent, Unbroken, Unit

__all__ = ["make_input"]


def make_input(node: Input, number: int, wake: Wake, tail: Tail, joined: bool) -> InputRelation:
    """The relation that serves an input node; ``joined`` says whether rules read it."""
    match node:
        case Recent(ticks=ticks):
            return (RecentInput if joined else RecentOutput)(node, number, wake, ticks)
        case Dated(ticks=ticks):
            return DatedInput(node, number, wake, ticks)
        case Points(ticks=ticks):
            return PointsInput(node, number, wake, ticks)
        case Unbroken(ticks=ticks):
            return UnbrokenInput(node, number, wake, ticks)
        case LastRecent(tuples=tuples):
            return LastRecentInput(node, number, wake, tuples, tail)
        case LastDated(tuples=tuples):
            return LastDatedInput(node, number, wake, tuples, tail)
        case LastPoints(tuples=tuples):
            return LastPointsInput(node, number, wake, tuples, tail)
        case Background() | Unit():
            return ConstantInput(node, number, wake)
