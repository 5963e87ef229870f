"""``laser eval``: evaluate a program over a stream."""

from __future__ import annotations

import gc
import logging
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import click

from laser.checks.accept import accept
from laser.checks.load import load
from laser.cli import eval_sql, messages, options
from laser.cli.eval_sql import Answer
from laser.cli.following import LateWriter, check_clock, follow
from laser.cli.interrupts import interrupts
from laser.cli.notes import Unread
from laser.engine.driver import Inbox
from laser.engine.live import Aside, Live
from laser.engine.reasoner import Reasoner
from laser.engine.run import Step, step_through
from laser.io import FORMATS, FORMS, Record, Rejects, format_of, write_whole_bytes
from laser.io.formats.format import AnswerWriter, Format, FormName, LineFormat, Times
from laser.io.forms import Changes
from laser.io.lines import STDIN
from laser.io.tables import Facts
from laser.phrases import count
from laser.settings import DEFAULT_LIMIT
from laser.sql.history import Engine
from laser.syntax.program import Program
from laser.ticks import read_length
from laser.values.facts import FactInput
from laser.values.time import texts_in

__all__ = ["command"]

INTERRUPTED = 130

_FOREIGN = frozenset(
    {".xlsx", ".xls", ".pdf", ".docx", ".html", ".svg", ".png", ".db", ".sqlite", ".orc", ".avro", ".xml"}
)
"""Extensions of files for which text would be a surprise."""

# The reports of the reasoner are printed here, so its log would repeat them.
logging.getLogger("laser").addHandler(logging.NullHandler())


@click.command("eval")
@click.argument("program", type=options.PROGRAM)
@click.argument("stream", type=options.STREAM, required=False)
@click.option(
    "--as",
    "form",
    type=click.Choice(list(FORMS)),
    default="changes",
    show_default=True,
    help="The form of the answers.",
)
@click.option(
    "--only",
    type=click.Choice(["begun", "ended"]),
    help="Write only the changes by which an atom begins to hold, or ends.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(list(FORMATS)),
    help="The format of the answers. [default: by the name of the output, or text]",
)
@options.tables
@options.input_format
@click.option(
    "--times",
    type=click.Choice(["auto", "int", "iso"]),
    default="auto",
    show_default=True,
    help="Write times as numbers or as dates; auto follows the stream.",
)
@options.consts
@options.tick
@options.zone
@options.start
@options.until
@options.warmup
@options.background
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="The most derivations by recursion at one time point; more is an error.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "sql", "reasoner"]),
    default="auto",
    show_default=True,
    help="What evaluates --as intervals: sql needs a complete file; auto uses it for large Parquet files.",
)
@click.option(
    "--clock",
    type=click.Choice(["wall"]),
    help="Advance time by the clock while no records arrive, and follow a file as it grows.",
)
@click.option(
    "--lateness",
    metavar="DURATION",
    callback=options.length,
    help="How late a record may arrive; a time point is answered when it is complete.",
)
@click.option("--late", type=click.Path(dir_okay=False), help="Write facts that come too late to this file.")
@options.rejects
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write to this file, completely or not at all.")
@click.option("--quiet", "-q", is_flag=True, help="Show no warnings, summary or run-time reports.")
@click.option("--verbose", "-v", is_flag=True, help="Show a summary even if standard error is not a terminal.")
def command(**given: Any) -> int:
    """Evaluate PROGRAM over STREAM, and write the answers.

    STREAM is a file of text (36: a(x1, y), b(y, z).) or of another format, plain or .gz; - is standard input, where each line is
    answered at once. Instead of STREAM, use --input for ordinary tables with named columns.

    \b
    Examples:
      laser eval cooling.lars readings.stream
      laser eval cooling.lars readings.csv --as intervals --format jsonl
      laser eval cooling.lars readings.parquet --as intervals --engine sql
      laser eval cooling.lars readings.jsonl.gz --const limit=95 --rejects bad.jsonl
      laser eval cooling.lars readings.stream --start 2026-01-01T00:00:00Z --tick "250 ms"
      laser eval fleet.lars --input hr=readings.csv --time ts
      tail -f readings.stream | laser eval cooling.lars -
      laser eval hosts.lars --input ping=pings.csv --clock wall --lateness "5 s"
    """
    return evaluate(EvalOptions(**given))


