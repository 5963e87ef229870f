"""``laser explain``: explain why an atom holds, or why not."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from typing import Any

import click

from laser.checks.accept import accept
from laser.checks.load import load
from laser.cli import messages, options
from laser.engine.explain import ask_stream
from laser.errors import FactError, LaserError
from laser.explanation import Explanation
from laser.explanation.pattern import read_goal
from laser.io import write_whole
from laser.io.lines import STDIN
from laser.io.records import Record
from laser.syntax.program import Program
from laser.values.time import texts_in

__all__ = ["command"]

NARROWEST, WIDEST = 60, 120


@click.command("explain")
@click.argument("program", type=options.PROGRAM)
@click.argument("stream")
@click.argument("atom", required=False)
@click.option("--at", metavar="TIME", help="The time point of the question. [default: the last of the stream]")
@click.option("--why-not", is_flag=True, help="Ask why the atom does not hold; exit with 1 if it does.")
@click.option(
    "--all", "every", is_flag=True, help="Show every rule instance that derives the atom, not only the smallest proof."
)
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as JSON.")
@click.option("--dot", "as_dot", is_flag=True, help="Print the explanation as a graph for Graphviz.")
@click.option("--svg", type=click.Path(dir_okay=False), help="Draw the explanation to this file; - is standard output.")
@options.tables
@options.input_format
@options.consts
@options.tick
@options.zone
@options.start
@options.warmup
@options.background
@options.rejects
@options.quiet
def command(**given: Any) -> int:
    """Explain why ATOM holds at a time of STREAM, with a proof; or why it does not: what each rule lacks.

    ATOM may have variables, as in hot(_) or q(X, y): then every atom that matches is explained. The exit code is 1 if the atom
    does not hold (with --why-not: if it does).

    \b
    Examples:
      laser explain cooling.lars readings.stream alarm --at 39
      laser explain cooling.lars readings.stream alarm --at 40 --why-not
      laser explain cooling.lars readings.stream isSteam --at 38 --all --json
      laser explain cooling.lars readings.stream alarm --at 39 --svg alarm.svg
      laser explain fleet.lars "alarm(p1)" --input hr=readings.csv --at 2026-03-02T22:03:30Z
    """
    wanted = ExplainOptions(**_with_stream(**given))
    wanted = wanted.in_zone_of(load(wanted.program))
    with texts_in(wanted.tick.zone):
        answer, dated = wanted.answer()
        wanted.show(answer, dated)
    return int(answer.holds == wanted.why_not)


def _with_stream(stream: str, atom: str | None, **given: Any) -> dict[str, Any]:
    """STREAM and ATOM; with tables instead of a stream, the only argument is the atom."""
    if atom is None and given["tables"]:
        return {"stream": None, "atom": stream, **given}
    if atom is None:
        raise click.UsageError("Missing argument 'ATOM'.")
    return {"stream": options.STREAM.convert(stream, None, click.get_current_context()), "atom": atom, **given}


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(options.RunFlags):
    """The options of the command."""

    program: str
    stream: str | None
    atom: str
    at: str | None
    why_not: bool
    every: bool
    as_json: bool
    as_dot: bool
    svg: str | None

    def answer(self) -> tuple[Explanation, bool]:
        """The explanation, and whether the times of the stream are dates."""
        if self.as_json + self.as_dot + (self.svg is not None) > 1:
            raise click.UsageError("--json, --dot and --svg cannot be used together")
        read = [self.program, *([self.stream] if self.stream else []), *self.table_paths, *self.background]
        options.different_files({"--svg": self.svg, "--rejects": self.rejects}, read)
        program = load(self.program)
        try:
            goal = read_goal(self.atom, program)
        except FactError as error:
            raise click.BadParameter(str(error), param_hint="ATOM") from None
        start = self.settings.start
        at = options.time_point(self.at, self.tick, "--at")
        records = self._records(program, at)
        self.warn(program, records)
        stream = [(record.time, list(record.facts)) for record in records]
        if at is None:
            at = max((time for time, _ in stream), default=start)
        if at is None:
            raise LaserError(f"{self.stream or 'the table'} is empty: give the times with --start and --at")
        settings = self.settings_of(records)
        core = accept(program, settings)
        first = start if start is not None else min((time for time, _ in stream), default=at)
        if at < first + core.warmup:
            messages.say(
                f"the warm-up lasts until {self._written(first + core.warmup, core.dates)}, so there is no output yet; "
                "without it:"
            )
        return ask_stream(program, settings, stream, goal, at, self.every), core.dates

    def _written(self, point: int, dates: bool) -> str:
        return self.tick.to_text(point) if dates else str(point)

    def _records(self, program: Program, at: int | None) -> list[Record]:
        """The records up to the time of the question; later ones are not read."""
        records: list[Record] = []
        with self.opened_rejects() as rejects:
            for record in self.records(program, self.stream, rejects):
                if at is not None and record.time > at and records:
                    break
                records.append(record)
        return records

    def show(self, answer: Explanation, dated: bool) -> None:
        dates = self.tick if dated else None
        if self.as_json:
            click.echo(json.dumps(answer.to_json(dates), ensure_ascii=False, indent=2))
        elif self.as_dot:
            click.echo(answer.to_dot(dates))
        elif self.svg is not None and self.svg != STDIN:
            with write_whole(self.svg) as file:
                file.write(answer.to_svg(dates) + "\n")
        elif self.svg is not None:
            click.echo(answer.to_svg(dates))
        else:
            messages.say(answer.to_text(colour=True, width=_width(), dates=dates), err=False)


def _width() -> int:
    """The width of the terminal; 80 columns if there is none."""
    if not sys.stdout.isatty():
        return 80
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))
