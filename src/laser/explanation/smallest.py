"""The sizes of the smallest proofs in a recursion.

A proof is larger than each of its parts, so that sizes can be found in their order, the smallest first, as Dijkstra's
algorithm finds distances (Knuth, "A generalization of Dijkstra's algorithm", 1977). What rests on itself is never reached.
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
    """A rule instance of a recursion: the size of what it needs from outside, and its options inside, element by element."""

    outside: float
    inside: tuple[Sequence[Sequence[TimedAtom]], ...]


@dataclass(slots=True)
class _Sum:
    """What a node costs, when all its parts are known."""

    node: Hashable
    missing: int
    total: float


def smallest(
    below: Mapping[TimedAtom, Sequence[RecursiveInstance]], known: Mapping[TimedAtom, float]
) -> dict[TimedAtom, float]:
    """The size of the smallest proof of each entry, given those of some others."""
    queue = _Queue()
    for entry, instances in below.items():
        for instance in instances:
            # A node for each element of the body: it costs what the cheapest of its options does.
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
    """Nodes on their way, the cheapest first."""

    def __init__(self) -> None:
        self.users: defaultdict[Hashable, list[_Sum]] = defaultdict(list)
        self.heap: list[tuple[float, int, Hashable]] = []
        self.numbers = count()

    def push(self, size: float, node: Hashable) -> None:
        heappush(self.heap, (size, next(self.numbers), node))

    def add(self, node: Hashable, parts: Iterable[Hashable], cost: float = 0.0) -> None:
        """One way to a node."""
        total = _Sum(node, 0, cost)
        for part in parts:
            self.users[part].append(total)
            total.missing += 1
        if not total.missing:
            self.push(cost, node)

    def run(self) -> dict[Hashable, float]:
        """What each node costs that can be reached."""
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
