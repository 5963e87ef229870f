"""Time windows as SQL: when an atom at u enters, when it is last in, and which counts of time points fill a window.

The definitions are those of ``laser.windows``, in a second language. Time points are not negative, so that SQL's division,
which truncates towards 0, gives the same results.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from laser.sql.refusal import NotLowered
from laser.sql.timeline import Timeline
from laser.windows import (
    Ago,
    Between,
    Growing,
    History,
    Hopping,
    Sliding,
    TimeWindow,
    Tumbling,
    TupleWindow,
)
from laser.zones import Days

__all__ = ["PointWindow", "entry", "exit_", "filled", "time_window"]

PointWindow: TypeAlias = Sliding | Hopping | Tumbling | Growing | Between | Ago | History
"""The windows with entry and exit: all kinds of time windows."""


def time_window(window: TimeWindow | TupleWindow) -> PointWindow:
    """The window, if SQL can compute its time points."""
    match window:
        case Hopping(days=Days()) | Tumbling(days=Days()) | Growing(days=Days()):
            raise NotLowered(f"the window {window}, whose blocks are days of a zone")
        case Sliding() | Hopping() | Tumbling() | Growing() | Between() | Ago() | History():
            return window
        case _:
            raise NotLowered(f"the tuple window {window}")


def entry(window: PointWindow, u: str) -> str:
    """When an atom at u enters; not before u."""
    match window:
        case Sliding() | Growing() | History():
            return u
        case Hopping(step=d):
            return f"(({u} + {d - 1}) // {d} * {d})"
        case Tumbling(step=d):
            return f"(({u} // {d} + 1) * {d})"
        case Between(near=a) | Ago(ticks=a):
            return f"({u} + {a})" if a else u
        case _:
            assert_never(window)


def exit_(window: PointWindow, u: str) -> str | None:
    """When an atom at u is last in; None if it never leaves."""
    match window:
        case History():
            return None
        case Sliding(ticks=n) | Between(far=n) | Ago(ticks=n):
            return f"({u} + {n})" if n else u
        case Hopping(ticks=n, step=d):
            return f"(({u} + {n}) // {d} * {d} + {d - 1})"
        case Tumbling(step=d):
            return f"(({u} // {d} + 2) * {d} - 1)"
        case Growing(step=d):
            return f"(({u} // {d} + 1) * {d} - 1)"
        case _:
            assert_never(window)


def filled(window: PointWindow, source: str, columns: str, timeline: Timeline) -> str:
    """Where counts fill a window: of segments (columns; c, h, k) with k time points each, the parts in which the window has k time points.

    A full window has a fixed size. Before that, a count determines the time points at which the window has this length.
    """
    t0 = timeline.first
    match window:
        case History():
            return _part(source, columns, f"{t0} + k - 1", f"{t0} + k - 1")
        case Growing(step=d):
            blocks = f"(select {columns}c, h, k, unnest(range(c // {d}, h // {d} + 1)) as b from {source}) as blocks"
            point = f"(greatest({t0}, b * {d}) + k - 1)"
            return _part(blocks, columns, point, point, f"{point} < (b + 1) * {d}")
        case Sliding(ticks=n):
            return _full_or(source, columns, n + 1, f"{t0} + k - 1", f"{t0} + k - 1")
        case Between(near=a, far=b):
            return _full_or(source, columns, b - a + 1, f"{t0} + {a} + k - 1", f"{t0} + {a} + k - 1")
        case Ago():
            return _full_or(source, columns, 1, "1", "0")
        case Hopping(ticks=n, step=d):
            last = f"({t0} + k - 1)"
            return _full_or(source, columns, n + 1, last, f"{last} + {d - 1}", f"{last} % {d} = 0")
        case Tumbling(step=d):
            begin = f"({t0} + k)"
            return _full_or(source, columns, d, begin, f"{begin} + {d - 1}", f"{begin} % {d} = 0")
        case _:
            assert_never(window)


def _full_or(source: str, columns: str, full: int, low: str, high: str, where: str = "true") -> str:
    partial = _part(source, columns, low, high, f"k < {full} and {where}")
    return f"select {columns}c, h from {source} where k = {full}\nunion all\n{partial}"


def _part(source: str, columns: str, low: str, high: str, where: str = "true") -> str:
    c, h = f"greatest(c, {low})", f"least(h, {high})"
    return f"select {columns}{c} as c, {h} as h from {source} where k > 0 and {c} <= {h} and {where}"
