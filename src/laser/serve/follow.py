"""Follows the output of a running ``laser run --follow`` or ``laser eval``: a file that grows, or a folder with new files."""

from __future__ import annotations

import asyncio
import logging
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

log = logging.getLogger("laser")

PAUSE = 0.3
MOST_BYTES = 1024 * 1024
"""The most bytes that are read from a file at a time, so that a long file does not block everything else."""
MOST_TROUBLES = 1000
"""The most files whose problems are reported; each is reported once."""
MOST_TOLD = 2000
"""The most rows of one event."""

Answer: TypeAlias = ParsedLine | ParsedChange | ParsedInterval


class Follower:
    """Reads what is new, each time it is called."""

    def __init__(self, path: Path, tick: Tick) -> None:
        self._path, self._tick = path, tick
        self._done: dict[Path, int] = {}
        self._parsers: dict[Path, Parse] = {}
        self._skipping: set[Path] = set()
        self._troubles: list[str] = []
        self._troubled: set[str] = set()

    def news(self) -> Iterator[Answer]:
        """The answers that were written since the last call. A file that cannot be read does not block the others."""
        try:
            files = answer_files(self._path) if self._path.is_dir() else [self._path] if self._path.exists() else []
        except OSError as error:
            return self._tell(self._path, error)
        for file in files:
            try:
                form = format_of(file)
                yield from self._new_lines(file, form) if isinstance(form, LineFormat) else self._new_file(file, form)
            except Exception as error:
                self._tell(file, error)

    def troubles(self) -> list[str]:
        """The problems with reading files since the last call, each reported once."""
        told, self._troubles = self._troubles, []
        return told

    def _tell(self, file: Path, reason: object) -> None:
        message = f"{file.name} cannot be followed: {str(reason) or type(reason).__name__}"
        if message not in self._troubled and len(self._troubled) < MOST_TROUBLES:
            self._troubled.add(message)
            self._troubles.append(message)

    def _new_lines(self, file: Path, form: LineFormat) -> Iterator[Answer]:
        begin = self._done.get(file, 0)
        if file.stat().st_size < begin:  # it was written again from the start
            begin = 0
            self._parsers.pop(file, None)
            self._skipping.discard(file)
        with file.open("rb") as handle:
            handle.seek(begin)
            data = handle.read(MOST_BYTES)
        whole = data[: data.rfind(b"\n") + 1]  # an incomplete line waits
        if len(data) == MOST_BYTES and not whole:
            self._tell(file, f"a line is longer than {MOST_BYTES:,} bytes and is skipped")
            self._skipping.add(file)
        skipped = file in self._skipping
        self._done[file] = begin + (len(whole) or len(data) if skipped else len(whole))
        if skipped and whole:  # the end of the long line
            self._skipping.remove(file)
            whole = whole[whole.index(b"\n") + 1 :]
        parse = self._parsers.setdefault(file, form.parser(self._tick, file))
        lines = (Line(0, line) for line in whole.decode("utf-8", "replace").splitlines())
        return _understood(form.read_lines(lines, parse))

    def _new_file(self, file: Path, form: Format) -> Iterator[Answer]:
        """A file that is not read line by line is read once, when it is complete."""
        if file in self._done or not form.is_whole(file):
            return iter(())
        self._done[file] = file.stat().st_size
        return _understood(form.read(file, self._tick, by_folder=True))


def _understood(items: Iterable[Entry | Malformed]) -> Iterator[Answer]:
    """The answers among the lines. Lines that are not answers are skipped, because the output belongs to another program."""
    return (item.said for item in items if isinstance(item, Entry))


async def follow(session: Session, path: Path, tick: Tick) -> None:
    """Add everything that appears at a path to a session, until cancelled."""
    follower = Follower(path, tick)
    while True:
        answers = await asyncio.to_thread(lambda: list(follower.news()))
        for body in bodies(answers):
            session.log.add("step", body)
        for message in follower.troubles():
            log.warning("%s", message)
            session.log.add("trouble", {"message": message})
        await asyncio.sleep(PAUSE)


def bodies(answers: list[Answer]) -> Iterator[dict[str, Any]]:
    """Events from answers: changes, facts, and whole intervals, in pieces of a suitable size."""
    for first in range(0, len(answers), MOST_TOLD):
        body = Body()
        for said in answers[first : first + MOST_TOLD]:
            body.take(said)
        yield asdict(body)


@dataclass
class Body:
    """An event under construction, in the form that the page reads."""

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
