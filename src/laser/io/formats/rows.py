"""Rows of tables with named columns, as ``laser run`` and Parquet have them.

An atom is in the columns ``predicate`` and ``args``. Otherwise its predicate is the name of the folder (``answers/alarm/…``), and
all columns except those of time are its arguments, in order. The micro-batches of a stream are folders below that (``alarm/batch=7``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from laser.errors import FactError
from laser.io.formats.csv import read_field
from laser.io.formats.format import read_time
from laser.io.records import ParsedChange, ParsedInterval, ParsedLine
from laser.ticks import Tick, check_time
from laser.values import Atom

__all__ = ["atom_of", "read_row"]

_OTHERS = frozenset({"time", "holds", "since", "until", "open", "predicate", "args"})
_BATCH = re.compile(r"(?!predicate=)\w+=.*|rows")


def read_row(row: Mapping[str, Any], tick: Tick, place: Path | None) -> ParsedLine | ParsedChange | ParsedInterval:
    """What a row says; ``place`` is the path of its file if it may show the predicate."""
    if row.get("since") is not None:
        (since, iso), (until, _) = _time(row["since"], tick), _time(row.get("until"), tick)
        return ParsedInterval(atom_of(row, place), since, until, bool(row.get("open")), iso)
    time, iso = _time(row.get("time"), tick)
    if row.get("holds") is not None:
        return ParsedChange(time, atom_of(row, place), bool(row["holds"]), iso)
    empty = "predicate" in row and row["predicate"] is None
    return ParsedLine(time, () if empty else (atom_of(row, place),), iso)


def atom_of(row: Mapping[str, Any], place: Path | None) -> Atom:
    """The atom of a row; texts in ``args`` are written like CSV fields."""
    if row.get("predicate") is not None:
        args = row.get("args")
        if args is not None and not isinstance(args, list):
            raise FactError(f"the column args must have lists, not {args!r}")
        return Atom(row["predicate"], [read_field(arg) if isinstance(arg, str) else _value(arg) for arg in args or ()])
    if place is None:
        raise FactError("the row has no predicate: it needs the columns predicate and args")
    return Atom(predicate_of(place), [_value(value) for column, value in row.items() if column not in _OTHERS])


def predicate_of(place: Path) -> str:
    """The predicate of a file, which is the name of its folder.

    >>> predicate_of(Path("answers/alarm/batch=00000007/part-0.parquet"))
    'alarm'
    """
    named = [part for part in place.parts[:-1] if not _BATCH.fullmatch(part)]
    if not named:
        raise FactError("neither a column nor the folder shows the predicate")
    return named[-1].removeprefix("predicate=")


def _value(value: Any) -> Any:
    """The value of a cell; a date becomes a text. Decimals are not converted through a float, which is not exact for large numbers."""
    return value.isoformat() if isinstance(value, datetime) else value


def _time(value: Any, tick: Tick) -> tuple[int, bool]:
    match value:
        case datetime():
            return tick.from_datetime(value), True
        case str():
            return read_time(value, tick)
        case _:
            return check_time(value), False
