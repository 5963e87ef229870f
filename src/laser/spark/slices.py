"""One part of a history: facts in time order become the intervals of one slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from laser.answers import IntervalBuilder, Runs, Shift
from laser.spark.arrow import Fact, TimePoint, table_of
from laser.spark.job import Job
from laser.spark.part import Part, make_part
from laser.values import Predicate

__all__ = ["Slice", "answer_slice"]

FULL = 50_000
"""The number of intervals of one predicate that make a batch."""


@dataclass(frozen=True)
class Slice:
    """The time points [first, last] of a timeline, with the facts since ``low`` that they need.

    ``cut_before`` and ``cut_after`` say whether the timeline continues there.
    """

    first: int
    last: int
    low: int
    cut_before: bool = False
    cut_after: bool = False


@dataclass
class Waiting:
    """The finished intervals of one predicate that wait to be written, by column."""

    keys: list[Fact] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, runs: Runs[Fact]) -> None:
        self.keys += runs.atoms
        self.begins += runs.since
        self.ends += [runs.until] * len(runs.atoms)


class SliceWriter:
    """Converts changes to intervals within a slice."""

    def __init__(self, job: Job, slice_: Slice) -> None:
        self.job, self.slice = job, slice_
        self.builders: dict[Predicate, tuple[str, IntervalBuilder[Fact]]] = {}
        self.waiting: defaultdict[Predicate, Waiting] = defaultdict(Waiting)

    def take(self, shifts: Iterable[Shift]) -> Iterator[pa.RecordBatch]:
        for shift in shifts:
            if shift.predicate not in self.builders:
                self.builders[shift.predicate] = shift.label, IntervalBuilder()
            label, builder = self.builders[shift.predicate]
            # The engine's label may change when it plans anew, and the beginning of a run is found by its key.
            time, _, _, begun, ended = shift.labelled(label)
            waiting = self.waiting[shift.predicate]
            waiting.add(builder.take(time, begun, ended))
            if len(waiting.keys) >= FULL:
                yield from self.write(shift.predicate)

    def end(self) -> Iterator[pa.RecordBatch]:
        """Close the intervals that still hold at the last time point."""
        for predicate, (_, builder) in self.builders.items():
            self.waiting[predicate].add(builder.finish(self.slice.last))
            yield from self.write(predicate)

    def write(self, predicate: Predicate) -> Iterator[pa.RecordBatch]:
        done = self.waiting.pop(predicate)
        slice_ = self.slice
        since = np.maximum(np.array(done.begins, dtype=np.int64), slice_.first)
        until = np.array(done.ends, dtype=np.int64)
        cut = (slice_.cut_before & (since == slice_.first)) | (slice_.cut_after & (until == slice_.last))
        others: dict[str, Any] = {"since": pa.array(since), "until": pa.array(until), "cut": pa.array(cut)}
        outputs = self.job.outputs
        batch = table_of(outputs.columns_of(predicate), outputs, done.keys, others)
        inside = until >= slice_.first  # earlier intervals belong to the previous slice
        batch = batch if inside.all() else batch.filter(pa.array(inside))
        if batch.num_rows:
            yield batch


def answer_slice(
    job: Job, bucket: int, start: int, slice_: Slice, points: Iterable[TimePoint]
) -> Iterator[pa.RecordBatch]:
    """The intervals of one bucket in one slice, from its facts and the earlier ones that it needs."""
    part: Part = make_part(job, bucket, start)
    writer = SliceWriter(job, slice_)
    for time, facts in points:
        yield from writer.take(part.advance(time, facts))
    yield from writer.take(part.advance(slice_.last, []))
    yield from writer.end()
