"""Coalesce: intervals of one key that overlap or touch become one."""

from __future__ import annotations

from laser.sql.text import indent, partition

__all__ = ["coalesce"]


LONG = 256
"""From this many ticks on, intervals of equal length are first merged in blocks, because a block usually has several."""


def coalesce(source: str, keys: list[str], ascending: bool = False, reach: int | None = None) -> str:
    """The maximal intervals of each key.

    An interval that begins after all earlier ones have ended begins an island; the island ends with the largest end before the next
    island. With ``ascending``, an interval that begins later never ends earlier, so the previous one has the largest end. If all
    intervals have the same length, those that begin in one block of that length overlap or touch.
    """
    if reach is not None and reach >= LONG:
        source = _by_blocks(source, keys, reach + 1)
    before = f"lag(h) over ({partition(keys)}order by c, h)"
    if not ascending:
        before = f"max(h) over ({partition(keys)}order by c rows between unbounded preceding and 1 preceding)"
    columns = "".join(f"{key}, " for key in keys)
    whole = f"max(h) over ({partition(keys).strip()})"
    seen = f"select {columns}c, {before} as before, {whole} as final\nfrom (\n{indent(source)}\n) as spans"
    begins = f"select * from (\n{indent(seen)}\n) as seen where before is null or c > before + 1"
    end = f"coalesce(lead(before) over ({partition(keys)}order by c), final)"
    return f"select {columns}c, {end} as h\nfrom (\n{indent(begins)}\n) as islands"


def _by_blocks(source: str, keys: list[str], length: int) -> str:
    columns = "".join(f"{key}, " for key in keys)
    united = f"select {columns}min(c) as c, max(h) as h\nfrom (\n{indent(source)}\n) as each_one"
    return f"{united}\ngroup by {columns}c // {length}"
