"""The inputs of a plan, and the class that serves each kind of node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from laser.engine.agenda import Agenda
from laser.engine.arrivals import Arrivals
from laser.engine.inputs.constant import ConstantInput
from laser.engine.inputs.dated import DatedInput
from laser.engine.inputs.given import GivenInput
from laser.engine.inputs.input import Input
from laser.engine.inputs.last import LastDatedInput, LastPointsInput, LastRecentInput
from laser.engine.inputs.latest import BeginningInput, LatestDatedInput, LatestRecentInput, NewestInput, NewestOutput
from laser.engine.inputs.points import PointsInput, PresentInput
from laser.engine.inputs.recent import RecentInput
from laser.engine.inputs.recent_sets import RecentSetsInput
from laser.engine.inputs.recorded import RecordedDatedInput, RecordedInput
from laser.engine.inputs.unbroken import UnbrokenInput
from laser.engine.inputs.waiting import BlockInput, WaitingDatedInput, WaitingPointsInput
from laser.engine.latest import LatestOne
from laser.engine.records import Record
from laser.plan.nodes import (
    Background,
    Beginning,
    Dated,
    Given,
    InputNode,
    Points,
    Recent,
    Recorded,
    RecordedDated,
    Unbroken,
    Unit,
)
from laser.values import Predicate
from laser.windows import PRESENT, Ago, Between, Growing, History, Hopping, LastFacts, LastOf, Sliding, Tumbling

__all__ = ["Input", "make_input"]


def make_input(
    node: InputNode,
    number: int,
    agenda: Agenda,
    arrivals: Arrivals,
    records: Mapping[Predicate, Record],
    is_joined: bool,
) -> Input:
    """The input that serves a node; ``is_joined`` says whether rules read it."""
    match node:
        case Recorded(predicate=predicate):
            return RecordedInput(node, number, agenda, records[predicate])
        case RecordedDated(predicate=predicate):
            return RecordedDatedInput(node, number, agenda, records[predicate])
        case Recent():
            return _recent(node, number, agenda, arrivals, is_joined)
        case Dated():
            return _dated(node, number, agenda, arrivals)
        case Points():
            return _points(node, number, agenda, arrivals)
        case Unbroken(window=window):
            return UnbrokenInput(node, number, agenda, window)
        case Beginning(window=window):
            return BeginningInput(node, number, agenda, arrivals.latest[window])
        case Given():
            return GivenInput(node, number, agenda)
        case Background() | Unit():
            return ConstantInput(node, number, agenda)
        case _:
            assert_never(node)


def _recent(node: Recent, number: int, agenda: Agenda, arrivals: Arrivals, is_joined: bool) -> Input:
    match node.window:
        case Sliding() as window:
            return (RecentInput if is_joined else RecentSetsInput)(node, number, agenda, window)
        case Hopping() | Tumbling() | Growing() | Between() | Ago() as stepping:
            return BlockInput(node, number, agenda, stepping)
        case LastFacts() as last:
            return LastRecentInput(node, number, agenda, last, arrivals)
        case LastOf() as last_of:
            latest = arrivals.latest[last_of]
            if isinstance(latest, LatestOne):
                return (NewestInput if is_joined else NewestOutput)(node, number, agenda, latest)
            return LatestRecentInput(node, number, agenda, latest)
        case History():
            raise AssertionError("⊞ ◇ has a window")
        case _:
            assert_never(node.window)


def _dated(node: Dated, number: int, agenda: Agenda, arrivals: Arrivals) -> Input:
    match node.window:
        case LastFacts() as last:
            return LastDatedInput(node, number, agenda, last, arrivals)
        case LastOf() as last_of:
            return LatestDatedInput(node, number, agenda, arrivals.latest[last_of])
        case Sliding() | History() | Growing() as window:
            return DatedInput(node, number, agenda, window)
        case Hopping() | Tumbling() | Between() | Ago() as delayed:
            return WaitingDatedInput(node, number, agenda, delayed)
        case _:
            assert_never(node.window)


def _points(node: Points, number: int, agenda: Agenda, arrivals: Arrivals) -> Input:
    match node.window:
        case LastFacts() as last:
            return LastPointsInput(node, number, agenda, last, arrivals)
        case LastOf():
            raise AssertionError("the time points of a window that counts per key come from its beginnings")
        case Hopping() | Tumbling() | Between() | Ago() as delayed:
            return WaitingPointsInput(node, number, agenda, delayed)
        case Sliding() | History() | Growing() as window:
            present = window == PRESENT
            return PresentInput(node, number, agenda) if present else PointsInput(node, number, agenda, window)
        case _:
            assert_never(node.window)
