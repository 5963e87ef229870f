"""Streamed facts, time points and background data as relations.

The facts of a predicate are a table ``(a1, …, ak, u)``, where u is the time point, within the timeline. A fact may occur twice.
"""

from __future__ import annotations

from laser.sql.coalesce import coalesce
from laser.sql.text import comma, least, partition, where
from laser.sql.timeline import Timeline
from laser.sql.windows import PointWindow, entry, exit_
from laser.windows import Sliding

__all__ = ["dated", "points", "recent", "spans", "unbroken"]


def spans(window: PointWindow, u: str, timeline: Timeline) -> tuple[str, str]:
    """From when to when an atom at u is in a window; if it never leaves, until the end of the timeline."""
    last = exit_(window, u)
    if last == u:
        return entry(window, u), u
    return entry(window, u), timeline.last if last is None else least([last, timeline.last])


def _some(window: PointWindow, c: str, h: str) -> list[str]:
    """The condition that an interval is not empty; only a window with a delay needs it."""
    return [f"{c} <= {h}"] if window.is_delayed else []


def recent(facts: str, columns: list[str], window: PointWindow, timeline: Timeline, merged: bool) -> str:
    """``⊞w ◇ a``: each fact from when it enters until it leaves."""
    c, h = spans(window, "u", timeline)
    sql = f"select {comma(columns)}{c} as c, {h} as h\nfrom {facts}{where(_some(window, c, h))}"
    return coalesce(sql, columns, ascending=True) if merged else sql


def dated(facts: str, columns: list[str], window: PointWindow, timeline: Timeline, merged: bool) -> str:
    """``⊞w @T a``: the same, with the time."""
    c, h = spans(window, "u", timeline)
    time = f"a{len(columns) + 1}"
    once = "distinct " if merged else ""
    return f"select {once}{comma(columns)}u as {time}, {c} as c, {h} as h\nfrom {facts}{where(_some(window, c, h))}"


def unbroken(facts: str, columns: list[str], window: Sliding, timeline: Timeline) -> str:
    """``⊞n □ a``: of each run of consecutive time points, all except the first n; all of it if the timeline begins with it."""
    run = f"u - dense_rank() over ({partition(columns)}order by u)"  # the same for consecutive time points
    known = f"select {comma(columns)}u, {run} as run from {facts}"
    runs = f"select {comma(columns)}min(u) as c, max(u) as h from ({known}) as known group by {comma(columns)}run"
    begin = f"case when c = {timeline.first} then c else c + {window.ticks} end"
    return f"select * from (select {comma(columns)}{begin} as c, h from ({runs}) as runs) as lasting where c <= h"


def points(window: PointWindow, timeline: Timeline) -> str:
    """The time points of a window."""
    c, h = spans(window, "a1", timeline)
    calendar = f"(select unnest(range({timeline.first}, {timeline.last} + 1)) as a1) as calendar"
    return f"select a1, {c} as c, {h} as h\nfrom {calendar}{where(_some(window, c, h))}"
