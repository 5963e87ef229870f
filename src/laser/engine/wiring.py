"""Connects a plan's relations and generated functions: which operator settles which relation, and what a change reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from laser.answers import Key
from laser.engine.arrivals import Arrivals
from laser.engine.codegen.module import Blame, Join, Loaded, RuleFunctions
from laser.engine.delta import ADDED, FIRED, REMOVED, SHORTENED, Delta, Read
from laser.engine.operators import Environment, Operator, make_operator
from laser.engine.operators.operator import NO_RULE, ConstantFilter, Trigger
from laser.engine.records import Record
from laser.engine.relation import Relation
from laser.plan.nodes import Counted, Node, Pending
from laser.plan.plan import Component, Plan, PlanRule, Subgoal
from laser.plan.properties import self_ending_nodes
from laser.syntax.tree import Constant
from laser.values import Predicate, Value

__all__ = ["Readers", "Wiring"]

MANY_FILTERS = 8
"""From this many rules with constants at the same positions of a node, its changed keys are grouped by these constants."""


class Readers(NamedTuple):
    """The operators that read a relation: all changes, or only keys with their constants."""

    always: dict[int, None]
    filtered: dict[tuple[int, ...], dict[Any, dict[int, None]]]

    def add(self, operator: int, constants: ConstantFilter | None) -> None:
        if constants is None:
            self.always[operator] = None
        else:
            self.filtered.setdefault(constants.positions, {}).setdefault(constants.values, {})[operator] = None

    def of(self, delta: Delta) -> Iterable[int]:
        """The operators that a change reaches."""
        return self.always if not self.filtered else self.chosen(delta)

    def chosen(self, delta: Delta) -> Iterator[int]:
        """The same if some operators only read keys with their constants."""
        yield from self.always
        for positions, table in self.filtered.items():
            for read in (ADDED, REMOVED, SHORTENED):
                for values in delta.by_constants(read, positions) if read(delta) else ():
                    yield from table.get(values, ())


class Wiring:
    """Connects the relations of a plan by its generated functions."""

    def __init__(
        self,
        plan: Plan,
        relations: Mapping[Node, Relation],
        code: Loaded,
        arrivals: Arrivals,
        records: Mapping[Predicate, Record],
        count_derivations: Callable[[int, int], None],
        report: Callable[[str, str], None],
    ) -> None:
        self.plan, self.relations, self.code, self.report = plan, relations, code, report
        self.environment = Environment(
            relations,
            code,
            arrivals,
            records,
            self_ending_nodes(plan),
            count_derivations,
            self.triggers,
            self.checks,
            self.undefined,
        )
        subgoals = (subgoal for rule in plan.rules for subgoal in rule.subgoals)
        self.filter_counts = Counter((subgoal.node, _constants(subgoal)[0]) for subgoal in subgoals)

    def operators(self) -> tuple[list[Operator], dict[int, int]]:
        """The operators of the derived nodes, in order, and the operator that settles each relation."""
        made: list[Operator] = []
        operator_of: dict[int, int] = {}
        for component in self.plan.components:
            if component.nodes[0].feed is None:
                operator_of.update((self.relations[node].number, len(made)) for node in component.nodes)
                made.append(make_operator(component, self.environment))
        return made, operator_of

    def triggers(self, component: Component) -> tuple[list[Trigger], list[Trigger]]:
        """The ways in which changes reach a component: to derive heads, and to suspect them."""
        derive: list[Trigger] = []
        blame: list[Trigger] = []
        for number in component.rules:
            more, suspects = self._of_rule(number, self.plan.rules[number], self.code.rules[number])
            derive += more
            blame += suspects
        for node in component.nodes:
            if isinstance(node, Counted):
                functions, dated = self.code.counts[node], Subgoal(node.dated, ())
                (join,), (suspect,) = functions.derive, functions.blame
                assert suspect is not None
                derive.append(self._trigger(dated, ADDED, join, node, NO_RULE))
                blame.append(self._trigger(dated, SHORTENED, suspect, node, NO_RULE))
        return derive, blame

    def _of_rule(self, number: int, rule: PlanRule, functions: RuleFunctions) -> tuple[list[Trigger], list[Trigger]]:
        derive: list[Trigger] = []
        blame: list[Trigger] = []
        for subgoal, join, suspect in zip(rule.positives, functions.derive, functions.blame, strict=True):
            derive.append(self._trigger(subgoal, ADDED, join, rule.head, number, self.filter(subgoal)))
            if isinstance(subgoal.node, Pending):
                derive.append(self._trigger(subgoal, FIRED, join, rule.head, number))
            if suspect is not None:
                blame.append(self._trigger(subgoal, SHORTENED, suspect, rule.head, number, self.filter(subgoal)))
        for subgoal, without, suspect_not in zip(rule.negatives, functions.without, functions.blame_not, strict=True):
            derive.append(self._trigger(subgoal, REMOVED, without, rule.head, number, self.filter(subgoal)))
            blame.append(self._trigger(subgoal, ADDED, suspect_not, rule.head, number, self.filter(subgoal)))
        return derive, blame

    def _trigger(
        self,
        subgoal: Subgoal,
        read: Read,
        join: Join | Blame,
        head: Node,
        rule: int,
        constants: ConstantFilter | None = None,
    ) -> Trigger:
        source: Relation = self.relations[subgoal.node]
        function: Callable[..., Iterable[Key]] = join
        return Trigger(source, source.delta, read, function, self.relations[head], rule, constants)

    def checks(self, component: Component) -> dict[int, list[Join]]:
        """For each relation of a component, the functions that check whether its keys can still be derived."""
        found: dict[int, list[Join]] = {self.relations[node].number: [] for node in component.nodes}
        for number in component.rules:
            head = self.relations[self.plan.rules[number].head]
            found[head.number].append(self.code.rules[number].check)
        for node in component.nodes:
            if isinstance(node, Counted):
                found[self.relations[node].number].append(self.code.counts[node].check)
        return found

    def undefined(self, node: Node) -> Callable[[str], None]:
        """A function that reports an undefined operation of a node, for all rules that read the node."""
        texts = dict.fromkeys(
            rule.text for rule in self.plan.rules for subgoal in rule.subgoals if subgoal.node == node
        )

        def told(operation: str) -> None:
            for text in texts:
                self.report(text, operation)

        return told

    def filter(self, subgoal: Subgoal) -> ConstantFilter | None:
        """The constants of a subgoal, if enough rules have constants at these positions that grouping keys by them pays."""
        positions, values = _constants(subgoal)
        if self.filter_counts[subgoal.node, positions] < MANY_FILTERS or not positions:
            return None
        return ConstantFilter(positions, values[0] if len(values) == 1 else values)

    def readers(self, operator_of: dict[int, int]) -> list[Readers]:
        """For each relation, the operators that read it."""
        readers = [Readers({}, {}) for _ in self.relations]
        for rule in self.plan.rules:
            operator = operator_of[self.relations[rule.head].number]
            for subgoal in rule.subgoals:
                readers[self.relations[subgoal.node].number].add(operator, self.filter(subgoal))
        for node, relation in self.relations.items():
            for source in node.sources:
                readers[self.relations[source].number].add(operator_of[relation.number], None)
        return readers


def _constants(subgoal: Subgoal) -> tuple[tuple[int, ...], tuple[Value, ...]]:
    """The positions at which the keys of a subgoal have constants, and these constants."""
    found = [(p, term.value) for p, term in enumerate(subgoal.terms, start=1) if isinstance(term, Constant)]
    return tuple(p for p, _ in found), tuple(value for _, value in found)
