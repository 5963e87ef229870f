"""The groups of an aggregate, updated when tuples are added or removed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import Any, TypeAlias

from laser.answers import Key
from laser.plan.nodes import Aggregated
from laser.values import Value

__all__ = ["NUMBERS", "Counts", "Group", "Groups"]

Group: TypeAlias = Any
"""Identifies a group: its value, or the tuple of its values if it has none or several."""

NUMBERS = frozenset({int, float})


class Groups(ABC):
    """The state of each group; results are computed only for groups that changed."""

    def __init__(self, node: Aggregated) -> None:
        self.node = node
        places = [place + 1 for place in node.groups]
        self.group_of: Callable[[Key], Group] = itemgetter(*places) if places else lambda key: ()
        self.value_of: Callable[[Key], Any] = itemgetter(node.value + 1)
        self.single = len(places) == 1

    @abstractmethod
    def change(self, added: Collection[Key], removed: Collection[Key]) -> Iterable[Group]:
        """Apply changes. Returns the groups concerned, each once."""

    @abstractmethod
    def has(self, group: Group) -> bool:
        """Whether a group has tuples."""

    @abstractmethod
    def result(self, group: Group) -> Value | None:
        """The result for a group that has tuples; None if it is undefined."""

    @abstractmethod
    def forget(self) -> None:
        """Forget all groups."""

    def fault(self, group: Group) -> str:
        """Why a result is undefined; empty if that need not be reported."""
        return ""

    def key(self, group: Group) -> tuple[Any, ...]:
        """The values of a group as they appear in keys."""
        return ("", group) if self.single else ("", *group)


class Counts(Groups):
    """``count``: the number of tuples."""

    def __init__(self, node: Aggregated) -> None:
        super().__init__(node)
        self.counts: Counter[Group] = Counter()

    def change(self, added: Collection[Key], removed: Collection[Key]) -> Iterable[Group]:
        counts, touched = self.counts, set(map(self.group_of, added))
        counts.update(map(self.group_of, added))
        for group, lost in Counter(map(self.group_of, removed)).items():
            left = counts[group] - lost
            if left:
                counts[group] = left
            else:
                del counts[group]
            touched.add(group)
        return touched

    def has(self, group: Group) -> bool:
        return group in self.counts

    def result(self, group: Group) -> Value | None:
        return self.counts[group]

    def forget(self) -> None:
        self.counts.clear()
