"""The order of evaluation: components of nodes that depend on each other, sources first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from laser.plan.nodes import Node
from laser.plan.plan import Component, PlanRule
from laser.rules.graph import strongly_connected

__all__ = ["components"]


def components(rules: list[PlanRule], outputs: Iterable[Node]) -> tuple[Component, ...]:
    """The strongly connected components of the nodes, each after those that it depends on."""
    made: dict[Node, list[int]] = defaultdict(list)
    depends: dict[Node, dict[Node, None]] = defaultdict(dict)
    for number, rule in enumerate(rules):
        made[rule.head].append(number)
        depends[rule.head].update((subgoal.node, None) for subgoal in rule.subgoals)
    pending = [*depends, *(n for below in list(depends.values()) for n in below), *outputs]
    for node in pending:  # a source may have sources itself
        depends[node].update(dict.fromkeys(node.sources))
        pending += [source for source in node.sources if source not in depends]
    return tuple(
        Component(
            nodes=tuple(group),
            rules=tuple(sorted(number for node in group for number in made[node])),
            recursive=len(group) > 1 or group[0] in depends[group[0]],
        )
        for group in strongly_connected(depends)
    )
