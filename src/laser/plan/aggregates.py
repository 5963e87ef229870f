"""Plans how a rule reads an aggregate: the node with its tuples, and the node that computes the result.

The tuples are an ordinary relation, derived by rules (or an existing node, if the body is one atom). The aggregate reads the
tuples that are added and removed. A group without tuples has no key: if an empty group matters, the rule has a second form for
the case that the group is empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from laser.plan.anonymous import anonymise
from laser.plan.nodes import Aggregated, Members, Node, Pending, Threshold
from laser.plan.plan import Part, PlanRule, Subgoal
from laser.plan.sharing import canonical
from laser.rules.body import Aggregate, BodyElement, Comparison
from laser.rules.dependencies import components, resolved_edges
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax.terms import variables
from laser.syntax.tree import Constant, Variable
from laser.values import Predicate
from laser.values.fold import Fold
from laser.values.operations import compare
from laser.windows import HISTORY

__all__ = ["Aggregates", "threshold"]


class Tuples(NamedTuple):
    """The node with the tuples of an aggregate, the positions of the groups among its values, and that of the folded value."""

    node: Node
    groups: tuple[int, ...]
    value: int


_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COLLECTED = Predicate("{}", 0)
"""The name of the head of the rule that collects tuples; no program can use this name."""


@dataclass
class Aggregates:
    """Finds the nodes for the aggregates of a program, and collects the rules that derive their tuples."""

    program: ResolvedProgram
    plan: Callable[[Rule, Node], Iterator[PlanRule]]
    project: Callable[[Subgoal], Subgoal]
    rules: list[PlanRule] = field(default_factory=list)
    known: dict[frozenset[PlanRule], Members] = field(default_factory=dict)

    def parts(self, rule: Rule, aggregate: Aggregate) -> Iterator[Part]:
        """The ways to make an aggregate true: with tuples, or without if an empty set is enough."""
        tuples = self.tuples(rule, aggregate)
        limit = threshold(rule, aggregate)
        node = Aggregated(tuples.node, tuples.groups, aggregate.fold, tuples.value, aggregate.level, limit)
        terms = aggregate.groups if limit else aggregate.terms
        yield Part(positives=(Subgoal(node, terms),))
        nothing = aggregate.fold.of_nothing
        if nothing is None or not aggregate.may_be_empty:
            return
        some = Aggregated(tuples.node, tuples.groups, Fold.COUNT, tuples.value, None, Threshold(">=", 1))
        empty = (Subgoal(some, aggregate.groups),)
        if limit is None:
            yield Part(negatives=empty, tests=(Comparison("=", aggregate.result, Constant(nothing)),))
        elif compare(limit.operator, nothing, limit.value):
            yield Part(negatives=empty)

    def tuples(self, rule: Rule, aggregate: Aggregate) -> Tuples:
        terms = tuple(dict.fromkeys((*aggregate.groups, *aggregate.folded)))
        body = (*self.context(rule, aggregate), *aggregate.body)
        collecting = anonymise(Rule(_COLLECTED, terms, None, body, rule.text, rule.origin))
        made = list(self.plan(collecting, Members(0, len(terms))))
        value = terms.index(aggregate.folded[0])
        direct = self.direct(made)
        if direct is not None:
            places = [direct.terms.index(term) for term in terms]
            return Tuples(direct.node, tuple(places[: len(aggregate.groups)]), places[value])
        return Tuples(self.members(made, len(terms)), tuple(range(len(aggregate.groups))), value)

    def direct(self, made: list[PlanRule]) -> Subgoal | None:
        """The existing node that has exactly these tuples, each once, if there is one."""
        if len(made) != 1 or len(made[0].positives) != 1 or made[0].negatives or made[0].tests:
            return None
        subgoal = self.project(made[0].positives[0])
        plain = subgoal.window == HISTORY and not isinstance(subgoal.node, Pending)
        distinct = len(set(subgoal.terms)) == len(subgoal.terms) and all(isinstance(t, Variable) for t in subgoal.terms)
        return subgoal if plain and distinct and set(subgoal.terms) == set(made[0].terms) else None

    def members(self, made: list[PlanRule], width: int) -> Members:
        """The node for the tuples that these rules derive; equal rules share one node."""
        shape = frozenset(replace(canonical(rule), text="") for rule in made)
        node = self.known.get(shape)
        if node is None:
            node = self.known[shape] = Members(len(self.known), width)
            self.rules += [replace(rule, head=node) for rule in made]
        return node

    def context(self, rule: Rule, aggregate: Aggregate) -> list[BodyElement]:
        """The elements of the rule that bind the groups which the body of the aggregate cannot bind.

        They only need to limit the groups to those that can occur: the rule itself joins the rest.
        """
        body = frozenset[str]().union(*(element.binds(frozenset()) for element in aggregate.body))
        missing = {variable.name for variable in aggregate.groups} - body
        chosen: list[BodyElement] = []
        if missing:
            others = [element for element in rule.body if element is not aggregate]
            own = _recursive_with(self.program, rule.predicate)
            others.sort(key=lambda element: any(reading.atom.predicate in own for reading in element.reads()))
            chosen = _binding(others, missing)
        return chosen


def _recursive_with(program: ResolvedProgram, predicate: Predicate) -> frozenset[Predicate]:
    """The predicates that are mutually recursive with this one."""
    return next((part for part in components(resolved_edges(program)) if predicate in part), frozenset())


def _binding(elements: list[BodyElement], missing: set[str]) -> list[BodyElement]:
    """Elements that bind these variables, in an order in which each can be evaluated; found backwards from the last one."""
    bound: frozenset[str] = frozenset()
    order: list[tuple[BodyElement, frozenset[str]]] = []
    rest = list(elements)
    while (ready := next((e for e in rest if e.is_ready(bound)), None)) is not None:
        rest.remove(ready)
        new = ready.binds(bound) - bound
        if new:
            order.append((ready, new))
            bound |= new
    chosen: list[BodyElement] = []
    for element, new in reversed(order):
        if new & missing:
            chosen.append(element)
            missing = (missing | {v.name for v in variables(element.terms) if not v.is_anonymous}) - new
    return chosen[::-1]


def threshold(rule: Rule, aggregate: Aggregate) -> Threshold | None:
    """The comparison of the result with a fixed value, if the result is not used elsewhere."""
    uses = Counter(variable.name for variable in rule.variables())
    if uses[aggregate.result.name] != 2 or aggregate.result in aggregate.groups:
        return None
    for test in rule.comparisons:
        if test.operator not in _FLIPPED:
            continue
        match test.left, test.right:
            case Variable() as result, Constant(value=value) if result == aggregate.result:
                return Threshold(test.operator, value)
            case Constant(value=value), Variable() as result if result == aggregate.result:
                return Threshold(_FLIPPED[test.operator], value)
    return None
