"""``laser eval`` by SQL: the intervals of a complete file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from laser.answers import Interval
from laser.checks.accept import accept
from laser.cli import messages
from laser.io import Record, Rejects, format_of
from laser.phrases import count
from laser.sql.tables import Extent
from laser.sql.ways import tell
from laser.syntax.program import Program
from laser.values import Predicate

if TYPE_CHECKING:
    from laser.cli.eval import EvalOptions
    from laser.sql.duck import Duck

__all__ = ["Answer", "answer"]

SMALL = 200_000
"""The size of a Parquet file, in bytes, up to which the reasoner is faster than DuckDB's planning."""


class Answer(NamedTuple):
    """The intervals in order, the last time point, the number of facts, and whether the run has dates."""

    intervals: list[Interval]
    first: int
    last: int
    facts: int
    dates: bool
    reports: tuple[str, ...]
    """Reports of undefined operations."""
    ways: Mapping[Predicate, str | None]

    def summary(self, rejected: int) -> str:
        """A summary of the run in one line."""
        points = max(0, self.last - self.first + 1)
        return (
            f"{count(self.facts, 'fact')}, {count(points, 'time point')}, {count(len(self.intervals), 'interval')}, "
            f"{rejected:,} rejected, {count(len(self.reports), 'report')}, by {tell(self.ways)}"
        )


def answer(wanted: EvalOptions, program: Program, rejects: Rejects | None) -> Answer | None:
    """The answer by SQL, or None if the reasoner must answer. With ``--engine sql`` it is never None."""
    from laser.sql.refusal import NotLowered

    if not _suits(wanted, program):
        return None
    try:
        return _answered(wanted, program, rejects)
    except NotLowered as refusal:
        if wanted.engine == "sql":
            raise
        if wanted.summarises:
            messages.say(f"the reasoner evaluates this program, not SQL: {refusal}")
        return None


def _suits(wanted: EvalOptions, program: Program) -> bool:
    whole = wanted.form == "intervals" and not wanted.follows and not wanted.takes_any_order
    if wanted.engine == "sql":
        if not whole:
            raise click.UsageError("--engine sql needs --as intervals and a complete file")
        return True
    return whole and wanted.engine == "auto" and _is_large_table(wanted, program)


def _is_large_table(wanted: EvalOptions, program: Program) -> bool:
    """Whether DuckDB is installed, can read the file itself, and is worth using."""
    if not _is_parquet(wanted, program) or Path(str(wanted.stream)).stat().st_size <= SMALL:
        return False
    try:
        import duckdb  # noqa: F401
    except ImportError:
        return False
    return True


def _answered(wanted: EvalOptions, program: Program, rejects: Rejects | None) -> Answer | None:
    from laser.sql.duck import Duck

    watched = wanted.summarises and messages.on_terminal()
    with Duck(accept(program, wanted.settings), _progress if watched else None, wanted.settings.limit) as duck:
        extent = _read_by_duck(duck, wanted, program)
        if extent is None and wanted.engine == "sql":
            extent = _read_by_us(duck, wanted, program, rejects)
        if extent is None:
            return None
        settings = wanted.settings
        first = extent.first if settings.start is None else settings.start
        last = extent.last if settings.until is None or extent.last < extent.first else settings.until
        if first <= last:
            duck.answer(first, last, whole=wanted.engine == "sql")
        reports = tuple(duck.reports.texts.values())
        return Answer(duck.intervals(), first, last, extent.rows, duck.program.dates, reports, duck.ways)


def _is_parquet(wanted: EvalOptions, program: Program) -> bool:
    """Whether DuckDB reads the stream exactly as our own reader does; it does not check declared types."""
    stream = wanted.stream
    return stream is not None and not program.inputs and format_of(stream, wanted.input_format).name == "parquet"


def _read_by_duck(duck: Duck, wanted: EvalOptions, program: Program) -> Extent | None:
    from laser.sql.stream_file import load_stream

    if not _is_parquet(wanted, program):
        return None
    with duck.exactly():
        return load_stream(duck, str(wanted.stream), wanted.settings.start, wanted.settings.until)


def _read_by_us(duck: Duck, wanted: EvalOptions, program: Program, rejects: Rejects | None) -> Extent:
    """Read any format with its own reader, and set malformed records aside."""
    settings = wanted.settings
    records = list(_within(wanted.records(program, wanted.stream, rejects), settings.until))
    duck.program = accept(program, wanted.settings_of(records))
    facts = [(record.time, tuple(fact)) for record in records for fact in record.facts]
    duck.load(facts)
    if not records:
        nowhere = (0, -1) if settings.start is None else (settings.start, settings.start)
        return Extent(0, *nowhere)
    return Extent(len(facts), records[0].time, records[-1].time)


def _within(records: Iterator[Record], until: int | None) -> Iterator[Record]:
    return records if until is None else takewhile(lambda record: record.time <= until, records)


def _progress(done: int, total: int) -> None:
    """A progress line that is removed at the end."""
    sys.stderr.write(f"\rSQL: statement {done} of {total}" if done < total else "\r\x1b[K")
    sys.stderr.flush()
