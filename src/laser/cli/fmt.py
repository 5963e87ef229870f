"""``laser fmt``: format programs, or rewrite them in the other notation."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import click

from laser.cli import messages, options
from laser.cli.notation import convert
from laser.errors import LaserError, ProgramError, RecordError
from laser.io.atomic import write_whole
from laser.io.lines import STDIN, source_name
from laser.syntax.formatter import format_source
from laser.syntax.parser import parse_tree
from laser.syntax.program import Notation

__all__ = ["command"]


@dataclass(frozen=True)
class File:
    """A program with its present and its formatted text."""

    path: str
    old: str
    new: str

    @property
    def differs(self) -> bool:
        return self.old != self.new


@click.command("fmt")
@click.argument("files", type=options.STREAM, nargs=-1, required=True)
@click.option(
    "--check", is_flag=True, help="Change nothing; list the files that would change, and exit with 1 if any would."
)
@click.option("--diff", is_flag=True, help="Change nothing; show what would change.")
@click.option("--notation", type=click.Choice(["readable", "formal"]), help="Rewrite the rules in this notation.")
def command(files: tuple[str, ...], check: bool, diff: bool, notation: Notation | None) -> int:
    """Format FILES in place; - reads standard input and writes standard output.

    A file is written completely or not at all. A file with a syntax error is reported and not changed.

    \b
    Examples:
      laser fmt cooling.lars
      laser fmt --check rules/*.lars
      laser fmt --diff cooling.lars
      laser fmt --notation formal - < cooling.lars
    """
    results = [_format(path, notation) for path in dict.fromkeys(files)]
    done = [file for file in results if file is not None]
    for file in done:
        _act(file, check, diff)
    refused = len(done) < len(results)
    return int(refused or (check and any(file.differs for file in done)))


def _format(path: str, notation: Notation | None) -> File | None:
    """A file with its new text; None if the file has errors, which are reported."""
    try:
        old, name = _read(path), source_name(path)
        folder = "." if path == STDIN else Path(path).parent
        new = format_source(old if notation is None else convert(old, name, notation, folder), name, folder)
        # People trust a formatter with their only copy, so it checks that the program stays the same.
        if parse_tree(new, name, folder) != parse_tree(old, name, folder):
            raise LaserError(
                f"{name}: formatting would change the meaning of this program, so the file is not changed; please report this"
            )
        return File(path, old, new)
    except ProgramError as error:
        messages.finding(str(error))
    except LaserError as error:
        messages.error(str(error))
    return None


def _read(path: str) -> str:
    raw = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RecordError("the file is not UTF-8", line, source_name(path)) from None


def _act(file: File, check: bool, diff: bool) -> None:
    if diff:
        click.echo(_difference(file), nl=False)
    if check:
        _list(file)
    elif not diff:
        _write(file)


def _list(file: File) -> None:
    if file.differs:
        messages.say(f"would change {source_name(file.path)}")


def _write(file: File) -> None:
    if file.path == STDIN:
        click.echo(file.new, nl=False)
    elif file.differs:
        with write_whole(file.path) as out:
            out.write(file.new)
        messages.say(f"changed {file.path}")


def _difference(file: File) -> str:
    old, new = (text.splitlines(keepends=True) for text in (file.old, file.new))
    name = source_name(file.path)
    lines = unified_diff(old, new, f"{name} (as it is)", f"{name} (formatted)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ no newline at the end\n" for line in lines)
