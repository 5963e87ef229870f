"""Finds the predicate that an unknown name probably means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from laser.phrases import Names
from laser.values import Predicate

__all__ = ["KnownPredicates"]


@dataclass(frozen=True)
class KnownPredicates:
    """The predicates that a name might mean, indexed by name on first use."""

    predicates: Iterable[Predicate]

    def meant_by(self, name: str) -> list[Predicate]:
        """The predicates with that name, or else those with the closest name."""
        return self._by_name.get(name) or self._by_name.get(self._names.closest(name) or "", [])

    @cached_property
    def _by_name(self) -> dict[str, list[Predicate]]:
        by_name: dict[str, list[Predicate]] = defaultdict(list)
        for predicate in sorted(self.predicates):
            by_name[predicate.name].append(predicate)
        return dict(by_name)

    @cached_property
    def _names(self) -> Names:
        return Names(self._by_name)
