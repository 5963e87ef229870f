"""Values in order: the first, the last, and those between."""

from __future__ import annotations

from bisect import bisect_left, insort
from fractions import Fraction
from typing import Any

from laser.engine.operators.exact import rounded
from laser.values import Value, write_value
from laser.values.fold import Fold
from laser.values.number import NUMBER
from laser.values.registry import type_of

__all__ = ["Ordered", "SortedValues"]

HALF = Fraction(1, 2)

BLOCK = 512
"""Values in a block of a sorted list, about: what is inserted or deleted moves no more than twice as many."""


class SortedValues:
    """Values in order, each as often as it was added, in blocks so that no change moves many."""

    __slots__ = ("blocks", "lasts", "size")

    def __init__(self) -> None:
        self.blocks: list[list[Any]] = []
        self.lasts: list[Any] = []
        self.size = 0

    def add(self, value: Any) -> None:
        self.size += 1
        if not self.blocks:
            self.blocks.append([value])
            self.lasts.append(value)
            return
        place = min(bisect_left(self.lasts, value), len(self.blocks) - 1)
        block = self.blocks[place]
        insort(block, value)
        self.lasts[place] = block[-1]
        if len(block) > 2 * BLOCK:
            self.blocks.insert(place + 1, block[BLOCK:])
            del block[BLOCK:]
            self.lasts.insert(place, block[-1])

    def remove(self, value: Any) -> None:
        self.size -= 1
        place = bisect_left(self.lasts, value)
        block = self.blocks[place]
        del block[bisect_left(block, value)]
        if block:
            self.lasts[place] = block[-1]
        else:
            del self.blocks[place], self.lasts[place]

    def first(self) -> Any:
        return self.blocks[0][0]

    def last(self) -> Any:
        return self.lasts[-1]

    def at(self, place: int) -> Any:
        for block in self.blocks:
            if place < len(block):
                return block[place]
            place -= len(block)
        raise IndexError(place)


class Ordered:
    """The values of a group, in order as far as there is one: values of different types have none among them."""

    __slots__ = ("by_type", "decimals", "size")

    def __init__(self) -> None:
        self.size = self.decimals = 0
        self.by_type: dict[str, SortedValues] = {}

    def add(self, value: Value) -> None:
        self.size += 1
        self.decimals += value.__class__ is float
        name = type_of(value).name
        if name not in self.by_type:
            self.by_type[name] = SortedValues()
        self.by_type[name].add(value)

    def remove(self, value: Value) -> None:
        self.size -= 1
        self.decimals -= value.__class__ is float
        name = type_of(value).name
        values = self.by_type[name]
        values.remove(value)
        if not values.size:
            del self.by_type[name]

    def result(self, fold: Fold, level: Fraction | None) -> Value | None:
        if len(self.by_type) > 1:
            return None
        ((name, values),) = self.by_type.items()
        match fold:
            case Fold.MIN:
                return values.first()  # type: ignore[no-any-return]
            case Fold.MAX:
                return values.last()  # type: ignore[no-any-return]
            case _:
                return self.between(values, HALF if level is None else level) if name == NUMBER.name else None

    def fault(self, fold: Fold) -> str:
        """What makes the result undefined."""
        examples = " and ".join(write_value(values.first()) for values in self.by_type.values())
        return f"{fold.value} of {examples}"

    def between(self, values: SortedValues, level: Fraction) -> Value | None:
        """The quantile of a level: linear between neighbours, exact until it is rounded."""
        place = level * (values.size - 1)
        low, part = divmod(place.numerator, place.denominator)
        if not part:
            exact = Fraction(values.at(low))
        else:
            below, above = Fraction(values.at(low)), Fraction(values.at(low + 1))
            exact = below + (above - below) * Fraction(part, place.denominator)
        return rounded(exact.numerator, exact.denominator, not self.decimals)
