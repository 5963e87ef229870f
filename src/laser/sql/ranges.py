"""How large numbers can become: from the ranges of the columns, through the rules of a plan, before anything runs.

If a query runs later, and elsewhere, it is too late to switch to the reasoner when a number overflows. So code that runs SQL
that way first asks here. A range contains all values; it may be wider than necessary.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from laser.plan.nodes import Aggregated, Background, Counted, Dated, Node, Pending, Pinned, Points, Recent, Unbroken
from laser.plan.plan import Plan, PlanRule
from laser.syntax.terms import variables
from laser.syntax.tree import Arithmetic, Constant, Term, Variable
from laser.values import Predicate, Value
from laser.values.fold import Fold

__all__ = ["EVERYTHING", "NOTHING", "Given", "Range", "Ranges", "computes", "too_large"]


class Range(NamedTuple):
    """The smallest and the largest number."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[Value]) -> Range:
        """The range of the numbers among some values."""
        numbers = [value for value in values if isinstance(value, int | float)]
        return cls(min(numbers), max(numbers)) if numbers else NOTHING

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high))

    def united(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))

    def met(self, other: Range) -> Range:
        """The intersection; if it is empty, the rule does not fire, and either range will do."""
        both = Range(max(self.low, other.low), min(self.high, other.high))
        return both if both.low <= both.high else self


EVERYTHING = Range(-math.inf, math.inf)
LARGE = Range(-(2.0**52), 2.0**52)
"""The range of counts and sums: a query stops at a larger one."""
NOTHING = Range(0, 0)
"""The range of values that are not numbers: no operation is defined for them."""

ROUNDS = 5
"""How often the ranges of a recursion are computed again before those that still grow count as unlimited."""

Ranges = tuple[Range, ...]


class Given(NamedTuple):
    """The ranges of the given data: columns of inputs and of background data, and time points."""

    streamed: Mapping[Predicate, Ranges]
    background: Mapping[Predicate, Ranges]
    times: Range


def computes(plan: Plan) -> bool:
    """Whether a rule has arithmetic."""
    return any(isinstance(term, Arithmetic) for rule in plan.rules for term in _terms(rule))


def too_large(plan: Plan, given: Given, limit: float) -> str | None:
    """A rule in which a number can reach the limit; None if there is none."""
    work = _Work(given, limit)
    rules: dict[Node, list[PlanRule]] = {}
    for rule in plan.rules:
        rules.setdefault(rule.head, []).append(rule)
    for component in plan.components:
        if component.recursive:
            work.recursion(component.nodes, rules)
        else:
            for node in component.nodes:
                work.ranges[node] = work.node(node, rules.get(node, []))
    return next(iter(work.found), None)