@dataclass(frozen=True, kw_only=True)
class EvalOptions(options.RunFlags):
    """The options of the command."""

    program: str
    stream: str | None
    form: FormName
    only: str | None
    layout: str | None
    times: str
    engine: Engine
    clock: str | None
    lateness: str | None
    late: str | None
    output: str | None
    verbose: bool

    @property
    def follows(self) -> bool:
        """Whether the stream arrives line by line, and each line is answered at once."""
        return self.clock is not None or STDIN in (self.stream, *self.table_paths)

    @property
    def is_live(self) -> bool:
        return self.follows

    @property
    def takes_any_order(self) -> bool:
        return self.clock is not None or self.lateness is not None

    def live(self, reasoner: Reasoner, aside: Callable[[Aside], object]) -> Live:
        """The object that follows the stream."""
        lateness = read_length(self.lateness or 0, self.tick, "--lateness")
        return Live(reasoner, self.tick, lateness, self.settings.until, aside, every_tick=self.form == "snapshots")

    @property
    def summarises(self) -> bool:
        return not self.quiet and (self.verbose or messages.on_terminal())


def evaluate(wanted: EvalOptions) -> int:
    """Run the program over the stream and write the answers."""
    read = [wanted.program, *([wanted.stream] if wanted.stream else []), *wanted.table_paths, *wanted.background]
    written = {"--output": wanted.output, "--rejects": wanted.rejects, "--late": wanted.late}
    options.different_files(written, read)
    if wanted.only is not None and wanted.form != "changes":
        raise click.UsageError(f"--only {wanted.only} is for --as changes")
    program = load(wanted.program)
    wanted = wanted.in_zone_of(program)
    with texts_in(wanted.tick.zone):
        return _evaluate(wanted, program)


def _evaluate(wanted: EvalOptions, program: Program) -> int:
    settings = wanted.settings
    accept(program, settings)  # errors are reported before a record arrives
    wanted.warn(program)
    with ExitStack() as stack:
        rejects = stack.enter_context(wanted.opened_rejects())
        answered = eval_sql.answer(wanted, program, rejects)
        if answered is not None:
            _write_intervals(answered, _open_writer(wanted, answered.dates, stack))
            for report in answered.reports if not wanted.quiet else ():
                messages.warning(report)
            if wanted.summarises:
                messages.say(answered.summary(rejects.count if rejects else 0))
            return 0
        in_bulk = wanted.tables and wanted.stream is None and not wanted.follows and not wanted.takes_any_order
        reason = _reason_in_bulk if in_bulk else _reason_by_record
        run, inbox = reason(wanted, program, rejects, stack)
    run.close(rejects.count if rejects else 0)
    return INTERRUPTED if inbox is not None and inbox.is_set() else 0


def _reason_in_bulk(
    wanted: EvalOptions, program: Program, rejects: Rejects | None, stack: ExitStack
) -> tuple[Run, None]:
    """Let the reasoner answer complete tables, one time point after another."""
    stack.enter_context(interrupts(threading.Event(), False, _say_nothing))
    with _no_collection(stack):
        found = wanted.facts(program, rejects)
    reasoner = Reasoner.of(program, replace(wanted.settings, dates=found.iso))
    run = Run(wanted, reasoner, _open_writer(wanted, reasoner.dates, stack))
    run.answer(run.steps_of(found))
    return run, None


