"""Tables of atoms with time points, searched by predicate, bound arguments and time; indexes are built on first use."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from laser.answers import Interval
from laser.values import Atom, Predicate
from laser.windows import LastOf

__all__ = ["Facts", "Positions", "Table", "TimedAtom", "all_positions", "by_predicate", "given_values"]

TimedAtom: TypeAlias = tuple[int, Atom]
"""A time point, and an atom that holds there."""

Positions: TypeAlias = tuple[int, ...]
"""The positions in an atom (from 1) whose values are given. A single value is given as it is, several as a tuple."""

_time = itemgetter(0)


def all_positions(atom: Atom) -> Positions:
    """The positions of all arguments of an atom."""
    return tuple(range(1, len(atom)))


def given_values(values: Sequence[Any]) -> Any:
    """Values in the form that tables expect."""
    return values[0] if len(values) == 1 else tuple(values)


class Table:
    """Timed atoms in the order in which they were added; ``ordered`` if that is the order of time."""

    def __init__(self, entries: Iterable[TimedAtom] = (), ordered: bool = True) -> None:
        self.entries = list(entries)
        self.ordered = ordered
        self.indexes: dict[Positions, dict[Any, list[TimedAtom]]] = {}

    def add(self, entry: TimedAtom) -> None:
        self.entries.append(entry)
        for positions, index in self.indexes.items():
            index.setdefault(itemgetter(*positions)(entry[1]), []).append(entry)

    def find(self, positions: Positions, values: Any, low: int, high: int) -> Sequence[TimedAtom]:
        """The entries in [low, high] with these values, the latest first."""
        entries = self._bucket(positions, values) if positions else self.entries
        if not self.ordered:
            return [entry for entry in entries if low <= entry[0] <= high]
        first, last = bisect_left(entries, low, key=_time), bisect_right(entries, high, key=_time)
        return entries[first:last][::-1]

    def times_of(self, atom: Atom, low: int, high: int) -> set[int]:
        """The time points of [low, high] at which an atom holds."""
        return {time for time, _ in self.find(all_positions(atom), given_values(atom[1:]), low, high)}

    def _bucket(self, positions: Positions, values: Any) -> list[TimedAtom]:
        index = self.indexes.get(positions)
        if index is None:
            index = self.indexes[positions] = {}
            values_of = itemgetter(*positions)
            for entry in self.entries:
                index.setdefault(values_of(entry[1]), []).append(entry)
        return index.get(values, [])


class Facts:
    """The data stream up to a time, and what was recorded. Facts that are older than any question are not read."""

    def __init__(self, history: Sequence[TimedAtom], records: Iterable[Interval] = ()) -> None:
        self.history = history
        self.records: dict[Predicate, list[Interval]] = {}
        for interval in records:
            self.records.setdefault(interval.atom.signature, []).append(interval)
        self.floor: int | None = None
        self.tables: dict[Predicate, Table] = {}
        self.tails: dict[tuple[int, int], dict[Predicate, Table]] = {}
        self.parts: dict[LastOf, dict[tuple[Any, ...], list[TimedAtom]]] = {}
        self.latest_at: dict[tuple[LastOf, int], Table] = {}

    def recorded(self, predicate: Predicate, positions: Positions, values: Any, low: int, high: int) -> list[TimedAtom]:
        """The time points of [low, high] at which atoms with these values were recorded, the latest first."""
        found: list[TimedAtom] = []
        for atom, since, until in self.records.get(predicate, ()):
            if not positions or itemgetter(*positions)(atom) == values:
                found += ((time, atom) for time in range(max(low, since), min(high, until) + 1))
        return sorted(found, key=_time, reverse=True)

    def spell(self, time: int, atom: Atom) -> Interval | None:
        """The interval for which an atom was recorded at a time, if it was."""
        several = self.records.get(atom.signature, ())
        return next((i for i in several if i.atom == atom and i.since <= time <= i.until), None)

    def count(self, time: int) -> int:
        """The number of facts that had arrived by a time."""
        return bisect_right(self.history, time, key=_time)

    def last(self, size: int, time: int) -> Sequence[TimedAtom]:
        """The last ``size`` facts that had arrived by a time."""
        count = self.count(time)
        return self.history[max(0, count - size) : count]

    def table(self, predicate: Predicate, low: int) -> Table:
        """The facts of a predicate from a time point on, and perhaps earlier ones."""
        if self.floor is None or low < self.floor:
            # A search that goes back further will probably continue, so extend the table by twice the distance.
            last = self.history[-1][0] if self.history else low
            self.floor = low if self.floor is None else max(0, low - (last - low))
            self.tables = by_predicate(self.history[bisect_left(self.history, self.floor, key=_time) :])
        return self.tables.get(predicate, _NONE)

    def tail(self, size: int, time: int, predicate: Predicate) -> Table:
        """The facts of a predicate among the last ``size`` facts of the whole stream."""
        tables = self.tails.get((size, time))
        if tables is None:
            tables = self.tails[size, time] = by_predicate(self.last(size, time))
        return tables.get(predicate, _NONE)

    def part(self, window: LastOf, key: tuple[Any, ...], time: int) -> Sequence[TimedAtom]:
        """The facts that a window counts for a key and that had arrived by a time."""
        entries = self._parts(window).get(key, [])
        return entries[: bisect_right(entries, time, key=_time)]

    def latest(self, window: LastOf, time: int) -> Table:
        """The facts of all keys in a window at a time."""
        table = self.latest_at.get((window, time))
        if table is None:
            parts = (self.part(window, key, time)[-window.size :] for key in self._parts(window))
            entries = sorted((entry for part in parts for entry in part), key=_time)
            table = self.latest_at[window, time] = Table(entries)
        return table

    def _parts(self, window: LastOf) -> dict[tuple[Any, ...], list[TimedAtom]]:
        if window not in self.parts:
            parts = self.parts[window] = {}
            for entry in self.history:
                if window.counts(entry[1]):
                    parts.setdefault(window.key_of(entry[1]), []).append(entry)
        return self.parts[window]


_NONE = Table()


def by_predicate(entries: Iterable[TimedAtom]) -> dict[Predicate, Table]:
    """A table for each predicate."""
    groups: dict[tuple[str, int], list[TimedAtom]] = {}
    for entry in entries:
        atom = entry[1]
        groups.setdefault((atom[0], len(atom) - 1), []).append(
            entry
        )  # equal to a predicate, without building one per fact
    return {Predicate(*signature): Table(group) for signature, group in groups.items()}
