"""The order of evaluation: components of nodes that depend on each other, sources first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from laser.plan.nodes import Every, Gate, Node
from laser.plan.plan import Component, Derivation
from laser.rules.graph import strongly_connected

__all__ = ["components"]


def components(derivations: list[Derivation], outputs: Iterable[Node]) -> tuple[Component, ...]:
    """Strongly connected components of the nodes, each after all that it depends on."""
    made: dict[Node, list[int]] = defaultdict(list)
    depends: dict[Node, dict[Node, None]] = defaultdict(dict)
    for number, derivation in enumerate(derivations):
        made[derivation.head].append(number)
        depends[derivation.head].update((use.node, None) for use in (*derivation.uses, *derivation.negatives))
    for node in [*depends, *(n for below in list(depends.values()) for n in below), *outputs]:
        below = depends[node]
        if isinstance(node, Every):
            below[node.dated] = None
        if isinstance(node, Gate):
            below[node.source] = None
    return tuple(
        Component(
            nodes=tuple(group),
            derivations=tuple(sorted(number for node in group for number in made[node])),
            recursive=len(group) > 1 or group[0] in depends[group[0]],
        )
        for group in strongly_connected(depends)
    )
