"""One part of a history: facts in time order become the intervals of one slice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from laser.spark.arrow import Fact, TimePoint, table_of
from laser.spark.job import Job
from laser.spark.part import Part, Shift, make_part
from laser.values import Predicate

__all__ = ["Slice", "answer_slice"]

FULL = 50_000
"""How many intervals of one predicate wait to become a batch."""


@dataclass(frozen=True)
class Slice:
    """The time points [first, last] of a timeline; ``cut_before`` and ``cut_after`` say whether it goes on there."""

    first: int
    last: int
    cut_before: bool = False
    cut_after: bool = False


@dataclass
class Intervals:
    """The intervals of one predicate: those that are open, and those that are done and wait to be written."""

    since: dict[Fact, int] = field(default_factory=dict)
    keys: list[Fact] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def close(self, keys: list[Fact], until: int) -> None:
        self.keys += keys
        self.begins += map(self.since.pop, keys)
        self.ends += [until] * len(keys)


class Collector:
    """Changes in, intervals within a slice out."""

    def __init__(self, job: Job, slice_: Slice) -> None:
        self.job, self.slice = job, slice_
        self.by_predicate: dict[Predicate, Intervals] = {}

    def take(self, shifts: Iterable[Shift]) -> Iterator[pa.RecordBatch]:
        for shift in shifts:
            intervals = self.by_predicate.get(shift.predicate)
            if intervals is None:
                intervals = self.by_predicate.setdefault(shift.predicate, Intervals())
            if shift.ended:
                intervals.close(list(shift.ended), shift.time - 1)
            if shift.begun:
                intervals.since.update(dict.fromkeys(shift.begun, shift.time))
            if len(intervals.keys) >= FULL:
                yield from self.write(shift.predicate)

    def end(self) -> Iterator[pa.RecordBatch]:
        """Close what still holds at the last time point."""
        for predicate, intervals in self.by_predicate.items():
            intervals.close(list(intervals.since), self.slice.last)
            yield from self.write(predicate)

    def write(self, predicate: Predicate) -> Iterator[pa.RecordBatch]:
        done = self.by_predicate[predicate]
        self.by_predicate[predicate] = Intervals(done.since)
        slice_ = self.slice
        since = np.maximum(np.array(done.begins, dtype=np.int64), slice_.first)
        until = np.array(done.ends, dtype=np.int64)
        cut = (slice_.cut_before & (since == slice_.first)) | (slice_.cut_after & (until == slice_.last))
        others: dict[str, Any] = {"since": pa.array(since), "until": pa.array(until), "cut": pa.array(cut)}
        shape = self.job.outputs.shapes[self.job.outputs.tags[predicate]]
        batch = table_of(shape, self.job.outputs, done.keys, others)
        inside = until >= slice_.first  # what ended before was only the way to here
        batch = batch if inside.all() else batch.filter(pa.array(inside))
        if batch.num_rows:
            yield batch


def answer_slice(
    job: Job, bucket: int, start: int, slice_: Slice, points: Iterable[TimePoint]
) -> Iterator[pa.RecordBatch]:
    """The intervals of one bucket in one slice, from its facts and those before that it can see."""
    part: Part = make_part(job, bucket, start)
    collector = Collector(job, slice_)
    for time, facts in points:
        yield from collector.take(part.advance(time, facts))
    yield from collector.take(part.advance(slice_.last, []))
    yield from collector.end()
