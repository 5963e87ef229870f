"""Sums that are exact whatever came and went: a double is an integer times a power of two, and integers are added."""

from __future__ import annotations

import math
from fractions import Fraction

from laser.values import Value, write_value
from laser.values.fold import Fold
from laser.values.number import number
from laser.values.operations import HUGE

__all__ = ["Moments", "rounded"]


def rounded(numerator: int, denominator: int, integers: bool) -> Value | None:
    """A whole number that came from integers as it is, every other as the nearest double; None where it is too large."""
    whole, rest = divmod(numerator, denominator)
    try:
        value = whole if integers and not rest else number(numerator / denominator)
    except OverflowError:
        return None
    return value if -HUGE < value < HUGE else None


class Moments:
    """The number of some values, their sum and the sum of their squares.

    The sum is kept as an integer times 2 ** -shift; the shift grows with what is added.
    """

    __slots__ = ("decimals", "example", "others", "shift", "size", "squares", "total")

    def __init__(self) -> None:
        self.size = self.decimals = self.others = 0
        self.total = self.squares = self.shift = 0
        self.example: Value = 0
        """The last value that was not a number."""

    def add(self, value: Value) -> None:
        self.size += 1
        self.count(value, 1)

    def remove(self, value: Value) -> None:
        self.size -= 1
        self.count(value, -1)

    def count(self, value: Value, times: int) -> None:
        if value.__class__ is int:
            whole = value << self.shift
        elif value.__class__ is float:
            self.decimals += times
            numerator, denominator = value.as_integer_ratio()
            places = denominator.bit_length() - 1
            if places > self.shift:
                self.widen(places)
            whole = numerator << (self.shift - places)
        else:
            self.others += times
            self.example = value
            return
        self.total += times * whole
        self.squares += times * whole * whole

    def widen(self, shift: int) -> None:
        """Count in smaller units."""
        more = shift - self.shift
        self.total <<= more
        self.squares <<= 2 * more
        self.shift = shift

    def result(self, fold: Fold, level: Fraction | None) -> Value | None:
        if self.others:
            return None
        match fold:
            case Fold.SUM:
                return rounded(self.total, 1 << self.shift, not self.decimals)
            case Fold.AVG:
                return rounded(self.total, self.size << self.shift, not self.decimals)
            case _:
                return self.deviation() if self.size > 1 else None

    def fault(self, fold: Fold) -> str:
        """What makes the result undefined."""
        return f"{fold.value} of {write_value(self.example)}" if self.others else f"a {fold.value} beyond all doubles"

    def deviation(self) -> Value | None:
        """The square root of the variance of a sample."""
        n = self.size
        return root(n * self.squares - self.total**2, n * (n - 1) << (2 * self.shift))


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
    """The whole part of the square root of a fraction, its last bit set if that is not exact: it then rounds as the root does."""
    near = math.isqrt(numerator // denominator)
    return near | (near * near * denominator != numerator)
