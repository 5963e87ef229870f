"""Which arguments are measured values, and their curves.

An argument of streamed facts is drawn as a line where it is a number in all of them, takes several values, and has, for the same
other arguments, (nearly) always one value at a time. Of several such arguments it is the last: values come last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from laser.plot.model import Curve, Row
from laser.values import Atom, Predicate, Value, value_order

__all__ = ["make_curves"]

FEWEST_VALUES = 3
ONE_VALUE = 0.9
"""The part of the time points at which there must be one value."""
MOST_CURVES = 1000
POINTS_OF_A_CURVE = 3
"""On average; fewer make no line."""
MOST_LOOKED_AT = 20_000


def make_curves(
    predicate: Predicate, rows: Sequence[Row], given: bool, lines: Mapping[Predicate, int | None] | None
) -> tuple[Curve, ...]:
    """The curves of a predicate, or none where it is drawn as bars."""
    if lines is None:
        position = _choose(predicate, rows) if given else None
    else:
        chosen = lines.get(predicate, -1)
        position = _choose(predicate, rows, asked=True) if chosen is None else chosen
    if position is None or not 0 <= position < predicate.arity or not _numeric(rows, position):
        return ()
    points = _points(rows, position)
    return tuple(Curve(key, tuple(sorted(points[key]))) for key in sorted(points, key=_key_order))


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
        args = list(_args(row))
        value = args[position]
        assert isinstance(value, (int, float))
        curve = points.setdefault((*args[:position], None, *args[position + 1 :]), [])
        # A value that lasts is a level line: its two ends are enough.
        curve += [(time, value) for bar in row.bars for time in sorted({bar.since, bar.until})]
    return points


def _args(row: Row) -> tuple[Value, ...]:
    assert isinstance(row.atom, Atom)
    return row.atom.args


def _key_order(key: tuple[Value | None, ...]) -> tuple[tuple[int, object], ...]:
    return tuple((-1, 0) if value is None else value_order(value) for value in key)
