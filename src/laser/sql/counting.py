"""Counts time points: a sweep over the begins and ends of the time points at which an atom holds, as seen through a window."""

from __future__ import annotations

from laser.sql.relation import Relation
from laser.sql.text import comma, indent, partition
from laser.sql.timeline import Timeline
from laser.sql.windows import PointWindow, filled

__all__ = ["every_point", "many_points", "segments"]


def segments(dated: Relation) -> str:
    """The number of time points: (values; c, h, k), where k is constant from c to h. The relation must be coalesced."""
    assert dated.coalesced, "a time point would count twice"
    keys = dated.columns[:-1]
    columns = comma(keys)
    events = f"select {columns}c as t, 1 as d from {dated.name}\nunion all\nselect {columns}h + 1 as t, -1 as d from {dated.name}"
    summed = f"select {columns}t, sum(d) as d from (\n{indent(events)}\n) as events group by {columns}t"
    over = f"over ({partition(keys)}order by t)"
    return (
        f"select {columns}t as c, lead(t) {over} - 1 as h, cast(sum(d) {over} as bigint) as k\n"
        f"from (\n{indent(summed)}\n) as changes"
    )


def many_points(dated: Relation, times: int) -> str:
    """``⊞ ◇≥n a``: at n time points or more."""
    return f"select {comma(dated.columns[:-1])}c, h from (\n{indent(segments(dated))}\n) as counts where k >= {times}"


def every_point(counts: str, dated: Relation, window: PointWindow, timeline: Timeline) -> str:
    """``⊞ □ a``: at all time points of the window. ``counts`` is the name of a table with the segments of the relation."""
    return filled(window, counts, comma(dated.columns[:-1]), timeline)
