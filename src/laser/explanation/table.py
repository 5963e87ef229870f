"""Atoms with their time points, found by predicate, bound arguments and time; an index is made when it is first asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from laser.values import Atom, Predicate

__all__ = ["Entry", "Facts", "Key", "Table"]

Entry: TypeAlias = tuple[int, Atom]
"""A time point, and an atom that holds there."""

Key: TypeAlias = tuple[int, ...]
"""Places in an atom (from 1) whose values are given. One value is given as it is, several as a tuple."""

_time = itemgetter(0)


class Table:
    """Entries in the order in which they were added; ``ordered`` where that is the order of time."""

    def __init__(self, entries: Iterable[Entry] = (), ordered: bool = True) -> None:
        self.entries = list(entries)
        self.ordered = ordered
        self.indexes: dict[Key, dict[Any, list[Entry]]] = {}

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        for key, index in self.indexes.items():
            index.setdefault(itemgetter(*key)(entry[1]), []).append(entry)

    def find(self, key: Key, values: Any, low: int, high: int) -> Sequence[Entry]:
        """The entries in [low, high] with these values, the latest first."""
        entries = self._bucket(key, values) if key else self.entries
        if not self.ordered:
            return [entry for entry in entries if low <= entry[0] <= high]
        first, last = bisect_left(entries, low, key=_time), bisect_right(entries, high, key=_time)
        return entries[first:last][::-1]

    def _bucket(self, key: Key, values: Any) -> list[Entry]:
        index = self.indexes.get(key)
        if index is None:
            index = self.indexes[key] = {}
            value_of = itemgetter(*key)
            for entry in self.entries:
                index.setdefault(value_of(entry[1]), []).append(entry)
        return index.get(values, [])


class Facts:
    """The data stream up to a time. Facts before what is asked for are not looked at."""

    def __init__(self, history: Sequence[Entry]) -> None:
        self.history = history
        self.floor: int | None = None
        self.tables: dict[tuple[str, int], Table] = {}
        self.tails: dict[tuple[int, int], dict[tuple[str, int], Table]] = {}

    def count(self, time: int) -> int:
        """How many facts had come by a time."""
        return bisect_right(self.history, time, key=_time)

    def table(self, predicate: Predicate, low: int) -> Table:
        """The facts of a predicate from a time point on, and perhaps earlier ones."""
        if self.floor is None or low < self.floor:
            # Who goes back further will go on to do so: take as much again as was asked for.
            last = self.history[-1][0] if self.history else low
            self.floor = low if self.floor is None else max(0, low - (last - low))
            self.tables = _by_predicate(self.history[bisect_left(self.history, self.floor, key=_time) :])
        return self.tables.get((predicate.name, predicate.arity + 1), _NONE)

    def tail(self, size: int, time: int, predicate: Predicate) -> Table:
        """The facts of a predicate among the last so many of the whole stream."""
        tables = self.tails.get((size, time))
        if tables is None:
            count = self.count(time)
            tables = self.tails[size, time] = _by_predicate(self.history[max(0, count - size) : count])
        return tables.get((predicate.name, predicate.arity + 1), _NONE)


_NONE = Table()


def _by_predicate(entries: Sequence[Entry]) -> dict[tuple[str, int], Table]:
    groups: dict[tuple[str, int], list[Entry]] = {}
    for entry in entries:
        atom = entry[1]
        groups.setdefault((atom[0], len(atom)), []).append(entry)
    return {signature: Table(group) for signature, group in groups.items()}
