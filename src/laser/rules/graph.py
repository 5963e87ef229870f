"""Graph algorithms, for nodes of any kind."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

__all__ = ["closure", "reachable", "reverse", "strongly_connected"]

N = TypeVar("N", bound=Hashable)


def reachable(graph: Mapping[N, Iterable[N]], roots: Iterable[N]) -> set[N]:
    """The roots and all nodes that can be reached from them.

    >>> sorted(reachable({"a": "b", "b": "c", "d": "a"}, ["a"]))
    ['a', 'b', 'c']
    """
    found = set(roots)
    pending = list(found)
    while pending:
        new = set(graph.get(pending.pop(), ())) - found
        found |= new
        pending += new
    return found


def closure(implications: Iterable[tuple[Collection[N], N]], given: Iterable[N]) -> set[N]:
    """The given nodes and all conclusions of implications whose premises are in the result; in linear time.

    >>> sorted(closure([("ab", "c"), ("c", "d"), ("dx", "y")], "ab"))
    ['a', 'b', 'c', 'd']
    """
    found: set[N] = set()
    pending = list(given)
    waiting: dict[N, list[tuple[set[N], N]]] = {}
    for needs, result in implications:
        missing = set(needs)
        for need in missing:
            waiting.setdefault(need, []).append((missing, result))
        pending += [] if missing else [result]
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            for missing, result in waiting.get(node, ()):
                missing.discard(node)
                pending += [] if missing else [result]
    return found


def reverse(graph: Mapping[N, Iterable[N]]) -> dict[N, list[N]]:
    """The same graph with its edges reversed."""
    reversed_: dict[N, list[N]] = {}
    for node, targets in graph.items():
        for target in targets:
            reversed_.setdefault(target, []).append(node)
    return reversed_


def strongly_connected(graph: Mapping[N, Iterable[N]]) -> Iterator[list[N]]:
    """The strongly connected components, each after the components that it leads to.

    Tarjan's algorithm with its own stack, because a program may be deeper than Python's stack. The order of the result depends
    only on the order of the nodes and edges: the numbers of nodes in generated code rely on it.

    >>> list(strongly_connected({"a": ["b"], "b": ["a", "c"]}))
    [['c'], ['a', 'b']]
    """
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    open_nodes: dict[N, None] = {}
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
                    work.append((child, iter(graph.get(child, ()))))
                    break
                if child in open_nodes:
                    low[node] = min(low[node], index[child])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    yield _close(open_nodes, node)


def _close(open_nodes: dict[N, None], root: N) -> list[N]:
    """Remove a finished component from the open nodes, in the order in which it was found."""
    group: list[N] = []
    while not group or group[-1] != root:
        group.append(open_nodes.popitem()[0])
    return group[::-1]
