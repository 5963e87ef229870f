"""Small pieces of SQL text that every operation needs. The text is in DuckDB's dialect; ``dialects`` translates it for Spark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["comma", "greatest", "indent", "least", "name", "names", "partition", "where"]


def name(text: str) -> str:
    """A quoted identifier.

    >>> print(name('a"b'))
    "a""b"
    """
    return '"' + text.replace('"', '""') + '"'


def names(count: int) -> list[str]:
    """The columns of a node with this many values."""
    return [f"a{i}" for i in range(1, count + 1)]


def comma(parts: Iterable[str]) -> str:
    """Parts, each followed by a comma, because something always follows."""
    return "".join(f"{part}, " for part in parts)


def where(conditions: Iterable[str]) -> str:
    """A where clause, each condition once; empty if there are none."""
    parts = list(dict.fromkeys(conditions))
    return "\nwhere " + "\n  and ".join(parts) if parts else ""


def greatest(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"greatest({', '.join(parts)})"


def least(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"least({', '.join(parts)})"


def partition(keys: Sequence[str]) -> str:
    """The partition of a window function; empty without keys."""
    return f"partition by {', '.join(keys)} " if keys else ""


def indent(sql: str) -> str:
    return "\n".join(f"  {line}" for line in sql.splitlines())
