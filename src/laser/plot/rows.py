"""Rows of tables, as ``laser run`` writes them.

An atom is in the columns ``predicate`` and ``args``, or else its predicate is the name of the directory (``answers/alarm/…``), and all
columns but those of time are its arguments, in order. A stream's micro-batches are directories below that (``alarm/batch=7``).
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from laser.errors import FactError
from laser.ticks import Tick, check_time
from laser.values import Atom

__all__ = ["Saying", "Told", "read_row"]

_TIMES = frozenset({"time", "holds", "since", "until", "open", "predicate", "args"})
_BATCH = re.compile(r"(?!predicate=)\w+=.*|rows")


class Told(NamedTuple):
    """That an atom holds at a time point (``until`` None), over a run of them, or that it changes (``holds``)."""

    atom: Atom | None
    time: int
    until: int | None = None
    holds: bool | None = None
    open: bool = False


class Saying(NamedTuple):
    """All that a line or row says, and whether its times were dates."""

    told: tuple[Told, ...]
    iso: bool


def read_row(row: dict[str, Any], path: Path, tick: Tick) -> Saying:
    """What a row says."""
    atom = _atom(row, path)
    if row.get("since") is not None:
        (since, iso), (until, _) = _time(row["since"], tick), _time(row.get("until"), tick)
        return Saying((Told(atom, since, until, open=bool(row.get("open"))),), iso)
    time, iso = _time(row.get("time"), tick)
    return Saying((Told(atom, time, holds=None if row.get("holds") is None else bool(row["holds"])),), iso)


def _atom(row: dict[str, Any], path: Path) -> Atom:
    if row.get("predicate") is not None:
        return Atom(row["predicate"], map(_value, row.get("args") or ()))
    return Atom(predicate_of(path), [_value(value) for column, value in row.items() if column not in _TIMES])


def predicate_of(path: Path) -> str:
    """The predicate that a file is about, by the name of its directory.

    >>> predicate_of(Path("answers/alarm/batch=00000007/part-0.parquet"))
    'alarm'
    """
    named = [part for part in path.parts[:-1] if not _BATCH.fullmatch(part)]
    if not named:
        raise FactError("no column and no directory tells the predicate")
    return named[-1].removeprefix("predicate=")


def _value(value: Any) -> Any:
    """Values of columns that are no terms of the language, as the nearest that are."""
    if isinstance(value, datetime):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def _time(value: Any, tick: Tick) -> tuple[int, bool]:
    if isinstance(value, datetime):
        return tick.from_datetime(value), True
    return (tick.from_text(value), not value.isdigit()) if isinstance(value, str) else (check_time(value), False)
