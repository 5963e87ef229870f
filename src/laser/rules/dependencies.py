"""The predicate graph: which predicates depend on which, with or without negation, and the resulting strata."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from laser.rules.graph import reachable, strongly_connected
from laser.rules.rule import ResolvedProgram
from laser.syntax import tree
from laser.syntax.program import Program
from laser.values import Predicate

__all__ = [
    "Edge",
    "Loop",
    "components",
    "cone",
    "negative_loops",
    "recursive",
    "resolved_edges",
    "strata",
    "written_edges",
]


@dataclass(frozen=True, slots=True)
class Edge:
    """``head`` depends on ``body``, because of a rule and a literal that the user wrote."""

    head: Predicate
    body: Predicate
    negative: bool
    rule: tree.Rule | None = field(default=None, compare=False, repr=False)
    literal: tree.Literal | None = field(default=None, compare=False, repr=False)
    aggregated: bool = field(default=False, compare=False, repr=False)
    """Whether it is negative because an aggregate reads the literal."""
    past: bool = field(default=False, compare=False, repr=False)
    """Whether it is only about what was recorded at earlier time points, which rules can no longer change."""

    def __str__(self) -> str:
        return f"{self.head} -> {'not ' if self.negative else ''}{self.body}"


Loop: TypeAlias = tuple[Edge, ...]
"""A path from a predicate back to itself; the first edge is negative."""


def written_edges(program: Program, is_past: Callable[[tree.Literal], bool] = lambda _: False) -> list[Edge]:
    """The edges of a program as written; ``is_past`` says which literals read only what was recorded."""
    return [edge for rule in program.rules for edge in _edges_of(rule, is_past)]


def _edges_of(rule: tree.Rule, is_past: Callable[[tree.Literal], bool]) -> Iterator[Edge]:
    """What an aggregate reads must be complete first, as under ``not``."""
    for literal in rule.literals:
        predicate = literal.atom.predicate
        yield Edge(rule.head.predicate, predicate, not literal.is_positive, rule, literal, past=is_past(literal))
    for literal in (literal for aggregate in rule.aggregates for literal in aggregate.literals):
        predicate = literal.atom.predicate
        yield Edge(rule.head.predicate, predicate, True, rule, literal, aggregated=True, past=is_past(literal))


def resolved_edges(program: ResolvedProgram) -> list[Edge]:
    """The edges of a resolved program."""
    return [
        Edge(
            rule.predicate,
            reading.atom.predicate,
            reading.negative,
            rule.origin,
            reading.atom.origin,
            past=program.looks_only_back(reading.atom),
        )
        for rule in program.rules
        for element in rule.body
        for reading in element.reads()
    ]


def components(edges: Iterable[Edge], predicates: Iterable[Predicate] = ()) -> list[frozenset[Predicate]]:
    """The sets of predicates that depend on each other within one evaluation, each after those that it depends on.

    >>> a, b, c = (Predicate(name, 0) for name in "abc")
    >>> [sorted(p.name for p in part) for part in components([Edge(a, b, False), Edge(b, a, False), Edge(b, c, True)])]
    [['c'], ['a', 'b']]
    """
    below: dict[Predicate, list[Predicate]] = {predicate: [] for predicate in predicates}
    for edge in edges:
        several = below.setdefault(edge.head, [])
        if edge.past:
            below.setdefault(edge.body, [])
        else:
            several.append(edge.body)
    return list(map(frozenset, strongly_connected(below)))


def recursive(program: ResolvedProgram) -> frozenset[Predicate]:
    """The predicates that depend on themselves within one evaluation."""
    edges = resolved_edges(program)
    loops = {edge.head for edge in edges if edge.head == edge.body and not edge.past}
    return frozenset(loops).union(*(part for part in components(edges) if len(part) > 1))


def cone(program: ResolvedProgram, goals: Iterable[Predicate]) -> set[Predicate]:
    """Some predicates and all predicates that they depend on, directly or indirectly."""
    below: dict[Predicate, list[Predicate]] = defaultdict(list)
    for edge in resolved_edges(program):
        below[edge.head].append(edge.body)
    return reachable(below, goals)


def negative_loops(edges: Sequence[Edge]) -> list[Loop]:
    """Loops through negation: one for each negative edge that is in a loop, the shortest that begins with it."""
    home = {predicate: part for part in components(edges) for predicate in part}
    inner = [edge for edge in edges if not edge.past and home[edge.head] is home[edge.body]]
    leaving: dict[Predicate, list[Edge]] = defaultdict(list)
    for edge in inner:
        leaving[edge.head].append(edge)
    loops: dict[frozenset[Predicate], Loop] = {}
    covered: set[Edge] = set()
    for edge in inner:
        if edge.negative and edge not in covered:
            loop = (edge, *_shortest_way(edge.body, edge.head, leaving))
            loops.setdefault(frozenset(step.head for step in loop), loop)
            covered.update(loop)
    return list(loops.values())


def _shortest_way(start: Predicate, goal: Predicate, leaving: Mapping[Predicate, Sequence[Edge]]) -> list[Edge]:
    """The edges of a shortest path from start to goal, which are known to be in one component."""
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


def strata(program: ResolvedProgram) -> tuple[frozenset[Predicate], ...]:
    """The derived predicates by stratum, bottom-up: each negation on a path adds one stratum."""
    edges = resolved_edges(program)
    assert not negative_loops(edges), "a loop through negation is refused before a program is resolved"
    below: dict[Predicate, list[tuple[Predicate, bool]]] = defaultdict(list)
    for edge in edges:
        if edge.body in program.derived and not edge.past:
            below[edge.head].append((edge.body, edge.negative))
    level: dict[Predicate, int] = {}
    for part in components(edges, program.derived):
        steps = [(body, negative) for head in part for body, negative in below[head] if body not in part]
        height = max((level[body] + negative for body, negative in steps), default=0)
        level.update(dict.fromkeys(part & program.derived, height))
    return _by_level(level)


def _by_level(level: dict[Predicate, int]) -> tuple[frozenset[Predicate], ...]:
    layers: dict[int, set[Predicate]] = defaultdict(set)
    for predicate, height in level.items():
        layers[height].add(predicate)
    return tuple(frozenset(layers[height]) for height in sorted(layers))
