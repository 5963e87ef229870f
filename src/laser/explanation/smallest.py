"""The sizes of the smallest proofs in a recursion.

A proof is larger than each of its parts, so sizes can be computed in increasing order, as Dijkstra's algorithm computes
distances (Knuth, "A generalization of Dijkstra's algorithm", 1977). Circular proofs are never reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from laser.explanation.table import TimedAtom

__all__ = ["RecursiveInstance", "smallest"]


@dataclass(frozen=True, slots=True)
class RecursiveInstance:
    """A rule instance of a recursion: the size of its parts outside the recursion, and its options inside, per element."""

    outside: float
    inside: tuple[Sequence[Sequence[TimedAtom]], ...]


@dataclass(slots=True)
class _Sum:
    """The cost of a node, once all its parts are known."""

    node: Hashable
    missing: int
    total: float


def smallest(
    below: Mapping[TimedAtom, Sequence[RecursiveInstance]], known: Mapping[TimedAtom, float]
) -> dict[TimedAtom, float]:
    """The size of the smallest proof of each entry, given the sizes of some others."""
    queue = _Queue()
    for entry, instances in below.items():
        for instance in instances:
            # One node for each element of the body; it costs as much as its cheapest option.
            elements = [object() for _ in instance.inside]
            queue.add(entry, elements, 1 + instance.outside)
            for element, options in zip(elements, instance.inside, strict=True):
                for option in options:
                    queue.add(element, option)
    for entry, size in known.items():
        if entry in queue.users:
            queue.push(size, entry)
    found = queue.run()
    return {entry: found[entry] for entry in below}


class _Queue:
    """Open nodes, the cheapest first."""

    def __init__(self) -> None:
        self.users: defaultdict[Hashable, list[_Sum]] = defaultdict(list)
        self.heap: list[tuple[float, int, Hashable]] = []
        self.numbers = count()

    def push(self, size: float, node: Hashable) -> None:
        heappush(self.heap, (size, next(self.numbers), node))

    def add(self, node: Hashable, parts: Iterable[Hashable], cost: float = 0.0) -> None:
        """Add one way to reach a node."""
        total = _Sum(node, 0, cost)
        for part in parts:
            self.users[part].append(total)
            total.missing += 1
        if not total.missing:
            self.push(cost, node)

    def run(self) -> dict[Hashable, float]:
        """The cost of each node that can be reached."""
        found: dict[Hashable, float] = {}
        while self.heap:
            size, _, node = heappop(self.heap)
            if node in found:
                continue
            found[node] = size
            for total in self.users.get(node, ()):
                total.total += size
                total.missing -= 1
                if not total.missing:
                    self.push(total.total, total.node)
        return found
