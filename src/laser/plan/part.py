"""Part of a plan: some of its nodes, over the intervals of those that they rest on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace

from laser.plan.nodes import Background, Given, Node, Points, Recorded, RecordedDated, Steady, Unit
from laser.plan.plan import Component, Plan, PlanRule, Subgoal
from laser.rules.graph import strongly_connected
from laser.values import Predicate

__all__ = ["given_to", "groups", "part_of", "reads"]


def reads(plan: Plan) -> dict[Node, dict[Node, None]]:
    """For each node of a plan the nodes that it rests on, at the same time point or, by a record, at earlier ones."""
    found: dict[Node, dict[Node, None]] = {node: {} for component in plan.components for node in component.nodes}
    for node, below in found.items():
        below.update(dict.fromkeys(node.sources))
        if isinstance(node, Recorded | RecordedDated | Steady):
            below[plan.records[node.predicate]] = None
    for rule in plan.rules:
        found[rule.head].update((subgoal.node, None) for subgoal in rule.subgoals)
    return found


def groups(plan: Plan) -> list[tuple[Component, ...]]:
    """The components in the order of evaluation, those together that rest on each other by way of records."""
    if not plan.records:
        return [(component,) for component in plan.components]
    place = {node: i for i, component in enumerate(plan.components) for node in component.nodes}
    below: dict[int, list[int]] = {i: [] for i in range(len(plan.components))}
    for node, sources in reads(plan).items():
        below[place[node]] += [place[source] for source in sources]
    return [tuple(plan.components[i] for i in sorted(group)) for group in strongly_connected(below)]


def part_of(plan: Plan, made: Collection[Node], outputs: Mapping[Predicate, Node]) -> Plan:
    """The plan that makes some nodes. What they rest on and is not among them is ``Given``; the clock and background data are their own."""
    cut = _Cut(plan, frozenset(made))
    rules = [cut.rule(rule) for rule in plan.rules if rule.head in cut.made]
    numbers = {number: i for i, number in enumerate(n for n, rule in enumerate(plan.rules) if rule.head in cut.made)}
    components = [
        Component(
            tuple(map(cut.node, component.nodes)),
            tuple(numbers[number] for number in component.rules),
            component.recursive,
        )
        for component in plan.components
        if component.nodes[0] in cut.made
    ]
    below = [Component((node,), (), False) for node in cut.below()]
    return replace(
        plan,
        rules=tuple(rules),
        components=(*below, *components),
        outputs={predicate: cut.node(node) for predicate, node in outputs.items()},
        records={predicate: cut.node(node) for predicate, node in cut.records()},
        aliases={},
    )


def given_to(part: Plan) -> list[Node]:
    """The nodes of the whole plan whose intervals a part reads."""
    nodes = (node for component in part.components for node in component.nodes)
    return [node.source for node in nodes if isinstance(node, Given)]


class _Cut:
    """Nodes of a plan as a part has them."""

    def __init__(self, plan: Plan, made: frozenset[Node]) -> None:
        self.plan, self.made = plan, made

    def node(self, node: Node) -> Node:
        """One that the part makes, over what it is made from there; or what stands for one that it does not make."""
        if node not in self.made:
            return node if isinstance(node, Points | Background | Unit) else Given(node)
        below = {f.name: self.node(value) for f in fields(node) if isinstance(value := getattr(node, f.name), Node)}  # type: ignore[arg-type]
        return replace(node, **below) if below else node  # type: ignore[type-var]

    def rule(self, rule: PlanRule) -> PlanRule:
        return replace(
            rule,
            head=self.node(rule.head),
            positives=tuple(map(self.subgoal, rule.positives)),
            negatives=tuple(map(self.subgoal, rule.negatives)),
        )

    def subgoal(self, subgoal: Subgoal) -> Subgoal:
        return replace(subgoal, node=self.node(subgoal.node))

    def below(self) -> list[Node]:
        """What the part reads and does not make."""
        sources = (source for node, several in reads(self.plan).items() if node in self.made for source in several)
        return list(dict.fromkeys(self.node(source) for source in sources if source not in self.made))

    def records(self) -> Iterator[tuple[Predicate, Node]]:
        """Those that nodes of the part look at."""
        for node in self.made:
            if isinstance(node, Recorded | RecordedDated | Steady):
                yield node.predicate, self.plan.records[node.predicate]
