"""One run of a program over a stream, from files to files."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TextIO

from laser.checks.load import load
from laser.cli import messages, options
from laser.engine.reasoner import Reasoner
from laser.engine.run import Step, drive
from laser.io import FORMS, Record, Rejects, format_of, read_stream, write_whole
from laser.io.forms import Clock, Form
from laser.io.lines import STDIN
from laser.settings import RunSettings
from laser.ticks import Tick
from laser.values import Value

__all__ = ["Evaluation", "evaluate"]

# What the reasoner logs, it also has in its reports, which are printed here, once.
logging.getLogger("laser").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Evaluation:
    """What the command line asked for."""

    program: str
    stream: str
    form: str
    layout: str | None
    input_format: str | None
    times: str
    consts: dict[str, Value]
    tick: Tick
    start: str | None
    until: str | None
    background: tuple[str, ...]
    limit: int
    rejects: str | None
    output: str | None
    quiet: bool
    verbose: bool

    @cached_property
    def settings(self) -> RunSettings:
        return options.run_settings(
            consts=self.consts,
            tick=self.tick,
            background=self.background,
            start=self.start,
            until=self.until,
            limit=self.limit,
        )

    @property
    def follows(self) -> bool:
        """Whether the stream comes line by line, and each line wants its answer."""
        return self.stream == STDIN

    @property
    def summarises(self) -> bool:
        return not self.quiet and (self.verbose or messages.on_terminal())


def evaluate(wanted: Evaluation) -> None:
    """Run the program over the stream and write the answers."""
    read = [wanted.program, wanted.stream, *wanted.background]
    options.different_files({"--output": wanted.output, "--rejects": wanted.rejects}, read)
    settings = wanted.settings
    reasoner = Reasoner.of(load(wanted.program), settings)
    with ExitStack() as stack:
        rejects = _open_rejects(wanted.rejects, stack)
        records = read_stream(wanted.stream, wanted.input_format, wanted.tick, settings.start, rejects)
        first = next(records, None)
        out = _open_output(wanted, stack)
        run = Run(wanted, reasoner, _open_form(wanted, first, out), out)
        run.answer(records if first is None else chain([first], records))
    if wanted.summarises:
        messages.say(run.summary(rejects.count if rejects else 0))


def _open_rejects(path: str | None, stack: ExitStack) -> Rejects | None:
    if path is None:
        return None
    return Rejects(stack.enter_context(open(path, "w", encoding="utf-8")))


def _open_output(wanted: Evaluation, stack: ExitStack) -> TextIO:
    if wanted.output is None or wanted.output == STDIN:
        return sys.stdout
    return stack.enter_context(write_whole(wanted.output))


def _open_form(wanted: Evaluation, first: Record | None, out: TextIO) -> Form:
    """The writer of the answers, its header written."""
    layout = format_of(wanted.output or "", wanted.layout)
    if wanted.form in layout.headers:
        out.write(layout.headers[wanted.form] + "\n")
    return FORMS[wanted.form](layout, _clock(wanted, first), lambda line: out.write(line + "\n"))


def _clock(wanted: Evaluation, first: Record | None) -> Clock:
    """Times as dates where they were asked for, or where the stream begins with one."""
    asked = wanted.times == "iso"
    found = wanted.times == "auto" and first is not None and first.iso
    return wanted.tick.to_text if asked or found else int


@dataclass
class Run:
    """A reasoner on its way through a stream, and what is counted on the way."""

    wanted: Evaluation
    reasoner: Reasoner
    form: Form
    out: TextIO
    facts: int = 0
    changes: int = 0
    reports: int = 0

    def answer(self, records: Iterable[Record]) -> None:
        """Write the answers to all records, up to the end that was asked for."""
        stream = ((record.time, record.facts) for record in records)
        for step in drive(self.reasoner, stream, self.wanted.settings.until, by_entry=self.wanted.follows):
            self._write(step)
        self.form.end()
        self.out.flush()

    def _write(self, step: Step) -> None:
        assert self.reasoner.start is not None
        self.form.take(step.changes, self.reasoner.start, step.time)
        self.facts += len(step.facts)
        self.changes += len(step.changes)
        self._report()
        if self.wanted.follows:
            self.out.flush()

    def _report(self) -> None:
        fresh = self.reasoner.reports[self.reports :]
        self.reports += len(fresh)
        if not self.wanted.quiet:
            for report in fresh:
                messages.warning(report)

    def summary(self, rejected: int) -> str:
        """What happened, in a line."""
        first, present = self.reasoner.start, self.reasoner.time
        points = 0 if first is None or present is None else present - first + 1
        return (
            f"{_counted(self.facts, 'fact')}, {_counted(points, 'time point')}, {_counted(self.changes, 'change')}, "
            f"{rejected} rejected, {_counted(self.reports, 'report')}"
        )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
