"""The groups of an aggregate: what is known of each, kept up to date by what comes and what goes."""

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
"""What stands for a group: its value, or the tuple of its values where it has none or several."""

NUMBERS = frozenset({int, float})


class Groups(ABC):
    """What is known of each group; the results are asked for only where something changed."""

    def __init__(self, node: Aggregated) -> None:
        self.node = node
        places = [place + 1 for place in node.groups]
        self.group_of: Callable[[Key], Group] = itemgetter(*places) if places else lambda key: ()
        self.value_of: Callable[[Key], Any] = itemgetter(node.value + 1)
        self.single = len(places) == 1

    @abstractmethod
    def change(self, added: Collection[Key], removed: Collection[Key]) -> Iterable[Group]:
        """Take over what changed; the groups that it concerns, each once."""

    @abstractmethod
    def has(self, group: Group) -> bool:
        """Whether a group has tuples."""

    @abstractmethod
    def result(self, group: Group) -> Value | None:
        """The result for a group that has tuples; None where it is not defined."""

    @abstractmethod
    def forget(self) -> None:
        """Lose everything."""

    def fault(self, group: Group) -> str:
        """What makes a result undefined; nothing where that is not worth a report."""
        return ""

    def key(self, group: Group) -> tuple[Any, ...]:
        """The values of a group as they stand in keys."""
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
