"""Sums that stay exact when values come and go: a double is an integer times a power of two, and integers are added."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from laser.answers import Key
from laser.engine.operators.groups import NUMBERS, Group, Groups
from laser.plan.nodes import Aggregated
from laser.values import Value, write_value
from laser.values.fold import Fold
from laser.values.number import number
from laser.values.operations import HUGE

__all__ = ["Sums", "root", "rounded"]

LARGEST = 1024
"""The smallest power of two that is too large for a double."""

EXACT = 2**53
"""All integers below this are exact as doubles."""

SPARE = 60
"""Binary places after the point that are kept once there are decimals: enough for most, so that the unit rarely changes."""


def rounded(numerator: int, denominator: int, integers: bool) -> Value | None:
    """An integer result of integers as it is, any other as the nearest double; None if it is too large."""
    whole, rest = divmod(numerator, denominator)
    try:
        value = whole if integers and not rest else number(numerator / denominator)
    except OverflowError:
        return None
    return value if -HUGE < value < HUGE else None


class Sums(Groups):
    """``sum``, ``avg`` and ``stdev``: the number of values, their sum and, if needed, the sum of their squares.

    Sums are integers in units of 2 ** -shift; the unit becomes smaller if a new value needs it.
    """

    def __init__(self, node: Aggregated) -> None:
        super().__init__(node)
        self.forget()

    def forget(self) -> None:
        self.sizes: Counter[Group] = Counter()
        self.integers: Counter[Group] = Counter()
        self.others: Counter[Group] = Counter()
        self.totals: defaultdict[Group, int] = defaultdict(int)
        self.squares: defaultdict[Group, int] | None = defaultdict(int) if self.node.fold is Fold.STDEV else None
        self.examples: dict[Group, Value] = {}
        self.shift, self.factor = 0, 1.0

    def change(self, added: Collection[Key], removed: Collection[Key]) -> Iterable[Group]:
        touched: set[Group] = set()
        if added:
            groups = list(map(self.group_of, added))
            self.count(groups, list(map(self.value_of, added)), 1)
            self.sizes.update(groups)
            touched.update(groups)
        if removed:
            groups = list(map(self.group_of, removed))
            self.count(groups, list(map(self.value_of, removed)), -1)
            lost = Counter(groups)
            self.sizes.subtract(lost)
            touched.update(lost)
            for group in lost:
                if not self.sizes[group]:
                    self.drop(group)
        return touched

    def drop(self, group: Group) -> None:
        """Forget a group that is empty."""
        del self.sizes[group]
        for kept in (self.integers, self.others, self.totals, self.squares or {}, self.examples):
            kept.pop(group, None)

    def count(self, groups: Sequence[Group], values: list[Any], times: int) -> None:
        kinds = set(map(type, values))
        if not kinds <= NUMBERS:
            groups, values = self.without_others(groups, values, times)
            kinds &= NUMBERS
        if int in kinds:
            whole = groups if len(kinds) == 1 else [g for g, v in zip(groups, values, strict=True) if type(v) is int]
            (self.integers.update if times > 0 else self.integers.subtract)(whole)
        units, totals, squares = self.in_units(values, kinds), self.totals, self.squares
        if times > 0:
            for group, unit in zip(groups, units, strict=True):
                totals[group] += unit
        else:
            for group, unit in zip(groups, units, strict=True):
                totals[group] -= unit
        if squares is not None:
            for group, unit in zip(groups, units, strict=True):
                squares[group] += times * unit * unit

    def without_others(self, groups: Sequence[Group], values: list[Any], times: int) -> tuple[list[Group], list[Any]]:
        """Count the values that are not numbers, and return the others."""
        pairs = list(zip(groups, values, strict=True))
        for group, value in pairs:
            if type(value) not in NUMBERS:
                self.others[group] += times
                self.examples[group] = value
        numbers = [(group, value) for group, value in pairs if type(value) in NUMBERS]
        return [group for group, _ in numbers], [value for _, value in numbers]

    def in_units(self, values: list[Any], kinds: set[type]) -> list[int]:
        """Numbers in the unit of the sums. Scaling by a power of two is exact: if all results are whole numbers, no precision is lost."""
        if float not in kinds:
            return [value << self.shift for value in values] if self.shift else values
        if int in kinds and not -EXACT < min(values) <= max(values) < EXACT:
            return self.in_smaller_units(values)
        scaled = list(map(self.factor.__mul__, values))
        return list(map(int, scaled)) if all(map(float.is_integer, scaled)) else self.in_smaller_units(values)

    def in_smaller_units(self, values: list[Any]) -> list[int]:
        ratios = [value.as_integer_ratio() for value in values]
        places = max(denominator.bit_length() - 1 for _, denominator in ratios)
        if places > self.shift:
            self.widen(max(SPARE, places + 8))
        return [numerator * ((1 << self.shift) // denominator) for numerator, denominator in ratios]

    def widen(self, shift: int) -> None:
        """Change to smaller units."""
        more = shift - self.shift
        for group in self.totals:
            self.totals[group] <<= more
        for group in self.squares or ():
            self.squares[group] <<= 2 * more  # type: ignore[index]
        self.shift = shift
        self.factor = 2.0**shift if shift < LARGEST else math.inf  # an infinite factor gives no whole number

    def has(self, group: Group) -> bool:
        return group in self.sizes

    def result(self, group: Group) -> Value | None:
        if self.others.get(group):
            return None
        size, total = self.sizes[group], self.totals[group]
        match self.node.fold:
            case Fold.SUM:
                return rounded(total, 1 << self.shift, self.integers[group] == size)
            case Fold.AVG:
                return rounded(total, size << self.shift, self.integers[group] == size)
            case _:
                return self.deviation(group) if size > 1 else None

    def deviation(self, group: Group) -> Value | None:
        """The square root of the variance of a sample."""
        assert self.squares is not None
        n = self.sizes[group]
        return root(n * self.squares[group] - self.totals[group] ** 2, n * (n - 1) << (2 * self.shift))

    def fault(self, group: Group) -> str:
        fold = self.node.fold
        if self.others.get(group):
            return f"{fold.value} of {write_value(self.examples[group])}"
        single = fold is Fold.STDEV and self.sizes[group] == 1
        return "" if single else f"a {fold.value} that is too large for a double"


def root(numerator: int, denominator: int) -> Value | None:
    """The double that is nearest to the square root of a fraction."""
    shift = (numerator.bit_length() - denominator.bit_length() - 109) // 2
    if shift >= 0:
        near = odd_root(numerator, denominator << 2 * shift) << shift
        below = 1
    else:
        near = odd_root(numerator << -2 * shift, denominator)
        below = 1 << -shift
    try:
        return number(near / below)
    except OverflowError:
        return None


def odd_root(numerator: int, denominator: int) -> int:
    """The integer part of the square root of a fraction, with its last bit set if it is not exact, so that it rounds like the root."""
    near = math.isqrt(numerator // denominator)
    return near | (near * near * denominator != numerator)
