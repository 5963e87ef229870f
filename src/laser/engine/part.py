"""Evaluates a part of a plan over a whole timeline: intervals in, intervals out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from itertools import groupby, islice, repeat
from operator import itemgetter
from typing import TypeAlias

from laser.answers import IntervalBuilder, Key, Runs, Shift
from laser.engine.codegen.module import compile_plan
from laser.engine.inputs.given import GivenInput, Span
from laser.engine.intake import receive
from laser.engine.machine import Machine, too_long
from laser.engine.relation import FOREVER
from laser.engine.reports import Reports
from laser.engine.run import MOST_TICKS, TICKS_A_STEP
from laser.plan.nodes import EveryPoint, Feed, Given, Node, Points
from laser.plan.plan import Plan
from laser.values import Predicate
from laser.windows import PRESENT, TupleWindow

__all__ = ["Facts", "Spans", "can_begin_anywhere", "merged", "needs_facts", "run_part", "runs_of_part"]

Facts: TypeAlias = Iterable[tuple[int, Iterable[Key]]]
"""Time points with the facts of the stream, in the order of arrival."""
Spans: TypeAlias = Iterable[tuple[Node, Span]]
"""The spans of several nodes, sorted by their begin."""

SPANS_AT_ONCE = 10_000
"""How many spans are read ahead of the time at which they begin."""


def needs_facts(plan: Plan) -> bool:
    """Whether the part reads the stream itself, or counts its facts."""
    return any(_needs_facts(node) for component in plan.components for node in component.nodes)


def _needs_facts(node: Node) -> bool:
    if isinstance(node, EveryPoint | Points):
        return isinstance(node.window, TupleWindow)
    return node.feed in (Feed.STREAM, Feed.ARRIVALS, Feed.LATEST)


def can_begin_anywhere(plan: Plan) -> bool:
    """Whether the part, at each time, only depends on the spans that hold then: it has no memory of facts, of records or of the clock."""
    feeds = [(node, node.feed) for component in plan.components for node in component.nodes if node.feed is not None]
    remembers = any(isinstance(node, Points) and node.window != PRESENT for node, _ in feeds)
    return not remembers and all(feed in (Feed.INTERVALS, Feed.ONCE, Feed.CLOCK) for _, feed in feeds)


def merged(given: Mapping[Node, Iterable[Span]]) -> Spans:
    """The spans of several nodes, each sorted by begin, in one sequence."""
    return merge(*(zip(repeat(node), spans) for node, spans in given.items()), key=lambda entry: entry[1].begin)


def run_part(
    plan: Plan,
    given: Spans,
    facts: Facts,
    first: int,
    last: int,
    limit: int,
    reports: Reports,
) -> dict[Predicate, list[Span]]:
    """The keys of each output of the part with the maximal intervals in which they hold, sorted by their begin.

    ``given`` has the spans of the nodes below the part.
    """
    spans: dict[Predicate, list[Span]] = {predicate: [] for predicate in plan.outputs}
    for predicate, runs in runs_of_part(plan, given, facts, first, last, limit, reports):
        spans[predicate] += [Span(begin, end, key) for key, begin, end in runs.rows()]
    for several in spans.values():
        several.sort(key=itemgetter(0))
    return spans


def runs_of_part(
    plan: Plan,
    given: Spans,
    facts: Facts,
    first: int,
    last: int,
    limit: int,
    reports: Reports,
    since: int | None = None,
) -> Iterator[tuple[Predicate, Runs[Key]]]:
    """The same intervals as they end. A part that can begin anywhere may be evaluated only from ``since`` on, given the spans from there on."""
    machine = Machine(compile_plan(plan), limit, reports)
    machine.begin(first)
    run = _Run(machine, iter(given), first if since is None else since)
    builders = {predicate: IntervalBuilder[Key]() for predicate in plan.outputs}
    for shifts in run.through(facts, last):
        for time, predicate, _, begun, ended in shifts:
            yield predicate, builders[predicate].take(time, begun, ended)
    for predicate, builder in builders.items():
        yield predicate, builder.finish(last)


class _Run:
    """A machine on its way from the first time point to the last."""

    def __init__(self, machine: Machine, given: Iterator[tuple[Node, Span]], since: int) -> None:
        self.machine, self.given, self.since = machine, given, since
        relations = [relation for relation in machine.inputs if isinstance(relation, GivenInput)]
        self.inputs = {relation.node.source: relation for relation in relations if isinstance(relation.node, Given)}
        self.known_until = -1
        """All spans that begin before this time are in the inputs."""
        self.read_ahead()

    def read_ahead(self) -> None:
        """Put the next spans into the inputs."""
        chunk = list(islice(self.given, SPANS_AT_ONCE))
        several: defaultdict[Node, list[Span]] = defaultdict(list)
        for node, span in chunk:
            several[node].append(span)
        for node, spans in several.items():
            self.inputs[node].put(spans)
        self.known_until = chunk[-1][1].begin if len(chunk) == SPANS_AT_ONCE else FOREVER

    def through(self, facts: Facts, last: int) -> Iterator[list[Shift]]:
        """Move to the last time point, with the facts on the way."""
        known: set[tuple[str, int]] = set()
        for time, entries in groupby(facts, key=itemgetter(0)):
            given, groups = receive([fact for _, several in entries for fact in several], known)
            yield from self.move(time)
            yield self.machine.tick(time, groups, given)
        if self.machine.time < last:
            yield from self.move(last)
            yield self.machine.tick(last, {}, ())

    def move(self, until: int) -> Iterator[list[Shift]]:
        """Move up to a time, but not into it, when all spans that begin up to it are known."""
        while self.known_until <= until:
            yield from self.skip(self.known_until)
            self.read_ahead()
        yield from self.skip(until)

    def skip(self, until: int) -> Iterator[list[Shift]]:
        """Move up to a time, but not into it, in steps: the changes of each step are yielded before the next."""
        machine = self.machine
        if machine.time < 0 and self.since < until:
            yield machine.tick(self.since, {}, ())
        began = max(machine.time, self.since)
        while machine.time >= 0 and (wake := machine.next_wake()) is not None and wake < until:
            begun = max([began, *(relation.begun for relation in self.inputs.values())])
            if machine.is_ticking and wake - begun > MOST_TICKS:
                raise too_long(wake - begun, wake, until)
            yield machine.skip_to(min(until, wake + TICKS_A_STEP))
