"""Following what a running ``laser run --follow`` or ``laser eval`` writes: a file that grows, or a folder in which files appear."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, assert_never

from laser.io.formats import format_of
from laser.io.formats.format import Format, LineFormat, Parse
from laser.io.lines import Line
from laser.io.records import Entry, Malformed, ParsedChange, ParsedInterval, ParsedLine
from laser.plot.reading import answer_files
from laser.serve.live import Session
from laser.ticks import Tick

__all__ = ["Follower", "follow"]

PAUSE = 0.3
MOST_BYTES = 1024 * 1024
"""What is read of a file in one go, so that a long one does not stop everything else."""
MOST_TOLD = 2000
"""Rows of one event."""

Answer: TypeAlias = ParsedLine | ParsedChange | ParsedInterval


class Follower:
    """Reads what is new, each time it is asked."""

    def __init__(self, path: Path, tick: Tick) -> None:
        self._path, self._tick = path, tick
        self._done: dict[Path, int] = {}
        self._parsers: dict[Path, Parse] = {}

    def news(self) -> Iterator[Answer]:
        """What was written since the last time."""
        if not self._path.exists():
            return
        for file in answer_files(self._path) if self._path.is_dir() else [self._path]:
            form = format_of(file)
            yield from self._new_lines(file, form) if isinstance(form, LineFormat) else self._new_file(file, form)

    def _new_lines(self, file: Path, form: LineFormat) -> Iterator[Answer]:
        begin = self._done.get(file, 0)
        if file.stat().st_size < begin:  # it was written anew
            begin = 0
            self._parsers.pop(file, None)
        with file.open("rb") as handle:
            handle.seek(begin)
            data = handle.read(MOST_BYTES)
        whole = data[: data.rfind(b"\n") + 1]  # a line that is still being written waits
        self._done[file] = begin + len(whole)
        parse = self._parsers.setdefault(file, form.parser(self._tick, file))
        lines = (Line(0, line) for line in whole.decode("utf-8", "replace").splitlines())
        return _understood(form.read_lines(lines, parse))

    def _new_file(self, file: Path, form: Format) -> Iterator[Answer]:
        """A file that is not read by lines is read once, when it is whole."""
        if file in self._done or not form.is_whole(file):
            return iter(())
        self._done[file] = file.stat().st_size
        return _understood(form.read(file, self._tick, by_folder=True))


def _understood(items: Iterable[Entry | Malformed]) -> Iterator[Answer]:
    """A line that says nothing that we understand is passed over: the writer's output is not ours to refuse."""
    return (item.said for item in items if isinstance(item, Entry))


async def follow(session: Session, path: Path, tick: Tick) -> None:
    """Tell a session what a path says, for ever."""
    follower = Follower(path, tick)
    while True:
        answers = await asyncio.to_thread(lambda: list(follower.news()))
        for body in bodies(answers):
            session.log.add("step", body)
        await asyncio.sleep(PAUSE)


def bodies(answers: list[Answer]) -> Iterator[dict[str, Any]]:
    """Events of what was said: changes, facts, and whole intervals, in pieces of a sensible size."""
    for first in range(0, len(answers), MOST_TOLD):
        body = Body()
        for said in answers[first : first + MOST_TOLD]:
            body.take(said)
        yield asdict(body)


@dataclass
class Body:
    """An event on its way, as the page reads it."""

    now: int = 0
    changes: list[tuple[int, str, bool]] = field(default_factory=list)
    bars: list[tuple[str, int, int]] = field(default_factory=list)
    facts: list[tuple[int, str]] = field(default_factory=list)

    def take(self, said: Answer) -> None:
        match said:
            case ParsedLine(time=last, facts=facts):
                self.facts += [(last, str(fact)) for fact in facts]
            case ParsedChange(time=last, atom=atom, holds=holds):
                self.changes.append((last, str(atom), holds))
            case ParsedInterval(atom=atom, since=since, until=last):
                self.bars.append((str(atom), since, last))
            case _:
                assert_never(said)
        self.now = max(self.now, last)
