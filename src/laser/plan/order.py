"""The order of evaluation: components of nodes that depend on each other, sources first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from laser.plan.nodes import Every, Gate, Node
from laser.plan.plan import Component, Derivation

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
        for group in _strong(depends)
    )


def _strong(graph: dict[Node, dict[Node, None]]) -> Iterator[list[Node]]:
    """Tarjan's algorithm with its own stack: programs may be deeper than Python's."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: dict[Node, None] = {}
    for root in list(graph):
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        open_nodes[root] = None
        while work:
            node, below = work[-1]
            for child in below:
                if child not in index:
                    index[child] = low[child] = len(index)
                    open_nodes[child] = None
                    work.append((child, iter(graph.get(child, {}))))
                    break
                if child in open_nodes:
                    low[node] = min(low[node], index[child])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    yield _close(open_nodes, node)


def _close(open_nodes: dict[Node, None], root: Node) -> list[Node]:
    group: list[Node] = []
    while not group or group[-1] != root:
        group.append(open_nodes.popitem()[0])
    return group[::-1]
