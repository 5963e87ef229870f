"""How facts of several predicates share the columns of one table.

Every argument has a *slot*: the n-th column of its carrier. So a table has as many columns as its widest predicate needs,
not as many as all of them together, and a row says by its ``tag`` which predicate it is of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from laser.spark.columns import CARRIERS, carrier
from laser.values import Predicate

__all__ = ["Layout", "Shape"]


@dataclass(frozen=True)
class Shape:
    """A predicate with the kinds and the names of its columns, and the slots that they travel in."""

    predicate: Predicate
    kinds: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def slots(self) -> tuple[str, ...]:
        counts: Counter[str] = Counter()
        slots = []
        for kind in self.kinds:
            slots.append(f"{carrier(kind)}{counts[carrier(kind)]}")
            counts[carrier(kind)] += 1
        return tuple(slots)


@dataclass(frozen=True)
class Layout:
    """The shapes that share a table; the place of a shape is its tag."""

    shapes: tuple[Shape, ...]

    @classmethod
    def of(cls, shapes: Iterable[Shape]) -> Layout:
        return cls(tuple(shapes))

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """All slots, sorted."""
        return tuple(sorted({slot for shape in self.shapes for slot in shape.slots}))

    @cached_property
    def tags(self) -> dict[Predicate, int]:
        return {shape.predicate: tag for tag, shape in enumerate(self.shapes)}

    def schema(self, before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
        """The table's schema in Spark's notation."""
        slots = [f"{slot} {CARRIERS[slot.rstrip('0123456789')]}" for slot in self.slots]
        return ", ".join([*before, *slots, *after])
