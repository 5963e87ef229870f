"""Converts between Arrow and facts: batches become lists of flat tuples, answers become batches.

This is the inner loop of the pipeline, so whole columns are converted at once, and texts through their distinct values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import pyarrow as pa

from laser.errors import LaserError
from laser.spark.columns import conversion
from laser.spark.layout import Layout, PredicateColumns

__all__ = [
    "ARROW_TYPES",
    "SELECTED",
    "Fact",
    "TimePoint",
    "divide_by_time",
    "facts_of",
    "selected_rows",
    "table_of",
    "time_points",
]

Fact = tuple[Any, ...]
TimePoint = tuple[int, list[Fact]]

SELECTED = "selected"
"""The column that says whether a fact can matter, if the job does not need all."""

ARROW_TYPES = {"long": pa.int64(), "double": pa.float64(), "string": pa.string()}


def selected_rows(table: pa.Table) -> pa.Table:
    """The facts that can matter, without the mark; all facts, if they have none."""
    if SELECTED not in table.column_names:
        return table
    return table.filter(table.column(SELECTED)).drop_columns([SELECTED])


def facts_of(batch: pa.RecordBatch, layout: Layout) -> list[Fact]:
    """The facts of a batch, row by row."""
    if len(layout.predicates) == 1:
        return _facts(batch, layout.predicates[0])
    tags = batch.column("tag").to_numpy()
    parts: dict[int, Iterator[Fact]] = {}
    for tag in np.unique(tags).tolist():
        rows = batch.filter(pa.array(tags == tag))
        parts[tag] = iter(_facts(rows, layout.predicates[tag]))
    return list(map(next, map(parts.__getitem__, tags.tolist())))


def _facts(batch: pa.RecordBatch, of: PredicateColumns) -> list[Fact]:
    columns = [_values(batch.column(slot), kind) for slot, kind in zip(of.slots, of.kinds, strict=True)]
    return list(zip(repeat(of.predicate.name, batch.num_rows), *columns, strict=False))


def _values(column: pa.Array, kind: str) -> list[Any]:
    """A column as values of the language."""
    by = conversion(kind)
    if by.carrier != "string":
        return by.values(column.to_numpy(zero_copy_only=False).tolist())
    encoded = column.dictionary_encode()
    words = by.values(encoded.dictionary.to_pylist())
    return list(map(words.__getitem__, encoded.indices.to_numpy(zero_copy_only=False).tolist()))


def time_points(batches: Iterable[pa.RecordBatch], layout: Layout) -> Iterator[TimePoint]:
    """Rows sorted by time as one list of facts per time point, even if a time point spans batches."""
    waiting: TimePoint | None = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        for time, facts in divide_by_time(batch, facts_of(batch, layout)):
            if waiting is None:
                waiting = (time, facts)
            elif waiting[0] == time:
                waiting[1].extend(facts)
            else:
                yield waiting
                waiting = (time, facts)
    if waiting is not None:
        yield waiting


def divide_by_time(batch: pa.RecordBatch, facts: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """The facts of a batch, with what belongs to each, divided where the time changes."""
    times = batch.column("time").to_numpy()
    starts = [0, *(np.flatnonzero(np.diff(times)) + 1).tolist()]
    ends = [*starts[1:], len(times)]
    for time, start, end in zip(times[starts].tolist(), starts, ends, strict=True):
        yield time, facts[start:end]


def table_of(of: PredicateColumns, layout: Layout, keys: Sequence[Fact], others: dict[str, pa.Array]) -> pa.RecordBatch:
    """Answers of one predicate as a batch of the shared table; ``others`` has its columns besides the slots."""
    columns = dict(zip(of.slots, range(1, len(of.slots) + 1), strict=True))
    arrays: dict[str, pa.Array] = {}
    for slot in layout.slots:
        kind = ARROW_TYPES[slot.rstrip("0123456789")]
        if slot in columns:
            i = columns[slot]
            arrays[slot] = _column(of, i - 1, [key[i] for key in keys], kind)
        else:
            arrays[slot] = pa.nulls(len(keys), kind)
    tag = pa.array(np.full(len(keys), layout.tags[of.predicate], dtype=np.int32))
    named = {"tag": tag, **arrays, **others}
    return pa.RecordBatch.from_arrays(list(named.values()), list(named))


def _column(of: PredicateColumns, i: int, values: list[Any], kind: Any) -> pa.Array:
    by = conversion(of.kinds[i])
    try:
        return pa.array(by.cells(values), kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, AttributeError, ValueError) as error:
        raise LaserError(f"column {of.names[i]} of {of.predicate} is {of.kinds[i]}: {error}") from None
