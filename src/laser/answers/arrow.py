"""Changes as Arrow columns, so that readers of many rows need not build an object for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from laser.errors import LaserError
from laser.values import Iri, Predicate, write_value
from laser.values.time import Duration, Time

if TYPE_CHECKING:
    import pyarrow as pa

    from laser.answers import Shift

__all__ = ["tables_of"]

EXACT = 2**53
"""Integers up to this limit are exact as doubles."""


def tables_of(shifts: Iterable[Shift]) -> dict[Predicate, pa.Table]:
    """A table of changes for each predicate: the time, whether an atom began to hold, and its arguments."""
    by_predicate: dict[Predicate, list[Shift]] = {}
    for shift in shifts:
        by_predicate.setdefault(shift.predicate, []).append(shift)
    return {predicate: _table(predicate, by_predicate[predicate]) for predicate in sorted(by_predicate)}


def _table(predicate: Predicate, shifts: list[Shift]) -> pa.Table:
    try:
        import pyarrow as pa
    except ImportError:
        raise LaserError("Arrow needs another package: pip install 'laser-reasoner[parquet]'") from None
    parts = [(shift.time, True, shift.begun) for shift in shifts] + [
        (shift.time, False, shift.ended) for shift in shifts
    ]
    keys = list(chain.from_iterable(keys for _, _, keys in parts))
    columns: dict[str, Any] = {
        "time": pa.chunked_array([pa.repeat(pa.scalar(time, pa.int64()), len(keys)) for time, _, keys in parts]),
        "holds": pa.chunked_array([pa.repeat(pa.scalar(holds), len(keys)) for _, holds, keys in parts]),
    }
    _, *arguments = zip(*keys, strict=True)  # the first is the label of each key
    columns |= {f"arg{place}": _column(values) for place, values in enumerate(arguments, 1)}
    return pa.table(columns)


def _column(values: Sequence[Any]) -> pa.Array:
    """A column with the type of its values if they have one type; otherwise with text as in programs."""
    import pyarrow as pa

    kinds = set(map(type, values))
    try:
        if kinds == {str}:
            return pa.array(values, pa.string())
        if kinds == {Iri}:
            return pa.array([f"<{iri[0]}>" for iri in values], pa.string())
        if kinds == {int}:
            return pa.array(values, pa.int64())
        if kinds <= {int, float} and all(type(value) is float or abs(value) <= EXACT for value in values):
            return pa.array(values, pa.float64(), from_pandas=False)
        if kinds == {Time}:
            return pa.array([value.micros for value in values], pa.timestamp("us", tz="UTC"))
        if kinds == {Duration}:
            return pa.array([value.micros for value in values], pa.duration("us"))
    except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
        pass  # more than 64 bits, or a lone surrogate
    return pa.array([write_value(v).encode("utf-8", "backslashreplace").decode() for v in values], pa.string())
