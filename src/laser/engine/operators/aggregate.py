"""Aggregates over the tuples of each group, updated when tuples are added or removed.

The work is proportional to the changes, whatever the size of the window and of the group. Only a changed result is passed on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import assert_never

from laser.answers import Key
from laser.engine.operators.exact import Sums
from laser.engine.operators.groups import Counts, Group, Groups
from laser.engine.operators.operator import Operator
from laser.engine.operators.ordered import Orders
from laser.engine.relation import Relation
from laser.plan.nodes import Aggregated, Threshold
from laser.values import write_value
from laser.values.fold import Fold
from laser.values.operations import compare

__all__ = ["AggregateOperator", "CountOperator", "make_aggregate"]


def make_groups(node: Aggregated) -> Groups:
    """The class that stores the groups of an aggregate."""
    match node.fold:
        case Fold.COUNT:
            return Counts(node)
        case Fold.SUM | Fold.AVG | Fold.STDEV:
            return Sums(node)
        case Fold.MIN | Fold.MAX | Fold.MEDIAN | Fold.QUANTILE:
            return Orders(node)
        case _:
            assert_never(node.fold)


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
        """The keys that hold, by their groups."""

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
        """The key of a group as it is now; None if it has no result, or a result that fails the threshold."""
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


class CountOperator(Operator):
    """Settles a count that must be between two numbers: only groups whose count passes one of them are looked at again."""

    def __init__(self, head: Relation, tuples: Relation, groups: Counts, low: float, high: float) -> None:
        super().__init__([head])
        self.head, self.tuples, self.groups, self.low, self.high = head, tuples, groups, low, high
        self.rising, self.falling = frozenset({low, high + 1}), frozenset({low - 1, high, 0})
        """The numbers at which a growing count and a shrinking count may have passed a bound."""
        self.standing: set[Group] = set()

    def settle(self, t: int, t0: int) -> None:
        delta, group_of, counts = self.tuples.delta, self.groups.group_of, self.groups.counts
        count_of, rising, falling = counts.get, self.rising, self.falling
        passed: set[Group] = set()
        for group in map(group_of, delta.added):
            counts[group] = number = count_of(group, 0) + 1
            if number in rising:
                passed.add(group)
        for group in map(group_of, delta.removed):
            counts[group] = number = count_of(group, 0) - 1
            if number in falling:
                passed.add(group)
        if passed:
            self.decide(passed)

    def decide(self, groups: set[Group]) -> None:
        """Let those of the groups hold whose count is between the bounds."""
        counts, low, high = self.groups.counts, self.low, self.high
        enough = {group for group in groups if low <= counts[group] <= high}
        for group in groups - enough:
            if not counts[group]:
                del counts[group]
        begun, ended = enough - self.standing, (groups - enough) & self.standing
        self.standing |= begun
        self.standing -= ended
        self.head.hold_until_revoked(list(map(self.groups.key, begun)), list(map(self.groups.key, ended)))

    def forget(self) -> None:
        self.standing.clear()
        self.groups.forget()


def bounds(threshold: Threshold) -> tuple[float, float] | None:
    """The least and the largest count of a non-empty group that satisfies a comparison; None if bounds cannot express it."""
    sign, value = threshold
    if not isinstance(value, int | float):
        return None
    match sign:
        case ">":
            return max(1, math.floor(value) + 1), math.inf
        case ">=":
            return max(1, math.ceil(value)), math.inf
        case "<":
            return 1, math.ceil(value) - 1
        case "<=":
            return 1, math.floor(value)
        case "=":
            return max(1, math.ceil(value)), math.floor(value)
        case _:
            return None


def make_aggregate(node: Aggregated, head: Relation, tuples: Relation, report: Callable[[str], None]) -> Operator:
    """The operator for an aggregate."""
    groups = make_groups(node)
    limits = None if node.threshold is None else bounds(node.threshold)
    if isinstance(groups, Counts) and limits is not None:
        return CountOperator(head, tuples, groups, *limits)
    return AggregateOperator(head, tuples, groups, node.threshold, report)
