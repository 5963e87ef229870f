"""``laser check``: find mistakes before anything runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from laser.checks.load import read_text
from laser.checks.report import CheckReport, check
from laser.cli import messages, options
from laser.errors import ProgramError
from laser.io import read_stream
from laser.syntax.parser import parse_tree
from laser.values import Predicate

__all__ = ["command"]


@click.command("check")
@click.argument("program", type=options.PROGRAM)
@options.inputs
@click.option(
    "--stream", type=options.STREAM, help="A stream of the kind that the program is for, to see what streams in."
)
@options.input_format
@options.background
@options.consts
@options.tick
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
def command(**given: Any) -> int:
    """Say all that can be said about PROGRAM before it runs: errors, warnings, where its predicates come from, how much it keeps.

    Without --inputs and --stream, whatever nothing derives is taken to stream in. The exit code is 1 if there are errors.

    \b
    Examples:
      laser check cooling.lars
      laser check cooling.lars --inputs temp/1 --strict
      laser check cooling.lars --stream readings.csv --json
    """
    wanted = CheckOptions(**given)
    report = wanted.report()
    if wanted.as_json:
        click.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        messages.finding(str(report), err=False)
    return int(not report.ok or (wanted.strict and bool(report.warnings)))


@dataclass(frozen=True, kw_only=True)
class CheckOptions(options.RunFlags):
    """What the command line asked for."""

    program: str
    inputs: frozenset[Predicate | str] | None
    stream: str | None
    as_json: bool
    strict: bool

    def report(self) -> CheckReport:
        """The report, also on a text that is no program."""
        text = read_text(self.program)
        try:
            program = parse_tree(text, self.program, Path(self.program).parent)
        except ProgramError as error:
            return CheckReport(self.program, text, self.tick, (), error.diagnostics)
        background = self.settings.background
        return check(program, self._known(), constants=self.constants, tick=self.tick, background=background)

    def _known(self) -> frozenset[Predicate | str] | None:
        """What is said or seen to come from outside; None where nothing is known."""
        if self.inputs is None and self.stream is None:
            return None
        return (self.inputs or frozenset()) | self._seen()

    def _seen(self) -> frozenset[Predicate]:
        if self.stream is None:
            return frozenset()
        records = read_stream(self.stream, self.input_format, self.tick)
        return frozenset(fact.signature for record in records for fact in record.facts)
