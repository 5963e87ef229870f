"""Aggregates: what is made of the tuples of each group, kept up to date by what is added and removed.

The work is in proportion to what changes, whatever the size of the window and of the group, and only a changed result goes on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import Any

from laser.answers import Key
from laser.engine.operators.exact import Moments
from laser.engine.operators.operator import Operator
from laser.engine.operators.ordered import Ordered
from laser.engine.relation import Relation
from laser.plan.nodes import Aggregated, Threshold
from laser.values import Value, write_value
from laser.values.fold import Fold
from laser.values.operations import compare

__all__ = ["AggregateOperator", "make_groups"]

Group = Any
"""What stands for a group: its value, or the tuple of its values where it has none or several."""


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
        """Take over what changed; the groups that it concerns."""

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


class FoldedGroups(Groups):
    """Groups of which each keeps what its values come to."""

    def __init__(self, node: Aggregated, make: Callable[[], Moments | Ordered]) -> None:
        super().__init__(node)
        self.make = make
        self.states: dict[Group, Moments | Ordered] = {}

    def change(self, added: Collection[Key], removed: Collection[Key]) -> Iterable[Group]:
        states, group_of, value_of, touched = self.states, self.group_of, self.value_of, set()
        for key in added:
            group = group_of(key)
            state = states.get(group)
            if state is None:
                state = states[group] = self.make()
            state.add(value_of(key))
            touched.add(group)
        for key in removed:
            group = group_of(key)
            states[group].remove(value_of(key))
            touched.add(group)
        for group in touched:
            if not states[group].size:
                del states[group]
        return touched

    def has(self, group: Group) -> bool:
        return group in self.states

    def result(self, group: Group) -> Value | None:
        return self.states[group].result(self.node.fold, self.node.level)

    def fault(self, group: Group) -> str:
        state = self.states[group]
        return "" if self.node.fold is Fold.STDEV and state.size == 1 else state.fault(self.node.fold)

    def forget(self) -> None:
        self.states.clear()


def make_groups(node: Aggregated) -> Groups:
    """What keeps the groups of an aggregate."""
    match node.fold:
        case Fold.COUNT:
            return Counts(node)
        case Fold.SUM | Fold.AVG | Fold.STDEV:
            return FoldedGroups(node, Moments)
        case Fold.MIN | Fold.MAX | Fold.MEDIAN | Fold.QUANTILE:
            return FoldedGroups(node, Ordered)


class AggregateOperator(Operator):
    """Settles an aggregate: a key for each group that has tuples, replaced when its result changes."""

    def __init__(
        self,
        head: Relation,
        tuples: Relation,
        groups: Groups,
        threshold: Threshold | None,
        report: Callable[[str], None],
    ) -> None:
        super().__init__([head])
        self.head, self.tuples, self.groups, self.threshold, self.report = head, tuples, groups, threshold, report
        self.keys: dict[Group, Key] = {}

    def settle(self, t: int, t0: int) -> None:
        keys, begun, ended = self.keys, [], []
        delta = self.tuples.delta
        for group in self.groups.change(delta.added, delta.removed):
            before, after = keys.get(group), self.key(group)
            if before != after:
                if before is not None:
                    ended.append(keys.pop(group))
                if after is not None:
                    keys[group] = after
                    begun.append(after)
        self.head.hold_until_revoked(begun, ended)

    def key(self, group: Group) -> Key | None:
        """The key of a group as it is now; None where it has no result, or one that is beyond the threshold."""
        groups = self.groups
        if not groups.has(group):
            return None
        result = groups.result(group)
        if result is None:
            if fault := groups.fault(group):
                self.report(fault)
            return None
        if self.threshold is None:
            return (*groups.key(group), result)
        holds = compare(self.threshold.operator, result, self.threshold.value)
        if holds is None:
            sign, value = self.threshold
            self.report(f"{write_value(result)} {sign} {write_value(value)}")
        return groups.key(group) if holds else None

    def forget(self) -> None:
        self.keys.clear()
        self.groups.forget()
