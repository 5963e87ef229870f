"""Evaluates a part of a plan over a whole timeline: intervals in, intervals out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from laser.answers import IntervalBuilder, Key, Runs, Shift
from laser.engine.codegen.module import compile_plan
from laser.engine.inputs.given import GivenInput, Span
from laser.engine.intake import receive
from laser.engine.machine import Machine, too_long
from laser.engine.reports import Reports
from laser.engine.run import MOST_TICKS, TICKS_A_STEP
from laser.plan.nodes import EveryPoint, Feed, Given, Node, Points
from laser.plan.plan import Plan
from laser.values import Predicate
from laser.windows import TupleWindow

__all__ = ["Facts", "needs_facts", "run_part"]

Facts: TypeAlias = Iterable[tuple[int, Iterable[Key]]]
"""Time points with the facts of the stream, in the order of arrival."""


def needs_facts(plan: Plan) -> bool:
    """Whether the part reads the stream itself, or counts its facts."""
    return any(_needs_facts(node) for component in plan.components for node in component.nodes)


def _needs_facts(node: Node) -> bool:
    if isinstance(node, EveryPoint | Points):
        return isinstance(node.window, TupleWindow)
    return node.feed in (Feed.STREAM, Feed.ARRIVALS, Feed.LATEST)


def run_part(
    plan: Plan,
    given: Mapping[Node, Iterable[Span]],
    facts: Facts,
    first: int,
    last: int,
    limit: int,
    reports: Reports,
) -> dict[Predicate, list[Span]]:
    """The keys of each output of the part with the maximal intervals in which they hold, sorted by their begin.

    ``given`` has the spans of each ``Given`` node of the plan, sorted by their begin.
    """
    machine = Machine(compile_plan(plan), limit, reports)
    inputs = [relation for relation in machine.inputs if isinstance(relation, GivenInput)]
    for relation in inputs:
        assert isinstance(relation.node, Given)
        relation.open(given[relation.node.source])
    machine.begin(first)
    collected = _Collected(plan)
    for shifts in _through(machine, inputs, facts, last):
        collected.take(shifts)
    return collected.end(last)


def _through(machine: Machine, inputs: list[GivenInput], facts: Facts, last: int) -> Iterator[list[Shift]]:
    """Move a machine from the first time point to the last, with the facts on the way."""
    known: set[tuple[str, int]] = set()
    for time, entries in groupby(facts, key=itemgetter(0)):
        given, groups = receive([fact for _, several in entries for fact in several], known)
        yield from _move(machine, inputs, time)
        yield machine.tick(time, groups, given)
    if machine.time < last:
        yield from _move(machine, inputs, last)
        yield machine.tick(last, {}, ())


def _move(machine: Machine, inputs: list[GivenInput], until: int) -> Iterator[list[Shift]]:
    """Move up to a time, but not into it, in steps: the changes of each step are yielded before the next."""
    if machine.time < 0 and machine.start < until:
        yield machine.tick(machine.start, {}, ())
    began = max(machine.time, machine.start)
    while machine.time >= 0 and (wake := machine.next_wake()) is not None and wake < until:
        begun = max([began, *(relation.begun for relation in inputs)])
        if machine.is_ticking and wake - begun > MOST_TICKS:
            raise too_long(wake - begun, wake, until)
        yield machine.skip_to(min(until, wake + TICKS_A_STEP))


class _Collected:
    """The intervals of each output."""

    def __init__(self, plan: Plan) -> None:
        self.builders = {predicate: IntervalBuilder[Key]() for predicate in plan.outputs}
        self.spans: dict[Predicate, list[Span]] = {predicate: [] for predicate in plan.outputs}

    def take(self, shifts: Iterable[Shift]) -> None:
        for time, predicate, _, begun, ended in shifts:
            self.add(predicate, self.builders[predicate].take(time, begun, ended))

    def add(self, predicate: Predicate, runs: Runs[Key]) -> None:
        self.spans[predicate] += [Span(since, until, key) for key, since, until in runs.rows()]

    def end(self, last: int) -> dict[Predicate, list[Span]]:
        for predicate, builder in self.builders.items():
            self.add(predicate, builder.finish(last))
            self.spans[predicate].sort(key=itemgetter(0))
        return self.spans
