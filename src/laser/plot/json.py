"""A timeline as JSON, for pages that draw it themselves."""

from __future__ import annotations

from typing import Any

from laser.plot.model import Bar, Curve, Group, Timeline
from laser.zones import zone_name

__all__ = ["to_json"]


def to_json(timeline: Timeline) -> dict[str, Any]:
    """Groups, rows and bars; atoms as text, bars as ``[since, until, open, runs, share]``."""
    return {
        "start": timeline.start,
        "end": timeline.end,
        "tick": float(timeline.tick.seconds) if timeline.tick else None,
        "zone": None if timeline.tick is None else zone_name(timeline.tick.zone),
        "reduced": timeline.reduced,
        "groups": [_group(group) for group in timeline.groups],
    }


def _group(group: Group) -> dict[str, Any]:
    rows = [
        {
            "atom": None if row.atom is None else str(row.atom),
            "label": row.label,
            "bars": [_bar(bar) for bar in row.bars],
        }
        for row in group.rows
    ]
    curves = [_curve(curve, group.predicate.name) for curve in group.curves]
    return {
        "name": group.predicate.name, "title": group.title, "arity": group.predicate.arity, "given": group.given,
        "rows": rows, "curves": curves, "hidden": group.hidden,
    }  # fmt: skip


def _bar(bar: Bar) -> list[Any]:
    return [bar.since, bar.until, bar.open, bar.runs, round(bar.share, 3)]


def _curve(curve: Curve, name: str) -> dict[str, Any]:
    points = [[time, value, str(curve.atom(name, value))] for time, value in curve.points]
    return {"label": curve.label, "points": points, "begins": sorted(curve.begins)}
