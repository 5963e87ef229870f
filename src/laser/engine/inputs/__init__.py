"""Which relation serves which input node."""

from __future__ import annotations

from laser.engine.agenda import Agenda
from laser.engine.arrivals import Tail
from laser.engine.inputs.input import ConstantInput, DatedInput, InputRelation, PointsInput, RecentInput
from laser.engine.inputs.last import LastDatedInput, LastPointsInput, LastRecentInput
from laser.engine.inputs.recent_sets import RecentOutput
from laser.engine.inputs.unbroken import UnbrokenInput
from laser.plan.nodes import Background, Dated, Input, LastDated, LastPoints, LastRecent, Points, Recent, Unbroken, Unit

__all__ = ["make_input"]


def make_input(node: Input, number: int, agenda: Agenda, tail: Tail, joined: bool) -> InputRelation:
    """The relation that serves an input node; ``joined`` says whether rules read it."""
    match node:
        case Recent(ticks=ticks):
            return (RecentInput if joined else RecentOutput)(node, number, agenda, ticks)
        case Dated(ticks=ticks):
            return DatedInput(node, number, agenda, ticks)
        case Points(ticks=ticks):
            return PointsInput(node, number, agenda, ticks)
        case Unbroken(ticks=ticks):
            return UnbrokenInput(node, number, agenda, ticks)
        case LastRecent(tuples=tuples):
            return LastRecentInput(node, number, agenda, tuples, tail)
        case LastDated(tuples=tuples):
            return LastDatedInput(node, number, agenda, tuples, tail)
        case LastPoints(tuples=tuples):
            return LastPointsInput(node, number, agenda, tuples, tail)
        case Background() | Unit():
            return ConstantInput(node, number, agenda)
