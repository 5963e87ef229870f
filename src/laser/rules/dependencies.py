"""The predicate graph: which predicate depends on which, whether through negation, and the strata that follow from it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from laser.rules.body import ExtendedAtom
from laser.rules.rule import ResolvedProgram
from laser.syntax import tree
from laser.syntax.program import Program
from laser.values import Predicate

__all__ = ["Edge", "components", "core_edges", "negative_loops", "program_edges", "strata"]


@dataclass(frozen=True, slots=True)
class Edge:
    """``head`` depends on ``body``; the rule and the literal that say so are the user's."""

    head: Predicate
    body: Predicate
    negative: bool
    rule: tree.Rule | None = field(default=None, compare=False, repr=False)
    literal: tree.Literal | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.head} -> {'not ' if self.negative else ''}{self.body}"


Loop: TypeAlias = tuple[Edge, ...]
"""A way from a predicate back to itself; the first edge is negative."""

Neighbours: TypeAlias = Mapping[Predicate, Sequence[Predicate]]


def program_edges(program: Program) -> list[Edge]:
    """The edges of a program as it is written."""
    return [
        Edge(rule.head.predicate, literal.atom.predicate, not literal.is_positive, rule, literal)
        for rule in program.rules
        for literal in rule.literals
    ]


def core_edges(core: ResolvedProgram) -> list[Edge]:
    """The edges of a program as it is evaluated."""
    return [
        Edge(rule.predicate, element.predicate, element.negated or element.absent, rule.origin, element.origin)
        for rule in core.rules
        for element in rule.body
        if isinstance(element, ExtendedAtom)
    ]


def components(edges: Iterable[Edge], predicates: Iterable[Predicate] = ()) -> list[frozenset[Predicate]]:
    """The sets of predicates that depend on each other, each after all that it depends on.

    >>> a, b, c = (Predicate(name, 0) for name in "abc")
    >>> [sorted(p.name for p in part) for part in components([Edge(a, b, False), Edge(b, a, False), Edge(b, c, True)])]
    [['c'], ['a', 'b']]
    """
    down: dict[Predicate, list[Predicate]] = {predicate: [] for predicate in predicates}
    up: dict[Predicate, list[Predicate]] = defaultdict(list)
    for edge in edges:
        down.setdefault(edge.head, []).append(edge.body)
        down.setdefault(edge.body, [])
        up[edge.body].append(edge.head)
    # Kosaraju's way: those finished last going up stand lowest, and what they reach going down is their component.
    done: set[Predicate] = set()
    order = [predicate for root in down for predicate in _finished(root, up, done)]
    done = set()
    return [part for root in reversed(order) if (part := frozenset(_finished(root, down, done)))]


def _finished(root: Predicate, neighbours: Neighbours, done: set[Predicate]) -> Iterator[Predicate]:
    """What is reachable and not done yet, in the order in which a depth-first search leaves it."""
    if root in done:
        return
    done.add(root)
    stack = [(root, iter(neighbours.get(root, ())))]
    while stack:
        predicate, rest = stack[-1]
        following = next((other for other in rest if other not in done), None)
        if following is None:
            stack.pop()
            yield predicate
        else:
            done.add(following)
            stack.append((following, iter(neighbours.get(following, ()))))


def negative_loops(edges: Sequence[Edge]) -> list[Loop]:
    """The loops through negation, the shortest for each set of predicates."""
    home = {predicate: part for part in components(edges) for predicate in part}
    inner = [edge for edge in edges if home[edge.head] is home[edge.body]]
    leaving: dict[Predicate, list[Edge]] = defaultdict(list)
    for edge in inner:
        leaving[edge.head].append(edge)
    loops: dict[frozenset[Predicate], Loop] = {}
    for edge in inner:
        if edge.negative:
            loop = (edge, *_shortest_way(edge.body, edge.head, leaving))
            loops.setdefault(frozenset(step.head for step in loop), loop)
    return list(loops.values())


def _shortest_way(start: Predicate, goal: Predicate, leaving: Mapping[Predicate, Sequence[Edge]]) -> list[Edge]:
    """Edges from start to goal, which are known to be in one component."""
    came: dict[Predicate, Edge] = {}
    queue = deque([start])
    while goal != start and goal not in came:
        for edge in leaving[queue.popleft()]:
            if edge.body not in came and edge.body != start:
                came[edge.body] = edge
                queue.append(edge.body)
    way: list[Edge] = []
    while goal != start:
        way.append(came[goal])
        goal = came[goal].head
    return way[::-1]


def strata(core: ResolvedProgram) -> tuple[frozenset[Predicate], ...]:
    """The derived predicates, bottom-up: one stratum more for each negation on the way down."""
    edges = core_edges(core)
    assert not negative_loops(edges), "a loop through negation is refused before a program is resolved"
    below: dict[Predicate, list[tuple[Predicate, bool]]] = defaultdict(list)
    for edge in edges:
        if edge.body in core.derived:
            below[edge.head].append((edge.body, edge.negative))
    level: dict[Predicate, int] = {}
    for part in components(edges, core.derived):
        steps = [(body, negative) for head in part for body, negative in below[head] if body not in part]
        height = max((level[body] + negative for body, negative in steps), default=0)
        level.update(dict.fromkeys(part & core.derived, height))
    return _by_level(level)


def _by_level(level: dict[Predicate, int]) -> tuple[frozenset[Predicate], ...]:
    count = max(level.values(), default=-1) + 1
    return tuple(frozenset(p for p, height in level.items() if height == n) for n in range(count))
