"""Bins of time: a second key for joins of intervals.

If a key has many intervals, comparing all pairs takes quadratic time. So both sides are listed once for each bin of time that they
touch, and joined by key *and* bin. Two intervals that overlap share the bin in which the later one begins, and form a pair in
that bin only. A bin is as wide as the average interval of the longer side, so that no side gets more than three times its rows,
whatever the distribution of lengths.
"""

from __future__ import annotations

from collections.abc import Sequence

from laser.sql.scope import Scope
from laser.sql.text import greatest

__all__ = ["binned", "pair_once", "width_of"]


def width_of(sources: Sequence[str], scope: Scope) -> str:
    """The name of a table with one row, the width of the bins for a join of these tables."""
    averages = [f"(select coalesce(avg(h - c), 0) from {source})" for source in dict.fromkeys(sources)]
    return scope.aside(
        f"select cast(floor({greatest(averages)}) as bigint) + 1 as width", "the width of the bins of time"
    )


def binned(source: str, width: str) -> str:
    """The rows of a table, once for each bin that they touch."""
    bins = "unnest(range(r.c // w.width, r.h // w.width + 1))"
    return f"(select r.*, w.width, {bins} as bin from {source} as r, {width} as w)"


def pair_once(aliases: Sequence[str]) -> list[str]:
    """The conditions under which overlapping rows form a pair, only in the bin in which the latest begins."""
    first, *others = aliases
    latest = greatest([f"{alias}.c" for alias in aliases])
    return [*(f"{first}.bin = {other}.bin" for other in others), f"{first}.bin = {latest} // {first}.width"]