class _Work:
    def __init__(self, given: Given, limit: float) -> None:
        self.given, self.limit = given, limit
        self.ranges: dict[Node, Ranges] = {}
        self.found: dict[str, None] = {}

    def recursion(self, nodes: Sequence[Node], rules: Mapping[Node, list[PlanRule]]) -> None:
        """Nodes that depend on each other: ranges grow until nothing changes; what still grows after some rounds has no limit."""
        self.ranges.update({node: (NOTHING,) * node.width for node in nodes})
        for number in range(2 * ROUNDS):
            before = {node: self.ranges[node] for node in nodes}
            for node in nodes:
                made = self.node(node, rules.get(node, []))
                grown = tuple(map(Range.united, before[node], made))
                limitless = number >= ROUNDS
                self.ranges[node] = tuple(
                    EVERYTHING if limitless and new != old else new
                    for old, new in zip(before[node], grown, strict=True)
                )
            if all(self.ranges[node] == before[node] for node in nodes):
                return
        self.ranges.update({node: (EVERYTHING,) * node.width for node in nodes})
        for node in nodes:
            self.node(node, rules.get(node, []))

    def node(self, node: Node, rules: list[PlanRule]) -> Ranges:
        given, times = self.given, self.given.times
        match node:
            case Recent(predicate=p) | Unbroken(predicate=p):
                return given.streamed.get(p, (NOTHING,) * p.arity)
            case Dated(predicate=p):
                return (*given.streamed.get(p, (NOTHING,) * p.arity), times)
            case Background(predicate=p):
                return given.background.get(p, (NOTHING,) * p.arity)
            case Points():
                return (times,)
            case Counted(dated=dated):
                return self.ranges[dated][:-1]
            case Aggregated():
                return self.aggregated(node)
            case Pinned() | Pending():  # a time outside of the timeline has no effect
                return (*self.derived(node, rules)[:-1], times)
            case _:
                return self.derived(node, rules)

    def derived(self, node: Node, rules: list[PlanRule]) -> Ranges:
        heads = [self.rule(rule) for rule in rules]
        return tuple(map(_united, zip(*heads, strict=True))) if heads else (NOTHING,) * node.width

    def aggregated(self, node: Aggregated) -> Ranges:
        """The result is between the values; a sum that is too large stops the query."""
        tuples = self.ranges[node.tuples]
        groups = tuple(tuples[place] for place in node.groups)
        if node.threshold is not None:
            return groups
        match node.fold:
            case Fold.MIN | Fold.MAX | Fold.AVG | Fold.MEDIAN | Fold.QUANTILE:
                return (*groups, tuples[node.value])
            case Fold.COUNT | Fold.SUM | Fold.STDEV:
                return (*groups, LARGE)

    def rule(self, rule: PlanRule) -> Ranges:
        """The ranges of the values that a rule derives."""
        bound: dict[str, Range] = {}
        for subgoal in rule.positives:
            for term, known in zip(subgoal.terms, self.ranges[subgoal.node], strict=True):
                if isinstance(term, Variable):
                    bound[term.name] = bound[term.name].met(known) if term.name in bound else known
        tests = list(rule.tests)
        while ready := next((test for test in tests if test.is_ready(bound.keys())), None):
            tests.remove(ready)
            assigned = ready.assigns(bound.keys())
            if assigned is not None:
                bound[assigned[0]] = self.term(assigned[1], bound, rule)
            else:
                self.term(ready.left, bound, rule), self.term(ready.right, bound, rule)
        for subgoal in rule.subgoals:
            for term in subgoal.terms:
                if all(variable.name in bound for variable in variables((term,))):
                    self.term(term, bound, rule)
        return tuple(self.term(term, bound, rule) for term in rule.terms)

    def term(self, term: Term, bound: Mapping[str, Range], rule: PlanRule) -> Range:
        match term:
            case Variable(name=name):
                return bound.get(name, EVERYTHING)
            case Constant(value=value):
                return Range.of([value])
            case Arithmetic(operator=operator, operands=operands):
                made = _operation(operator, [self.term(operand, bound, rule) for operand in operands])
                if not made.size < self.limit:
                    self.found[rule.text] = None
                return made
            case _:
                return EVERYTHING


def _united(ranges: Sequence[Range]) -> Range:
    first, *others = ranges
    for other in others:
        first = first.united(other)
    return first


def _operation(operator: str, operands: list[Range]) -> Range:
    match operator, operands:
        case "-", [a]:
            return Range(-a.high, -a.low)
        case "abs", [a]:
            return Range(0, a.size)
        case "+", [a, b]:
            return Range(a.low + b.low, a.high + b.high)
        case "-", [a, b]:
            return Range(a.low - b.high, a.high - b.low)
        case "*", [a, b]:
            products = [_times(x, y) for x in a for y in b]
            return Range(min(products), max(products))
        case "min" | "max", [a, b]:
            return a.united(b)
        case "/" | "div", [a, b] if b.low == b.high and b.low != 0:
            size = a.size / abs(b.low) + 1
            return Range(-size, size)
        case "mod", [_, b]:
            return Range(-b.size, b.size)
        case _:
            return EVERYTHING


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


def _terms(rule: PlanRule) -> Iterator[Term]:
    yield from rule.terms
    yield from (term for test in rule.tests for term in test.terms)
    yield from (term for subgoal in rule.subgoals for term in subgoal.terms)
