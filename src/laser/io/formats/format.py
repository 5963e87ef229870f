"""The interface of a format: it reads streams and answers, and writes answers, line by line or as a whole file.

A line or row says one of three things: what holds at a time point (as in a stream and in a snapshot), that an atom
changes, or that it holds over an interval.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, Protocol, TypeAlias

from laser.errors import LaserError
from laser.io.lines import Line, open_lines
from laser.io.records import Entry, Malformed, ParsedChange, ParsedInterval, ParsedLine, reason_of
from laser.ticks import SECOND, Tick
from laser.values import Atom

__all__ = ["AnswerWriter", "Format", "FormName", "LineFormat", "LineWriter", "Parse", "Times", "read_time"]

FormName: TypeAlias = Literal["changes", "snapshots", "intervals"]
"""The forms of an answer stream."""

Parse: TypeAlias = Callable[[str], ParsedLine | ParsedChange | ParsedInterval | None]
"""What a line says; None if it says nothing (a blank line, a comment, a header)."""


def read_time(text: str, tick: Tick) -> tuple[int, bool]:
    """A time point, and whether it was written as a date."""
    text = text.strip()
    return tick.from_text(text), not text.isdigit()


@dataclass(frozen=True)
class Times:
    """How time points are written: as numbers or as dates."""

    tick: Tick = SECOND
    dates: bool = False

    def __call__(self, time: int) -> int | str:
        return _date(self.tick, time) if self.dates else time


@lru_cache(maxsize=64)
def _date(tick: Tick, time: int) -> str:
    """A date as text. It is cached, because many changes can have the same time point."""
    return tick.to_text(time)


class AnswerWriter(Protocol):
    """Writes answers in one form."""

    def change(self, time: int, atom: Atom, holds: bool) -> None: ...
    def snapshot(self, time: int, atoms: Sequence[Atom]) -> None: ...
    def interval(self, atom: Atom, since: int, until: int, ongoing: bool) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class Format(ABC):
    """A format of files."""

    name: ClassVar[str]
    title: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    spark_name: ClassVar[str | None] = None
    """The name of the format in Spark, if Spark can read and write it."""
    needs: ClassVar[str | None] = None
    """The extra of this package that the format needs, if any."""

    @abstractmethod
    def read(self, path: str | Path, tick: Tick, by_folder: bool = False) -> Iterator[Entry | Malformed]:
        """What a file says; if a row has no predicate, with ``by_folder`` the name of the folder is the predicate."""

    @abstractmethod
    def read_background(self, path: str | Path) -> Iterator[Entry | Malformed]:
        """The facts of a file without times, at time 0."""

    @abstractmethod
    def writer(self, form: FormName, times: Times, out: BinaryIO) -> AnswerWriter:
        """A writer of answers in this form, which has already written the header."""

    def is_whole(self, path: Path) -> bool:
        """Whether the file is complete and can be read."""
        return True

    def missing(self) -> LaserError:
        """The error if the packages that the format needs are not installed."""
        return LaserError(f"{self.title} needs more packages: pip install 'laser-reasoner[{self.needs}]'")


class LineFormat(Format):
    """A format in which every line can be read and written by itself."""

    look: ClassVar[re.Pattern[str]]
    """How a line of a stream begins."""
    headers: ClassVar[Mapping[FormName, str]] = {}
    """The header of the answers in each form, if there is one."""

    @abstractmethod
    def parser(self, tick: Tick, place: Path | None = None) -> Parse:
        """A parser of successive lines; ``place`` is the path of the file if it may show the predicate."""

    @abstractmethod
    def parse_background(self, line: str) -> Sequence[Atom]:
        """The facts of a line without a time."""

    @abstractmethod
    def write_change(self, time: int | str, atom: Atom, holds: bool) -> str: ...

    @abstractmethod
    def write_snapshot(self, time: int | str, atoms: Sequence[Atom]) -> str: ...

    @abstractmethod
    def write_interval(self, atom: Atom, since: int | str, until: int | str, ongoing: bool) -> str: ...

    def gather(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Join lines that are one record."""
        return iter(lines)

    def read(
        self, path: str | Path, tick: Tick, by_folder: bool = False, grows: bool = False
    ) -> Iterator[Entry | Malformed]:
        with open_lines(path, grows) as lines:
            yield from self.read_lines(lines, self.parser(tick, Path(path) if by_folder else None))

    def read_background(self, path: str | Path) -> Iterator[Entry | Malformed]:
        with open_lines(path) as lines:
            yield from self.read_lines(lines, lambda line: ParsedLine(0, tuple(self.parse_background(line))))

    def read_lines(self, lines: Iterable[Line], parse: Parse) -> Iterator[Entry | Malformed]:
        """What lines say, one by one."""
        for number, text, fault in self.gather(lines):
            if fault is not None:
                yield Malformed(number, text, fault)
                continue
            try:
                said = parse(text)
            except (LaserError, ValueError, RecursionError) as error:
                yield Malformed(number, text, reason_of(error))
            else:
                if said is not None:
                    yield Entry(said, number, text)

    def writer(self, form: FormName, times: Times, out: BinaryIO) -> AnswerWriter:
        writer = LineWriter(self, times, out)
        if form in self.headers:
            writer.line(self.headers[form])
        return writer


@dataclass(frozen=True)
class LineWriter:
    """Writes each answer at once."""

    format: LineFormat
    times: Times
    out: BinaryIO

    def line(self, text: str) -> None:
        self.out.write((text + "\n").encode("utf-8", "backslashreplace"))

    def change(self, time: int, atom: Atom, holds: bool) -> None:
        self.line(self.format.write_change(self.times(time), atom, holds))

    def snapshot(self, time: int, atoms: Sequence[Atom]) -> None:
        self.line(self.format.write_snapshot(self.times(time), atoms))

    def interval(self, atom: Atom, since: int, until: int, ongoing: bool) -> None:
        self.line(self.format.write_interval(atom, self.times(since), self.times(until), ongoing))

    def flush(self) -> None:
        self.out.flush()

    def close(self) -> None:
        self.out.flush()