@contextmanager
def _no_collection(stack: ExitStack) -> Iterator[None]:
    """Switch off the garbage collector: this makes millions of tuples, and none becomes garbage before the run ends."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        stack.callback(gc.unfreeze)
        if was_on:
            gc.enable()


def _reason_by_record(
    wanted: EvalOptions, program: Program, rejects: Rejects | None, stack: ExitStack
) -> tuple[Run, Inbox[Record] | None]:
    """Let the reasoner answer records, which come through an inbox if the stream is followed."""
    records = wanted.records(program, wanted.stream, rejects)
    inbox = Inbox(records) if wanted.follows else None
    stack.enter_context(interrupts(inbox or threading.Event(), wanted.follows, _say_nothing))
    return _reason(wanted, program, records, inbox, stack), inbox


def _say_nothing(_: str) -> None:
    """Say nothing: the summary shows that the run has ended."""


def _reason(
    wanted: EvalOptions, program: Program, records: Iterator[Record], inbox: Inbox[Record] | None, stack: ExitStack
) -> Run:
    """Let the reasoner answer the records, which come through the inbox if the stream is followed."""
    late = None if wanted.late is None else _open_text(wanted.late, stack)
    first = _first(records, inbox)
    if wanted.clock is not None:
        check_clock(first, wanted.tick)
    known = [] if first is None else [first]
    reasoner = Reasoner.of(program, wanted.settings_of(known))
    run = Run(wanted, reasoner, _open_writer(wanted, reasoner.dates, stack))
    if inbox is None and not wanted.takes_any_order:
        run.answer(run.steps(chain(known, records)))
        return run
    live = wanted.live(reasoner, LateWriter(late, reasoner))
    run.answer(follow(live, chain(known, records) if inbox is None else known, inbox, wanted.clock is not None))
    run.late = live.late
    return run


def _first(records: Iterator[Record], inbox: Inbox[Record] | None) -> Record | None:
    """The first record, as soon as it arrives; it shows whether times are dates."""
    if inbox is None:
        return next(records, None)
    first = inbox.receive(None)
    return first if isinstance(first, Record) else None


def _write_intervals(answered: Answer, writer: AnswerWriter) -> None:
    for atom, since, until in answered.intervals:
        writer.interval(atom, since, until, until == answered.last)
    writer.close()


def _open_text(path: str, stack: ExitStack) -> TextIO:
    return stack.enter_context(open(path, "w", encoding="utf-8"))


def _layout(wanted: EvalOptions) -> Format:
    """The format of the answers. A file name with the extension of another kind of file is a mistake."""
    suffix = Path(wanted.output or "").suffix
    if wanted.layout is None and suffix in _FOREIGN:
        known = ", ".join(end for form in FORMATS.values() for end in form.suffixes)
        raise click.UsageError(
            f"--output {wanted.output}: {suffix} is not a format of answers; use {known}, or add --format"
        )
    return format_of(wanted.output or "", wanted.layout)


def _open_writer(wanted: EvalOptions, dates: bool, stack: ExitStack) -> AnswerWriter:
    layout = _layout(wanted)
    return layout.writer(wanted.form, _times(wanted, dates), _open_output(wanted.output, layout, stack))


def _open_output(path: str | None, layout: Format, stack: ExitStack) -> BinaryIO:
    if path is not None and path != STDIN:
        return stack.enter_context(write_whole_bytes(path))
    if sys.stdout.isatty() and not isinstance(layout, LineFormat):
        raise click.UsageError(f"{layout.title} cannot be shown on a terminal: name a file with --output")
    return cast(BinaryIO, messages.TerminalWriter(sys.stdout.buffer)) if sys.stdout.isatty() else sys.stdout.buffer


def _times(wanted: EvalOptions, dates: bool) -> Times:
    """Times as dates if they are requested, or if the run has dates."""
    return Times(wanted.tick, dates=wanted.times == "iso" or (wanted.times == "auto" and dates))


class Run:
    """A run of a reasoner through a stream, with its counters."""

    def __init__(self, wanted: EvalOptions, reasoner: Reasoner, writer: AnswerWriter) -> None:
        self._wanted, self._reasoner, self._writer = wanted, reasoner, writer
        self._form = FORMS[wanted.form](writer) if wanted.only is None else Changes(writer, wanted.only == "begun")
        self._facts = self._changes = self._reports = self.late = 0
        self._unread = Unread(reasoner.core)

    def steps(self, records: Iterable[Record]) -> Iterator[Step]:
        """The steps through records in order, up to the requested end."""
        stream = ((record.time, record.facts) for record in records)
        return step_through(self._reasoner, stream, self._wanted.settings.until)

    def steps_of(self, found: Facts) -> Iterator[Step]:
        """The steps through facts that are complete and have their types, up to the requested end."""
        for time, facts in found.by_time():
            yield Step(time, cast(list[FactInput], facts), self._reasoner.take(time, facts))
        yield from step_through(self._reasoner, (), self._wanted.settings.until)

    def answer(self, steps: Iterable[Step]) -> None:
        """Write the answers of all steps."""
        for step in steps:
            self._write(step)
        self._form.end()
        self._writer.close()

    def _write(self, step: Step) -> None:
        assert self._reasoner.start is not None
        self._form.take(step.changes, self._reasoner.start, step.time)
        self._facts += len(step.facts)
        self._changes += len(step.changes)
        self._report()
        if not self._wanted.quiet:
            self._unread.see(self._reasoner.received)
        if self._wanted.follows:
            self._writer.flush()

    def _report(self) -> None:
        fresh = self._reasoner.reports[self._reports :]
        self._reports += len(fresh)
        if not self._wanted.quiet:
            for report in fresh:
                messages.warning(report)

    def close(self, rejected: int) -> None:
        """Print the warnings at the end, and the summary if it is wanted."""
        if not self._wanted.quiet:
            self._unread.end()
        if self._wanted.summarises:
            messages.say(self.summary(rejected))
        elif self.late and not self._wanted.quiet:
            kept = "" if self._wanted.late else ": to keep them, add --late FILE"
            messages.warning(f"{count(self.late, 'fact')} came too late and had no effect{kept}")

    def summary(self, rejected: int) -> str:
        """A summary of the run in one line."""
        first, present = self._reasoner.start, self._reasoner.time
        points = 0 if first is None or present is None else present - first + 1
        return (
            f"{count(self._facts, 'fact')}, {count(points, 'time point')}, {count(self._changes, 'change')}, "
            f"{rejected:,} rejected, {f'{self.late:,} late, ' if self._wanted.takes_any_order else ''}"
            f"{count(self._reports, 'undefined operation')}"
        )
