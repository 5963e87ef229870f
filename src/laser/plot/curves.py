"""Finds the arguments that are measured values, and their curves.

An argument of streamed facts is drawn as a line if it is always a number, has several values, and, for fixed other arguments, has
(nearly) always one value at a time. If several arguments qualify, the last is chosen, because values usually come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, pairwise

from laser.plot.model import Curve, Row
from laser.values import Atom, Predicate, Value, value_order

__all__ = ["make_curves"]

FEWEST_VALUES = 3
ONE_VALUE = 0.9
"""The share of time points that must have a single value."""
MOST_CURVES = 1000
POINTS_OF_A_CURVE = 3
"""The average number of points of a curve; with fewer, no line is drawn."""
OUTAGE = 3
"""A silence longer than this many usual distances between readings interrupts the line."""
MOST_LOOKED_AT = 20_000


def make_curves(
    predicate: Predicate, rows: Sequence[Row], given: bool, lines: Mapping[Predicate, int | None] | None
) -> tuple[Curve, ...]:
    """The curves of a predicate; empty if it is drawn as bars."""
    if lines is None:
        position = _choose(predicate, rows) if given else None
    else:
        chosen = lines.get(predicate, -1)
        position = _choose(predicate, rows, asked=True) if chosen is None else chosen
    if position is None or not 0 <= position < predicate.arity or not _numeric(rows, position):
        return ()
    points, spans = _points(rows, position), _spans(rows, position)
    return tuple(
        Curve(key, tuple(sorted(points[key])), _begins(sorted(spans[key]))) for key in sorted(points, key=_key_order)
    )


def _choose(predicate: Predicate, rows: Sequence[Row], asked: bool = False) -> int | None:
    looked_at = rows[:MOST_LOOKED_AT]
    for position in reversed(range(predicate.arity)):
        if _numeric(looked_at, position) and (asked or _measured(looked_at, position)):
            return position
    return None


def _numeric(rows: Sequence[Row], position: int) -> bool:
    return all(isinstance(_args(row)[position], (int, float)) for row in rows)


def _measured(rows: Sequence[Row], position: int) -> bool:
    values = {_args(row)[position] for row in islice(rows, 1000)}
    if len(values) < FEWEST_VALUES:
        return False
    points = _points(rows, position)
    times = sum(len({time for time, _ in curve}) for curve in points.values())
    enough = len(points) <= MOST_CURVES and times >= POINTS_OF_A_CURVE * len(points)
    return enough and times >= ONE_VALUE * sum(map(len, points.values()))


def _points(rows: Sequence[Row], position: int) -> dict[tuple[Value | None, ...], list[tuple[int, int | float]]]:
    points: dict[tuple[Value | None, ...], list[tuple[int, int | float]]] = {}
    for row in rows:
        value = _args(row)[position]
        assert isinstance(value, (int, float))
        curve = points.setdefault(_key(row, position), [])
        # A value that lasts is a level line, so its two ends are enough.
        curve += [(time, value) for bar in row.bars for time in sorted({bar.since, bar.until})]
    return points


def _spans(rows: Sequence[Row], position: int) -> dict[tuple[Value | None, ...], list[tuple[int, int]]]:
    """The intervals with readings, by curve."""
    spans: dict[tuple[Value | None, ...], list[tuple[int, int]]] = {}
    for row in rows:
        spans.setdefault(_key(row, position), []).extend(bar[:2] for bar in row.bars)
    return spans


def _begins(spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The time points where readings resume after an outage. Three quarters of the distances count as usual.

    >>> sorted(_begins([(1, 4), (5, 5), (6, 6), (20, 21), (22, 22)]))
    [20]
    """
    silences = [(after[0] - before[1], after[0]) for before, after in pairwise(spans) if after[0] > before[1]]
    inside = sum(until - since for since, until in spans)  # a reading at every time point of a run
    distances = sorted(distance for distance, _ in silences)
    usual = (len(distances) + inside - 1) * 3 // 4 - inside
    longest = OUTAGE * (distances[usual] if distances and usual >= 0 else 1)
    return frozenset(time for distance, time in silences if distance > longest)


def _key(row: Row, position: int) -> tuple[Value | None, ...]:
    args = _args(row)
    return (*args[:position], None, *args[position + 1 :])


def _args(row: Row) -> tuple[Value, ...]:
    assert isinstance(row.atom, Atom)
    return row.atom.args


def _key_order(key: tuple[Value | None, ...]) -> tuple[tuple[int, object], ...]:
    return tuple((-1, 0) if value is None else value_order(value) for value in key)
