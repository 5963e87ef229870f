"""Reduces a timeline to what a drawing can show: few rows for many atoms, few bars for many runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from laser.answers import overlapping
from laser.plot.model import Bar, Curve, Group, Row, Timeline

__all__ = ["fold", "reduce"]

Point = tuple[int, int | float]
MOST_CURVES = 8
"""The number of lines in one chart that can still be distinguished."""


def reduce(timeline: Timeline, columns: int, rows: int, facts: int | None = None) -> Timeline:
    """Reduce a timeline to a number of columns, and to a number of rows per predicate (fewer for facts)."""
    width = max(1, timeline.points // max(1, columns))
    groups = tuple(
        _group(group, timeline.start, width, rows if facts is None or not group.given else facts)
        for group in timeline.groups
    )
    return replace(timeline, groups=groups, reduced=timeline.reduced or groups != timeline.groups)


def fold(timeline: Timeline, columns: int, rows: int) -> Timeline:
    """The same for a picture, which cannot be unfolded: facts take few rows, so that the answers stay visible."""
    return reduce(timeline, columns, rows, max(1, rows // 3))


def _group(group: Group, start: int, width: int, most: int) -> Group:
    rows = group.rows
    if len(rows) > most:
        kept, rest = _divide(rows, most - 1)
        rows = (*kept, Row(None, _overlay(row.bars for row in rest), len(rest)))
    curves = group.curves[:MOST_CURVES]
    return replace(
        group,
        rows=tuple(replace(row, bars=_coarse(row.bars, start, width)) for row in rows),
        curves=tuple(replace(curve, points=_thin(curve, start, width)) for curve in curves),
        hidden=group.hidden + len(group.curves) - len(curves),
    )


def _divide(rows: Sequence[Row], most: int) -> tuple[list[Row], list[Row]]:
    """The rows that hold longest, in their original order, and the rest."""
    by_length = sorted(range(len(rows)), key=lambda place: -sum(bar.until - bar.since + 1 for bar in rows[place].bars))
    kept = set(by_length[:most])
    return [rows[i] for i in sorted(kept)], [row for i, row in enumerate(rows) if i not in kept]


def _overlay(many: Iterable[tuple[Bar, ...]]) -> tuple[Bar, ...]:
    """The time points at which at least one of them holds."""
    groups = overlapping(bar for bars in many for bar in bars)
    return tuple(Bar(group[0].since, max(bar.until for bar in group), False, len(group)) for group in groups)


def _coarse(bars: tuple[Bar, ...], start: int, width: int) -> tuple[Bar, ...]:
    """Runs within one column of each other become one bar with the share of time that it holds."""
    if width == 1:
        return bars
    coarse: list[Bar] = []
    for bar in bars:
        last = coarse[-1] if coarse else None
        if last is not None and (bar.since - start) // width <= (last.until - start) // width + 1:
            held = (last.held or last.until - last.since + 1) + bar.until - bar.since + 1
            coarse[-1] = Bar(last.since, bar.until, bar.open, last.runs + bar.runs, held)
        else:
            coarse.append(bar)
    return tuple(coarse)


def _thin(curve: Curve, start: int, width: int) -> tuple[Point, ...]:
    """The first, smallest, largest and last value of each column, which is all that a drawing can show."""
    if width == 1:
        return curve.points
    thinned: list[Point] = []
    for _, group in groupby(curve.points, key=lambda point: (point[0] - start) // width):
        column = list(group)
        low, high = min(column, key=_value), max(column, key=_value)
        thinned += sorted({column[0], low, high, column[-1]})
    return tuple(thinned)


def _value(point: Point) -> int | float:
    return point[1]
