"""Following what a running ``laser run --follow`` or ``laser eval`` writes: a file that grows, or a folder in which files appear."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from laser.errors import LaserError
from laser.io.formats import format_of
from laser.plot.reading import Parser, answer_files, parser_of
from laser.plot.rows import Saying
from laser.serve.live import Session
from laser.ticks import Tick

__all__ = ["Follower", "follow"]

PAUSE = 0.3
MOST_BYTES = 1024 * 1024
"""What is read of a file in one go, so that a long one does not stop everything else."""
MOST_TOLD = 2000


class Follower:
    """Reads what is new, each time it is asked."""

    def __init__(self, path: Path, tick: Tick) -> None:
        self._path, self._tick = path, tick
        self._done: dict[Path, int] = {}
        self._parsers: dict[Path, Parser] = {}

    def news(self) -> Iterator[Saying]:
        """What was written since the last time."""
        if not self._path.exists():
            return
        for file in answer_files(self._path) if self._path.is_dir() else [self._path]:
            yield from self._news_of(file)

    def _news_of(self, file: Path) -> Iterator[Saying]:
        if file.suffix == ".parquet":
            yield from self._parquet(file)
            return
        begin = self._done.get(file, 0)
        if file.stat().st_size < begin:  # it was written anew
            begin = 0
            self._parsers.pop(file, None)
        with file.open("rb") as handle:
            handle.seek(begin)
            data = handle.read(MOST_BYTES)
        whole = data[: data.rfind(b"\n") + 1]  # a line that is still being written waits
        self._done[file] = begin + len(whole)
        parse = self._parsers.setdefault(file, parser_of(format_of(file).name, self._tick, file))
        for line in whole.decode("utf-8", "replace").splitlines():
            yield from _try(parse, line)

    def _parquet(self, file: Path) -> Iterator[Saying]:
        """A Parquet file is whole once its last bytes are there."""
        if file in self._done or not _ends_whole(file):
            return
        from laser.plot.parquet import read_parquet

        self._done[file] = file.stat().st_size
        yield from read_parquet(file, self._tick)


def _try(parse: Parser, line: str) -> Iterator[Saying]:
    """A line that says nothing that we understand is passed over: the writer's output is not ours to refuse."""
    try:
        saying = parse(line)
    except (LaserError, ValueError, RecursionError):
        return
    if saying is not None:
        yield saying


def _ends_whole(file: Path) -> bool:
    with file.open("rb") as handle:
        handle.seek(max(0, file.stat().st_size - 4))
        return handle.read() == b"PAR1"


async def follow(session: Session, path: Path, tick: Tick) -> None:
    """Tell a session what a path says, for ever."""
    follower = Follower(path, tick)
    while True:
        sayings = await asyncio.to_thread(lambda: list(follower.news()))
        for body in bodies(sayings):
            session.log.add("step", body)
        await asyncio.sleep(PAUSE)


def bodies(sayings: list[Saying]) -> Iterator[dict[str, Any]]:
    """Events of what was said: changes, facts, and whole intervals, in pieces of a sensible size."""
    told = [told for saying in sayings for told in saying.told]
    for first in range(0, len(told), MOST_TOLD):
        piece = told[first : first + MOST_TOLD]
        yield {
            "now": max(t.time if t.until is None else t.until for t in piece),
            "changes": [(t.time, str(t.atom), t.holds) for t in piece if t.atom and t.holds is not None],
            "bars": [(str(t.atom), t.time, t.until) for t in piece if t.atom and t.until is not None],
            "facts": [(t.time, str(t.atom)) for t in piece if t.atom and t.until is None and t.holds is None],
        }
