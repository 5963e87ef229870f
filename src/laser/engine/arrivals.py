"""The last facts of the stream in arrival order, for tuple windows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from laser.engine.relation import Key
from laser.plan.nodes import Node

__all__ = ["Tail"]


class Tail:
    """Facts by their position in the stream, as many as the largest tuple window asks for."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.first_kept = 0
        self.total = 0
        self.before = 0
        self.facts: dict[int, tuple[Key, int]] = {}
        self.present: set[Key] = set()
        self.time = -1

    def append(self, facts: Iterable[Key], t: int) -> None:
        """Facts of one call, in order; one that the present time point has already is not counted again."""
        if t != self.time:
            self.present, self.time = set(), t
        while self.first_kept < self.total - self.limit:
            del self.facts[self.first_kept]
            self.first_kept += 1
        self.before = self.total
        for fact in facts:
            if fact not in self.present:
                self.present.add(fact)
                self.facts[self.total] = (fact, t)
                self.total += 1

    def moves(self, size: int, node: Any) -> tuple[list[tuple[Key, int]], list[tuple[Key, int]]]:
        """What came into and what fell out of the window of the last ``size`` facts with the last call."""
        entering = range(max(self.before, self.total - size), self.total)
        leaving = range(max(0, self.before - size), min(self.before, self.total - size))
        return self.of(node, entering), self.of(node, leaving)

    def content(self, size: int, node: Node) -> list[tuple[Key, int]]:
        """The facts of a window that a node is about."""
        return self.of(node, range(max(0, self.total - size), self.total))

    def of(self, node: Any, positions: Collection[int]) -> list[tuple[Key, int]]:
        name, length = node.predicate.name, node.predicate.arity + 1
        facts = map(self.facts.__getitem__, positions)
        return [moved for moved in facts if moved[0][0] == name and len(moved[0]) == length]

    def first(self, size: int, t0: int) -> int:
        """The first time point of a window."""
        return self.facts[self.total - size][1] if self.total >= size else t0
