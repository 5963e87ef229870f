"""How facts of several predicates share the columns of one table.

Every argument has a *slot*: the n-th column of its carrier. So a table has as many columns as its widest predicate needs,
not as many as all together, and the ``tag`` of a row says which predicate it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from laser.rules.column_names import free_name
from laser.spark.columns import CARRIERS, carrier
from laser.values import Predicate

__all__ = ["Layout", "PredicateColumns", "read_layout"]


@dataclass(frozen=True)
class PredicateColumns:
    """A predicate with the kinds and names of its columns, and the slots in which they travel."""

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

    def led_by(self, key: str, kind: str) -> PredicateColumns:
        """The same with a key as the first argument."""
        name, arity = self.predicate
        names = (free_name(key, self.names), *self.names)
        return PredicateColumns(Predicate(name, arity + 1), (kind, *self.kinds), names)


@dataclass(frozen=True)
class Layout:
    """The predicates that share a table; the position of each is its tag."""

    predicates: tuple[PredicateColumns, ...]

    @classmethod
    def of(cls, predicates: Iterable[PredicateColumns]) -> Layout:
        return cls(tuple(predicates))

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """All slots, sorted."""
        return tuple(sorted({slot for columns in self.predicates for slot in columns.slots}))

    @cached_property
    def tags(self) -> dict[Predicate, int]:
        return {columns.predicate: tag for tag, columns in enumerate(self.predicates)}

    def columns_of(self, predicate: Predicate) -> PredicateColumns:
        return self.predicates[self.tags[predicate]]

    def schema(self, before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
        """The table's schema in Spark's notation."""
        slots = [f"{slot} {_type(slot)}" for slot in self.slots]
        return ", ".join([*before, *slots, *after])

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """The columns of the slots in SQL: with these values, and empty in the other slots."""
        return [f"{values.get(slot) or f'cast(null as {_type(slot)})'} as {slot}" for slot in self.slots]

    def plain(self) -> list[list[Any]]:
        """The predicates with their columns as lists, which ``read_layout`` reads."""
        return [[*columns.predicate, list(columns.kinds), list(columns.names)] for columns in self.predicates]


def _type(slot: str) -> str:
    return CARRIERS[slot.rstrip("0123456789")]


def read_layout(plain: Iterable[Sequence[Any]]) -> Layout:
    return Layout.of(
        PredicateColumns(Predicate(name, arity), tuple(kinds), tuple(names)) for name, arity, kinds, names in plain
    )
