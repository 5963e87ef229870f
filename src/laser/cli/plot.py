"""``laser plot``: draw what holds when."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from laser.checks.load import load
from laser.cli import messages, options
from laser.io import write_whole_bytes
from laser.io.lines import STDIN
from laser.phrases import listed
from laser.plot import Group, Timeline, read
from laser.plot.run import draw_run
from laser.plot.tracks import Lines
from laser.values import Predicate
from laser.values.time import texts_in

__all__ = ["command"]

KINDS = {"text": (), "svg": (".svg",), "png": (".png",), "html": (".html", ".htm"), "json": (".json",)}
"""The kinds of drawings, and the extensions of their files."""
_LINE = re.compile(r"(<[^<>\s]+>|[a-z]\w*)/(\d{1,6})(?::(\d{1,6}))?", re.ASCII)


def _lines(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Lines:
    """``temp/1`` or ``speed/3:2``; ``none`` for no lines at all; nothing for the default."""
    if not texts:
        return None
    chosen: dict[Predicate, int | None] = {}
    for text in texts:
        match = _LINE.fullmatch(text)
        if match is None and text != "none":
            wrong = (
                f"{text!r} is not a line: write NAME/ARITY, as in temp/1, NAME/ARITY:ARGUMENT, as in speed/3:3, or none"
            )
            raise click.BadParameter(wrong, context, option)
        if match is not None and match[3] and not 1 <= int(match[3]) <= int(match[2]):
            raise click.BadParameter(f"{text!r}: {match[1]}/{match[2]} has no argument {match[3]}", context, option)
        if match is not None:
            chosen[Predicate(match[1], int(match[2]))] = int(match[3]) - 1 if match[3] else None
    return chosen


@click.command("plot")
@click.argument("files", type=click.Path(exists=True, allow_dash=True), nargs=-1, required=True)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), help="Write to this file; its extension selects the kind."
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(list(KINDS)),
    help="The kind of drawing. [default: by the name of the output, or text]",
)
@click.option("--only", metavar="NAMES", help="Draw only these predicates, as in temp,alarm/0.")
@click.option(
    "--line",
    "lines",
    metavar="NAME/ARITY[:ARGUMENT]",
    multiple=True,
    callback=_lines,
    help="Draw the values of a numeric argument as a line; none for no lines. Repeatable. [default: measured values]",
)
@click.option("--rows", type=click.IntRange(2, 10_000), help="The most rows for a predicate. [default: 12; HTML 40]")
@click.option(
    "--width",
    type=click.IntRange(20, 20_000),
    help="The width in columns of text, or in pixels. [default: the terminal's; 960]",
)
@click.option(
    "--theme", type=click.Choice(["auto", "light", "dark"]), default="auto", help="The colours of SVG and PNG."
)
@click.option("--title", default="", help="A line above the drawing.")
@options.tables
@options.input_format
@options.consts
@options.tick
@options.zone
@options.start
@options.until
@options.warmup
@options.background
@options.rejects
@options.quiet
def command(**given: Any) -> None:
    """Draw what holds when: facts and derived atoms over time as bars, measured values as lines.

    FILES are a program (.lars) and a stream, which is evaluated and drawn with its answers; or streams and the output of `laser eval` or
    `laser run` (changes, snapshots, intervals, Parquet, folders of these), which are drawn as they are.

    \b
    Examples:
      laser plot cooling.lars readings.stream
      laser plot cooling.lars readings.stream -o cooling.svg --only temp,alarm
      laser plot readings.stream answers.jsonl -o page.html
      laser plot output/ --width 120
    """
    wanted = PlotOptions(**given).zoned()
    with texts_in(wanted.tick.zone):
        drawing = wanted.draw(wanted.timeline())
    if isinstance(drawing, bytes) or wanted.output not in (None, STDIN):
        _write(drawing, wanted.output)
    else:
        click.echo(drawing.rstrip("\n"), color=False if os.environ.get("NO_COLOR") else None)


@dataclass(frozen=True, kw_only=True)
class PlotOptions(options.RunFlags):
    """The options of the command."""

    files: tuple[str, ...]
    output: str | None
    kind: str | None
    only: str | None
    lines: Lines
    rows: int | None
    width: int | None
    theme: str
    title: str

    def zoned(self) -> PlotOptions:
        """The same with times in the zone of the program, or in that of the command line."""
        programs = self._programs()
        if programs:
            return self.in_zone_of(load(programs[0]))
        return self if self.zone is None else replace(self, tick=self.tick.in_zone(self.zone))

    def _programs(self) -> list[str]:
        return [file for file in self.files if file.endswith(".lars")]

    def timeline(self) -> Timeline:
        """The timeline to draw, restricted to what was requested."""
        programs = self._programs()
        if not programs:
            made = read(*self.files, layout=self.input_format, tick=self.tick, lines=self.lines)
        elif len(programs) == 1 and len(self.files) == 1 + (not self.tables):
            made = self._run(programs[0], next((file for file in self.files if file not in programs), None))
        else:
            raise click.UsageError(
                "a program needs exactly one stream: laser plot PROGRAM.lars STREAM; or tables: --input NAME=FILE"
            )
        self._warn_of_unknown(made)
        return replace(made, groups=tuple(group for group in made.groups if self._wanted(group)))

    def _warn_of_unknown(self, made: Timeline) -> None:
        """Warn about names in ``--only`` and ``--line`` that match nothing."""
        found = {str(group.predicate) for group in made.groups}
        known = found | {group.predicate.name for group in made.groups}
        for option, names in (("--only", self._names()), ("--line", map(str, self.lines or ()))):
            unknown = [name for name in names if name not in known]
            if unknown and found and not self.quiet:
                messages.warning(
                    f"{option}: nothing is called {listed(unknown, 'or')}; there is {listed(sorted(found))}"
                )

    def _run(self, path: str, stream: str | None) -> Timeline:
        program = load(path)
        with self.opened_rejects() as rejects:
            records = list(self.records(program, stream, rejects))
        self.warn(program, records)
        facts = [(record.time, record.facts) for record in records]
        return draw_run(program, facts, self.settings_of(records), self.lines)

    def _names(self) -> list[str]:
        return [name.strip() for name in (self.only or "").split(",") if name.strip()]

    def _wanted(self, group: Group) -> bool:
        names = self._names()
        return not names or group.predicate.name in names or str(group.predicate) in names

    def draw(self, made: Timeline) -> str | bytes:
        """The drawing of the requested kind."""
        suffix = Path(self.output or "").suffix.lower()
        kind = self.kind or next((kind for kind, suffixes in KINDS.items() if suffix in suffixes), None)
        if kind is None and suffix not in ("", ".txt", ".text"):
            known = ", ".join(end for ends in KINDS.values() for end in ends)
            raise click.UsageError(
                f"--output {self.output}: {suffix} is not a kind of drawing; use {known}, .txt, or add --as"
            )
        match kind or "text":
            case "svg":
                return made.to_svg(self.width or 960, self.theme, self.rows or 12, self.title)
            case "png":
                return made.to_png(self.width or 960, self.theme, self.rows or 12, self.title)
            case "html":
                return made.to_html(self.width or 960, self.rows or 40, self.title or self._name())
            case "json":
                return _json(made)
        head = f"{self.title}\n" if self.title else ""
        return head + made.to_text(
            self.width or shutil.get_terminal_size((100, 24)).columns, self._coloured(), self.rows or 12
        )

    def _coloured(self) -> bool:
        return self.output in (None, STDIN) and sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def _name(self) -> str:
        return ", ".join(Path(file).name for file in self.files)


def _json(made: Timeline) -> str:
    import json

    return json.dumps(made.to_json(), ensure_ascii=False)


def _write(drawing: str | bytes, output: str | None) -> None:
    data = drawing if isinstance(drawing, bytes) else f"{drawing.rstrip()}\n".encode()
    if output in (None, STDIN):
        if sys.stdout.isatty():
            raise click.UsageError("a PNG cannot be shown on a terminal: name a file with --output")
        sys.stdout.buffer.write(data)
        return
    assert output is not None
    with write_whole_bytes(output) as file:
        file.write(data)
    if messages.on_terminal():
        messages.say(f"wrote {output}, {len(data):,} bytes")
