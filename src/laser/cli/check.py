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
from laser.sql.describe import expected_ways
from laser.sql.ways import tell
from laser.syntax.parser import parse_tree
from laser.values import Predicate

__all__ = ["command"]

MOST_RULES = 500
"""For more rules, planning their SQL would take longer than all checks."""


@click.command("check")
@click.argument("program", type=options.PROGRAM)
@options.inputs
@click.option(
    "--stream", type=options.STREAM, help="A typical stream of the program, which shows the predicates that arrive."
)
@options.input_format
@options.consts
@options.tick
@options.background
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there are warnings.")
def command(**given: Any) -> int:
    """Check PROGRAM before it runs: errors, warnings, where its predicates come from, and how much data it keeps.

    Without --inputs and --stream, predicates that no rule derives are taken as inputs. The exit code is 1 if there are errors.

    \b
    Examples:
      laser check cooling.lars
      laser check cooling.lars --inputs temp/1 --strict
      laser check cooling.lars --stream readings.csv --json
    """
    wanted = CheckOptions(**given)
    report = wanted.report()
    ways = wanted.ways(report)
    if wanted.as_json:
        told = {str(predicate): reason for predicate, reason in ways.items()}
        click.echo(json.dumps({**report.to_json(), "history": told}, ensure_ascii=False, indent=2))
    else:
        messages.finding(report.to_text(*([f"history: {tell(ways)}"] if ways else [])), err=False)
    return int(not report.ok or (wanted.strict and bool(report.warnings)))


@dataclass(frozen=True, kw_only=True)
class CheckOptions(options.RunFlags):
    """The options of the command."""

    program: str
    inputs: frozenset[Predicate | str] | None
    stream: str | None
    as_json: bool
    strict: bool

    def report(self) -> CheckReport:
        """The report, also if the text has syntax errors."""
        text = read_text(self.program)
        try:
            program = parse_tree(text, self.program, Path(self.program).parent)
        except ProgramError as error:
            return CheckReport(self.program, text, self.tick, (), error.diagnostics)
        background = self.settings.background
        return check(program, self._known(), constants=self.constants, tick=self.tick, background=background)

    def ways(self, report: CheckReport) -> dict[Predicate, str | None]:
        """Which predicates SQL would answer over a history, and why not the others; nothing for a program with very many rules."""
        if report.typed is None or len(report.typed[1].rules) > MOST_RULES:
            return {}
        return expected_ways(report.typed[1])

    def _known(self) -> frozenset[Predicate | str] | None:
        """The predicates that are given or seen in the stream; None if nothing is known."""
        if self.inputs is None and self.stream is None:
            return None
        return (self.inputs or frozenset()) | self._seen()

    def _seen(self) -> frozenset[Predicate]:
        if self.stream is None:
            return frozenset()
        records = read_stream(self.stream, self.input_format, self.tick)
        return frozenset(fact.signature for record in records for fact in record.facts)
