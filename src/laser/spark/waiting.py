"""Facts that wait for the watermark: by time point, and within one in the order of arrival where that matters.

The order of arrival is that of the order column, then that of the inputs, then that of the values. It is decided when a
time point is complete, so inputs, partitions and micro-batches may bring its facts in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from operator import itemgetter
from typing import Any

import pyarrow as pa

from laser.spark.arrow import Fact, divide_by_time, facts_of
from laser.spark.layout import Layout
from laser.spark.lift import SEEN
from laser.windows import Reach

__all__ = ["WaitingFacts", "in_order", "last_of_each_key"]

Rank = tuple[Any, ...]
"""The place of a fact among those of its time point: its order, the place of its input, its cells."""


class WaitingFacts:
    """Facts by the time that they wait for; with ``ordered``, each has its rank."""

    def __init__(self, layout: Layout, ordered: bool) -> None:
        self._layout, self._ordered = layout, ordered
        self._by_time: dict[int, list[Any]] = {}

    def add(self, table: pa.Table) -> None:
        """Runs of one time, as a stream mostly has them, go in as one."""
        for batch in table.to_batches():
            facts: list[Any] = facts_of(batch, self._layout)
            if self._ordered:
                facts = list(zip(ranks_of(batch, self._layout), facts, strict=True))
            for time, run in divide_by_time(batch, facts):
                self._by_time.setdefault(time, []).extend(run)

    def add_keys(self, keys: Iterable[tuple[int, Fact]]) -> None:
        """Keys that were seen before; they come before all facts of their time."""
        for time, fact in keys:
            self._by_time.setdefault(time, []).append(((), fact) if self._ordered else fact)

    @property
    def times(self) -> Set[int]:
        return self._by_time.keys()

    @property
    def count(self) -> int:
        """How many facts wait."""
        return sum(map(len, self._by_time.values()))

    def take(self, time: int) -> list[Fact]:
        """The facts of a time point, in the order in which they count as arrived; they wait no longer."""
        found = self._by_time.pop(time)
        return in_order(found) if self._ordered else found

    def up_to(self, last: int) -> Iterator[tuple[int, list[Fact]]]:
        """The facts of all time points up to the last, which wait no longer."""
        for time in sorted(time for time in self._by_time if time <= last):
            yield time, self.take(time)

    def drop_up_to(self, last: int) -> None:
        """Drop the facts up to a time: what followed from them is known."""
        for time in [time for time in self._by_time if time <= last]:
            del self._by_time[time]

    def forget_before(self, low: int, keep_keys: bool) -> None:
        """Drop the facts before a time; with ``keep_keys``, what they say of keys stays."""
        for time in [time for time in self._by_time if time < low]:
            facts = self._by_time.pop(time)
            if keep_keys:
                self._by_time[time] = [(SEEN, key) for key in {fact[1] for fact in facts}]


def ranks_of(batch: pa.RecordBatch, layout: Layout) -> Iterator[Rank]:
    """The ranks of the rows; those of one input compare cell by cell, as in ``batch.parts_of``."""
    columns = [batch.column(name).to_pylist() for name in ("order", "tag", *layout.slots)]
    return zip(*columns, strict=True)


def in_order(ranked: list[tuple[Rank, Fact]]) -> list[Fact]:
    return [fact for _, fact in sorted(ranked, key=itemgetter(0))]


def last_of_each_key(table: pa.Table, layout: Layout, low: int, reach: Reach, adds_key: bool) -> pa.Table:
    """The facts since ``low``, and of each key the last ones, which are what tuple windows can see.

    With ``adds_key``, the first argument is a key of which the program does not know, and each counts for itself.
    """
    table = table.combine_chunks()
    times = table.column("time").to_pylist()
    batches = table.to_batches()
    facts = [fact for batch in batches for fact in facts_of(batch, layout)]
    ranks = [rank for batch in batches for rank in ranks_of(batch, layout)]
    rows = sorted(range(len(facts)), key=lambda i: (times[i], ranks[i]))
    arrived = {(times[i], facts[i]): i for i in reversed(rows)}  # the same fact again at one time point is one fact
    counts: Counter[Any] = Counter()
    kept = []
    for i in sorted(arrived.values(), key=lambda i: (times[i], ranks[i]), reverse=True):
        groups = list(_groups(facts[i], reach, adds_key))
        counts.update(group for group, _ in groups)
        if times[i] >= low or any(counts[group] <= size for group, size in groups):
            kept.append(i)
    return table.take(pa.array(sorted(kept), pa.int64()))


def _groups(fact: Fact, reach: Reach, adds_key: bool) -> Iterator[tuple[Any, int]]:
    """The facts with which a fact is counted together, each time with how many of them are seen."""
    key, own = (fact[1], (fact[0], *fact[2:])) if adds_key else (None, fact)
    if reach.tuples:
        yield (key, None), reach.tuples
    for window in reach.latest:
        if window.counts(own):
            yield (key, window, window.key_of(own)), window.size
