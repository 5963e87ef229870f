"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import click

from laser.errors import LaserError, TimeError
from laser.io import FORMATS, Record, read_background
from laser.io.formats.csv import read_field
from laser.io.lines import STDIN
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.ticks import Tick
from laser.values import Predicate, Value

__all__ = [
    "FILE", "PROGRAM", "STREAM", "RunFlags", "background", "consts", "different_files", "input_format", "inputs", "start",
    "tick", "time_point", "until",
]  # fmt: skip

_Command = TypeVar("_Command", bound=Callable[..., Any])


_PREDICATE = re.compile(r"\s*(<[^<>\s]+>|[a-z]\w*)(?:/(\d{1,6}))?\s*(?:,|\Z)", re.ASCII)

PROGRAM = click.Path()
"""Whether it is there, and what else may be meant, is told by `laser.checks.load`."""
FILE = click.Path(exists=True, dir_okay=False)
STREAM = click.Path(exists=True, dir_okay=False, allow_dash=True)


def tick(command: _Command) -> _Command:
    """``--tick``, a Tick."""
    text = "What one time point lasts."
    decorate = click.option("--tick", metavar="DURATION", default="1 s", show_default=True, callback=_tick, help=text)
    return decorate(command)


def _tick(context: click.Context, option: click.Parameter, text: str) -> Tick:
    try:
        return Tick.parse(text)
    except TimeError as error:
        raise click.BadParameter(str(error), context, option) from None


def consts(command: _Command) -> _Command:
    """``--const``, a dictionary."""
    text = "Give a #const another value, as in n=30. Repeatable."
    decorate = click.option("--const", "consts", metavar="NAME=VALUE", multiple=True, callback=_consts, help=text)
    return decorate(command)


def _consts(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, Value]:
    given: dict[str, Value] = {}
    for text in texts:
        name, value = _const(context, option, text)
        if name in given and given[name] != value:
            raise click.BadParameter(f"{name} is given twice, {given[name]} and {value}", context, option)
        given[name] = value
    return given


def _const(context: click.Context, option: click.Parameter, text: str) -> tuple[str, Value]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.BadParameter(f"{text!r} gives no value: write NAME=VALUE, as in n=30", context, option)
    try:
        return name.strip(), read_field(value.strip())
    except (LaserError, ValueError) as error:
        raise click.BadParameter(str(error), context, option) from None


def inputs(command: _Command) -> _Command:
    """``--inputs``, a set of predicates and of names without arity, or None."""
    text = "The predicates that stream in, as in temp/1,job/2; without arity, all of that name."
    return click.option("--inputs", metavar="PREDICATES", callback=_inputs, help=text)(command)


def _inputs(context: click.Context, option: click.Parameter, text: str | None) -> frozenset[Predicate | str] | None:
    if text is None:
        return None
    found: set[Predicate | str] = set()
    end = 0
    while end < len(text):
        match = _PREDICATE.match(text, end)
        if match is None:
            wrong = f"{text[end:]!r} is no predicate: write NAME or NAME/ARITY, as in temp/1,job"
            raise click.BadParameter(wrong, context, option)
        found.add(Predicate(match[1], int(match[2])) if match[2] else match[1])
        end = match.end()
    return frozenset(found)


def background(command: _Command) -> _Command:
    """``--background``"""
    return click.option(
        "--background",
        type=FILE,
        multiple=True,
        help="A file of facts that hold at every time, in any format of streams. Repeatable.",
    )(command)


def input_format(command: _Command) -> _Command:
    """``--input-format``"""
    text = "Format of the stream. [default: by its name, or text]"
    return click.option("--input-format", type=click.Choice(list(FORMATS)), help=text)(command)


def start(command: _Command) -> _Command:
    """``--start``, as it was written: only the tick says which time point it is."""
    text = "The first time point. [default: that of the first record]"
    return click.option("--start", metavar="TIME", help=text)(command)


def until(command: _Command) -> _Command:
    """``--until``, as it was written."""
    text = "The last time point. [default: that of the last record]"
    return click.option("--until", metavar="TIME", help=text)(command)


def time_point(text: str | None, tick: Tick, option: str) -> int | None:
    """The value of ``--start`` or ``--until``."""
    if text is None:
        return None
    try:
        return tick.from_text(text)
    except TimeError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


@dataclass(frozen=True, kw_only=True)
class RunFlags:
    """The options of a command that has to do with a run; each command adds its own."""

    input_format: str | None
    consts: Mapping[str, Value]
    tick: Tick
    background: tuple[str, ...]
    start: str | None = None
    until: str | None = None
    limit: int = DEFAULT_LIMIT

    @cached_property
    def settings(self) -> RunSettings:
        """Times are read with the tick, background data from their files."""
        start, until = time_point(self.start, self.tick, "--start"), time_point(self.until, self.tick, "--until")
        if start is not None and until is not None and until < start:
            raise click.UsageError(f"--until {self.until} lies before --start {self.start}")
        facts = tuple(fact for path in self.background for fact in read_background(path))
        return RunSettings(
            start=start, until=until, background=facts, constants=self.consts, tick=self.tick, limit=self.limit
        )

    def settings_of(self, records: Sequence[Record]) -> RunSettings:
        """The settings of a run over these records, whose times are dates where the first one's is."""
        return replace(self.settings, dates=any(record.iso for record in records[:1]))


def different_files(written: dict[str, str | None], read: Iterable[str]) -> None:
    """Refuse to write over what is read, or twice into one file."""
    taken = {os.path.realpath(path): path for path in read if path != STDIN}
    for option, path in written.items():
        if path is None or (Path(path).exists() and not Path(path).is_file()):
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise click.UsageError(f"{option} {path} would overwrite {taken[real]}, which is also in use")
        taken[real] = path
