"""Strata: the order in which predicates are completed, so that ``not`` only ever asks about complete ones."""

from __future__ import annotations

from collections import defaultdict

from laser.analysis.core import Core
from laser.analysis.graph import components, core_edges, negative_loops
from laser.analysis.laws.negative_loop import loop_diagnostic
from laser.errors import ProgramError
from laser.terms import Predicate

__all__ = ["strata"]


def strata(core: Core) -> tuple[frozenset[Predicate], ...]:
    """The derived predicates, bottom-up: one stratum more for each negation on the way down."""
    edges = core_edges(core)
    loops = negative_loops(edges)
    if loops:
        raise ProgramError([loop_diagnostic(loop) for loop in loops])
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
