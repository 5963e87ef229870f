"""Values in order, for each group: the first, the last, and positions between."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import Any

from laser.answers import Key
from laser.engine.operators.exact import rounded
from laser.engine.operators.groups import NUMBERS, Group, Groups
from laser.plan.nodes import Aggregated
from laser.values import Value, write_value
from laser.values.fold import Fold
from laser.values.number import NUMBER
from laser.values.registry import type_of

__all__ = ["Orders", "SortedValues"]

HALF = Fraction(1, 2)

BLOCK = 2048
"""The approximate number of values in a block of a sorted list; an insertion or deletion moves at most twice as many."""


class SortedValues:
    """A sorted list with repetitions, in blocks so that a change moves few values."""

    __slots__ = ("blocks", "lasts", "size")

    def __init__(self, values: Collection[Any] = ()) -> None:
        self.blocks: list[list[Any]] = []
        self.lasts: list[Any] = []
        self.size = 0
        for value in values:
            self.add(value)

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

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> Any:
        """The value at a place; -1 is the last."""
        if place < 0:
            return self.lasts[-1]
        for block in self.blocks:
            if place < len(block):
                return block[place]
            place -= len(block)
        raise IndexError(place)


class Orders(Groups):
    """``min``, ``max``, ``median`` and ``quantile``: the values of each group and type, because different types cannot be compared.

    A group with few numbers is a plain list.
    """

    def __init__(self, node: Aggregated) -> None:
        super().__init__(node)
        self.numbers: dict[Group, list[Any] | SortedValues] = {}
        self.others: dict[Group, dict[str, SortedValues]] = {}

    def forget(self) -> None:
        self.numbers.clear()
        self.others.clear()

    def change(self, added: Collection[Key], removed: Collection[Key]) -> Iterable[Group]:
        groups = [*map(self.group_of, added), *map(self.group_of, removed)]
        values = [*map(self.value_of, added), *map(self.value_of, removed)]
        came, touched = len(added), set(groups)
        if not NUMBERS.issuperset(map(type, values)):
            came, groups, values = self.without_others(came, groups, values)
        self.add(groups[:came], values[:came])
        self.remove(groups[came:], values[came:])
        return touched

    def add(self, groups: list[Group], values: list[Any]) -> None:
        numbers = self.numbers
        for group, value in zip(groups, values, strict=True):
            known = numbers.get(group)
            if known is None:
                numbers[group] = [value]
            elif known.__class__ is list:
                insort(known, value)
                if len(known) > 2 * BLOCK:
                    numbers[group] = SortedValues(known)
            else:
                known.add(value)  # type: ignore[union-attr]

    def remove(self, groups: list[Group], values: list[Any]) -> None:
        numbers = self.numbers
        for group, value in zip(groups, values, strict=True):
            known = numbers[group]
            if known.__class__ is list:
                del known[bisect_left(known, value)]
            else:
                known.remove(value)
            if not known:
                del numbers[group]

    def without_others(self, came: int, groups: list[Group], values: list[Any]) -> tuple[int, list[Group], list[Any]]:
        """Store the values that are not numbers by their types, and return the numbers."""
        left: list[tuple[bool, Group, Any]] = []
        for place, (group, value) in enumerate(zip(groups, values, strict=True)):
            if type(value) in NUMBERS:
                left.append((place < came, group, value))
                continue
            by_type = self.others.setdefault(group, {})
            known = by_type.setdefault(type_of(value).name, SortedValues())
            (known.add if place < came else known.remove)(value)
        for group in [group for group, by_type in self.others.items() if not any(by_type.values())]:
            del self.others[group]
        return sum(is_new for is_new, _, _ in left), [group for _, group, _ in left], [value for _, _, value in left]

    def of(self, group: Group) -> dict[str, list[Any] | SortedValues]:
        """The values of a group, by their types."""
        found: dict[str, list[Any] | SortedValues] = {}
        if group in self.numbers:
            found[NUMBER.name] = self.numbers[group]
        found.update((name, values) for name, values in self.others.get(group, {}).items() if values)
        return found

    def has(self, group: Group) -> bool:
        return group in self.numbers or group in self.others

    def result(self, group: Group) -> Value | None:
        values: list[Any] | SortedValues
        if self.others:
            by_type = self.of(group)
            if len(by_type) > 1 or (self.node.fold.of_numbers and NUMBER.name not in by_type):
                return None
            (values,) = by_type.values()
        else:
            values = self.numbers[group]
        match self.node.fold:
            case Fold.MIN:
                return values[0]  # type: ignore[no-any-return]
            case Fold.MAX:
                return values[-1]  # type: ignore[no-any-return]
            case _:
                return between(values, HALF if self.node.level is None else self.node.level)

    def fault(self, group: Group) -> str:
        examples = " and ".join(write_value(values[0]) for values in self.of(group).values())
        return f"{self.node.fold.value} of {examples}"


def between(values: list[Any] | SortedValues, level: Fraction) -> Value | None:
    """The quantile of a level: linear between neighbours, exact until it is rounded."""
    place, unit = level.numerator * (len(values) - 1), level.denominator
    low, part = divmod(place, unit)
    below = values[low]
    if not part:
        return below  # type: ignore[no-any-return]
    above = values[low + 1]
    if type(below) is int is type(above):
        return rounded(below * unit + (above - below) * part, unit, True)
    exact = Fraction(below) + (Fraction(above) - Fraction(below)) * Fraction(part, unit)
    return rounded(exact.numerator, exact.denominator, False)
