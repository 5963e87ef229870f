"""A sweep over begins and ends: finds where intervals of several relations with one key hold together, and those of others do not.

It needs neither bins nor gaps: all begins and ends of a key in order, a running sum, and the next row.
"""

from __future__ import annotations

from collections.abc import Sequence

from laser.sql.text import comma, indent, partition

__all__ = ["ENDS", "sweep"]

ENDS = "unnest([1, -1]) as e(d)"
"""Doubles each row, for its begin and its end. Spark would join a table of two rows in jobs of its own."""


def sweep(positives: Sequence[str], negatives: Sequence[str], keys: Sequence[str]) -> str:
    """The maximal intervals in which all of the positive queries have a key, and none of the negative ones.

    Each query gives (keys; c, h), and its intervals of a key neither overlap nor touch. The sum of the weights equals the number of
    positives if and only if all of them hold, and no negative. Of begins and ends at one time, only the last has a later time as its next.
    """
    total = len(positives)
    weighted = [(query, 1) for query in positives] + [(query, -1 - total) for query in negatives]
    events = "\nunion all\n".join(_events(query, weight, keys) for query, weight in weighted)
    over = f"over ({partition(keys)}order by t)"
    sums = f"select {comma(keys)}t, sum(d) {over} as held, lead(t) {over} as following\nfrom (\n{indent(events)}\n) as events"
    return f"select {comma(keys)}t as c, following - 1 as h\nfrom (\n{indent(sums)}\n) as sums where held = {total} and following > t"


def _events(query: str, weight: int, keys: Sequence[str]) -> str:
    """A row for the begin and one for the end of each interval; a relation is read once for both."""
    time = "case when e.d > 0 then r.c else r.h + 1 end"
    kept = comma(f"r.{key}" for key in keys)
    return f"select {kept}{time} as t, e.d * {weight} as d\nfrom (\n{indent(query)}\n) as r, {ENDS}"
