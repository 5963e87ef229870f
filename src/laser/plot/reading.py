"""Timelines from files: streams, and the output of ``laser eval`` and ``laser run`` in all its forms and formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

from laser.errors import RecordError
from laser.io.formats import format_of
from laser.io.lines import source_name
from laser.io.records import Malformed, ParsedChange, ParsedInterval, ParsedLine
from laser.plot.model import Timeline
from laser.plot.tracks import Lines, Tracks, make_timeline
from laser.ticks import SECOND, Tick

__all__ = ["answer_files", "read", "read_answers"]


def read(
    *paths: str | Path,
    layout: str | None = None,
    tick: str | Tick = SECOND,
    lines: Lines = None,
) -> Timeline:
    """A timeline from files or folders of files: streams, answers of ``laser eval``, output of ``laser run``."""
    tick = Tick.parse(tick)
    given, derived, dates = Tracks(), Tracks(), False
    for path in paths:
        for said in read_answers(path, layout, tick):
            dates = dates or said.iso
            _take(said, given, derived)
    return make_timeline(given, derived, lines, (), tick if dates else None)


def _take(said: ParsedLine | ParsedChange | ParsedInterval, given: Tracks, derived: Tracks) -> None:
    match said:
        case ParsedLine(time=time, facts=facts):
            given.seen(time)
            for fact in facts:
                given.point(time, fact)
        case ParsedChange(time=time, atom=atom, holds=holds):
            derived.change(time, atom, holds)
        case ParsedInterval(atom=atom, since=since, until=until, open=ongoing):
            derived.seen(since)
            derived.span(atom, since, until, ongoing)
        case _:
            assert_never(said)


def read_answers(
    path: str | Path, layout: str | None = None, tick: Tick = SECOND
) -> Iterator[ParsedLine | ParsedChange | ParsedInterval]:
    """The answers of a file, line by line; for a folder, those of its files in order of their names."""
    if Path(path).is_dir():
        for file in answer_files(Path(path)):
            yield from read_answers(file, layout, tick)
        return
    for item in format_of(path, layout).read(path, tick, by_folder=True):
        if isinstance(item, Malformed):
            raise RecordError(item.reason, item.line, source_name(path))
        yield item.said


def answer_files(folder: Path) -> list[Path]:
    """The files of a folder that contain answers; files whose name begins with a dot or an underscore are skipped."""
    files = (file for file in folder.rglob("*") if file.is_file())
    hidden = re.compile(r"(^|/)[._]")
    return sorted(file for file in files if not hidden.search(file.relative_to(folder).as_posix()))
