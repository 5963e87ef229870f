"""Timelines of files: streams, and what ``laser eval`` and ``laser run`` wrote, in each of their forms.

The form is seen line by line: a change has ``holds`` (or ``+``/``-``), an interval has ``since`` and ``until``, and everything else
says what holds at a time point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from laser.errors import FactError, LaserError, RecordError
from laser.io.formats import csv, format_of, jsonl, text
from laser.io.lines import Line, open_lines, source_name
from laser.plot.model import Timeline
from laser.plot.rows import Saying, Told, read_row
from laser.plot.tracks import Lines, Tracks, make_timeline
from laser.ticks import Tick
from laser.values import Atom
from laser.values.facts import parse_fact

__all__ = ["Parser", "answer_files", "parser_of", "read", "read_sayings"]

SECOND = Tick()


Parser: TypeAlias = Callable[[str], Saying | None]


def read(
    *paths: str | Path,
    layout: str | None = None,
    tick: str | Tick = SECOND,
    lines: Lines = None,
) -> Timeline:
    """A timeline of files, or of folders of them: streams, answers of ``laser eval``, output of ``laser run``."""
    tick = Tick.parse(tick)
    given, derived, dates = Tracks(), Tracks(), False
    for path in paths:
        for saying in read_sayings(path, layout, tick):
            dates = dates or saying.iso
            for told in saying.told:
                _take(told, given, derived)
    return make_timeline(given, derived, lines, (), tick if dates else None)


def _take(told: Told, given: Tracks, derived: Tracks) -> None:
    tracks = derived if told.holds is not None or told.until is not None else given
    tracks.seen(told.time)
    if told.atom is None:
        return
    if told.holds is not None:
        tracks.change(told.time, told.atom, told.holds)
    elif told.until is not None:
        tracks.span(told.atom, told.time, told.until, told.open)
    else:
        tracks.point(told.time, told.atom)


def read_sayings(path: str | Path, layout: str | None = None, tick: Tick = SECOND) -> Iterator[Saying]:
    """What a file says, line by line; a folder says what its files say, in the order of their names."""
    place = Path(path)
    if place.is_dir():
        for file in answer_files(place):
            yield from read_sayings(file, layout, tick)
    elif place.suffix == ".parquet":
        from laser.plot.parquet import read_parquet

        yield from read_parquet(place, tick)
    else:
        yield from _read_lines(path, layout, tick)


def answer_files(folder: Path) -> list[Path]:
    """The files of a folder that hold answers; names that begin with a dot or an underscore are notes of the writer."""
    files = (file for file in folder.rglob("*") if file.is_file())
    hidden = re.compile(r"(^|/)[._]")
    return sorted(file for file in files if not hidden.search(file.relative_to(folder).as_posix()))


def _read_lines(path: str | Path, layout: str | None, tick: Tick) -> Iterator[Saying]:
    form = format_of(path, layout)
    with open_lines(path) as lines:
        rows: Iterable[Line] = form.gather(lines)
        parse = parser_of(form.name, tick, Path(path))
        for number, row, fault in rows:
            try:
                saying = parse(row) if fault is None else None
            except (LaserError, ValueError, RecursionError) as error:
                fault = str(error)
            if fault is not None:
                raise RecordError(fault, number, source_name(path))
            if saying is not None:
                yield saying


def parser_of(name: str, tick: Tick, path: Path) -> Parser:
    """The parser of lines of a format; the path tells the predicate where lines do not."""
    if name == "csv":
        return _Csv(tick)
    if name == "text":
        return lambda row: _parse_text(row, tick)
    return lambda row: _parse_json(row, tick, path)


def _said(time: int, facts: Iterable[Atom], iso: bool) -> Saying:
    told = tuple(Told(fact, time) for fact in facts)
    return Saying(told or (Told(None, time),), iso)


# -- JSON Lines


def _parse_json(row: str, tick: Tick, path: Path) -> Saying | None:
    if not row.strip():
        return None
    said = json.loads(row)
    if isinstance(said, dict) and "predicate" not in said and "facts" not in said:
        return read_row(said, path, tick)
    if not isinstance(said, dict) or not {"holds", "since"} & said.keys():
        record = jsonl.parse_record(row, tick)
        return None if record is None else _said(*record)
    atom = jsonl.parse_background(json.dumps({key: said[key] for key in ("predicate", "args") if key in said}))[0]
    if "holds" in said:
        time, iso = _time(said.get("time"), tick)
        return Saying((Told(atom, time, holds=_truth(said["holds"])),), iso)
    since, iso = _time(said["since"], tick)
    until, _ = _time(said.get("until"), tick)
    return Saying((Told(atom, since, until, open=_truth(said.get("open", False))),), iso)


def _time(value: Any, tick: Tick) -> tuple[int, bool]:
    text = str(value)
    return tick.from_text(text), not text.strip().isdigit()


def _truth(value: Any) -> bool:
    known = {True: True, False: False, "true": True, "false": False}
    if not isinstance(value, (bool, str)) or value not in known:
        raise FactError(f"{value!r} is neither true nor false")
    return known[value]


# -- text

_CHANGE = re.compile(r"\s*(\S+)\s+([+-])\s+(.+?)\s*")
_INTERVAL = re.compile(r"\s*(.+?)\s+\[(\S+), ([^\s…]+)(…?)\]\s*")


def _parse_text(row: str, tick: Tick) -> Saying | None:
    row = text.strip_comment(row)
    if match := _CHANGE.fullmatch(row):
        time, iso = _time(match[1], tick)
        return Saying((Told(parse_fact(match[3]), time, holds=match[2] == "+"),), iso)
    if match := _INTERVAL.fullmatch(row):
        since, iso = _time(match[2], tick)
        return Saying((Told(parse_fact(match[1]), since, _time(match[3], tick)[0], open=bool(match[4])),), iso)
    record = text.parse_record(row, tick)
    return None if record is None else _said(*record)


# -- CSV


class _Csv:
    """A row of CSV, understood by the header that came before; without one it is a row of a stream."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._form = ""

    def __call__(self, row: str) -> Saying | None:
        for form, header in format_of("x.csv").headers.items():
            if row.strip().lower() == header:
                self._form = form
                return None
        if not row.strip():
            return None
        if self._form == "changes":
            time, holds, atom = self._split(row, 2)
            return Saying((Told(atom, _time(time, self._tick)[0], holds=_truth(holds)),), _time(time, self._tick)[1])
        if self._form == "intervals":
            since, until, ongoing, atom = self._split(row, 3)
            (first, iso), (last, _) = _time(since, self._tick), _time(until, self._tick)
            return Saying((Told(atom, first, last, open=_truth(ongoing)),), iso)
        record = csv.parse_record(row, self._tick)
        return None if record is None else _said(*record)

    @staticmethod
    def _split(row: str, before: int) -> tuple[Any, ...]:
        """The fields before the atom, which have no quotes, and the atom."""
        *fields, rest = row.split(",", before)
        if len(fields) < before:
            raise FactError("the row ends before its atom")
        atoms = csv.parse_background(rest)
        if not atoms:
            raise FactError("the row has no atom")
        return (*fields, atoms[0])
