"""Options that several commands share, and the types of their values."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import click

from laser.checks.accept import accept
from laser.cli import messages
from laser.cli.notes import Unread, warn_of_program
from laser.engine.driver import A_DAY, wall_clock
from laser.errors import LaserError, TimeError
from laser.io import FORMATS, Record, Rejects, read_background, read_stream
from laser.io.ahead import Ahead
from laser.io.declared_tables import NamedFile, TableOptions, tables_for
from laser.io.dialect import PLAIN, read_dialect
from laser.io.formats.csv import read_field
from laser.io.lines import STDIN
from laser.io.read import Manner
from laser.io.table_input import TableFile
from laser.io.table_reader import PREDICATE, TIMES
from laser.io.tables import Facts, follow_table, read_tables
from laser.settings import DEFAULT_LIMIT, RunSettings, read_warmup
from laser.syntax.program import Program
from laser.ticks import OFF, SECOND, Tick, read_length
from laser.values import Predicate, Time, Value
from laser.values.time import is_local, texts_in

__all__ = [
    "FILE", "PROGRAM", "STREAM", "RunFlags", "background", "consts", "different_files", "input_format", "inputs", "length", "quiet", "rejects", "start",
    "tick", "time_point", "until", "warmup", "zone",
]  # fmt: skip

_Command = TypeVar("_Command", bound=Callable[..., Any])


_PREDICATE = re.compile(r"\s*(<[^<>\s]+>|[a-z]\w*)(?:/(\d{1,6}))?\s*(?:,|\Z)", re.ASCII)

PROGRAM = click.Path()
"""`laser.checks.load` reports whether the file exists, and what else may be meant."""
FILE = click.Path(exists=True, dir_okay=False)
STREAM = click.Path(exists=True, dir_okay=False, allow_dash=True)


def tick(command: _Command) -> _Command:
    """``--tick``, a Tick."""
    text = "The length of one time point."
    decorate = click.option("--tick", metavar="DURATION", default="1 s", show_default=True, callback=_tick, help=text)
    return decorate(command)


def _tick(context: click.Context, option: click.Parameter, text: str) -> Tick:
    try:
        return Tick.parse(text)
    except TimeError as error:
        raise click.BadParameter(str(error), context, option) from None


def zone(command: _Command) -> _Command:
    """``--zone``, the name of a time zone."""
    text = "The time zone of dates without one, and of the dates that are written, as in Europe/Vienna. [default: from #zone, or UTC]"
    return click.option("--zone", metavar="NAME", help=text)(command)


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
            raise click.BadParameter(f"{name} is given twice, as {given[name]} and as {value}", context, option)
        given[name] = value
    return given


class LocalTime(str):
    """A time without a zone, as it was written: it becomes a time only in the zone of the run."""

    __slots__ = ()


def _const(context: click.Context, option: click.Parameter, text: str) -> tuple[str, Value]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.BadParameter(f"{text!r} has no value: write NAME=VALUE, as in n=30", context, option)
    try:
        found = read_field(value.strip())
        return name.strip(), LocalTime(value.strip()) if isinstance(found, Time) and is_local(value.strip()) else found
    except (LaserError, ValueError) as error:
        raise click.BadParameter(str(error), context, option) from None


def inputs(command: _Command) -> _Command:
    """``--inputs``, a set of predicates and of names without a number of arguments, or None."""
    text = "The predicates of the stream, as in temp/1,job/2; without the number of arguments, all of that name."
    return click.option("--inputs", metavar="PREDICATES", callback=_inputs, help=text)(command)


def _inputs(context: click.Context, option: click.Parameter, text: str | None) -> frozenset[Predicate | str] | None:
    if text is None:
        return None
    found: set[Predicate | str] = set()
    end = 0
    while end < len(text):
        match = _PREDICATE.match(text, end)
        if match is None:
            wrong = f"{text[end:]!r} is not a predicate: write NAME or NAME/ARITY, as in temp/1,job"
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
        help="A file of facts that hold at every time, in any format. Repeatable.",
    )(command)


def input_format(command: _Command) -> _Command:
    """``--input-format``"""
    text = "The format of the stream. [default: by its name, or text]"
    return click.option("--input-format", type=click.Choice(list(FORMATS)), help=text)(command)


def tables(command: _Command) -> _Command:
    """``--input`` and the options for reading its tables: ordinary tables instead of a stream."""
    chosen = (
        click.option(
            "--input", "tables", metavar="NAME=FILE", multiple=True, callback=_files,
            help="Facts of a predicate, from a table with named columns: CSV, JSON Lines or Parquet. Without NAME=, a column "
            "has the predicate of each row. Repeatable.",
        ),
        click.option("--time", "time_column", metavar="COLUMN", help=f"The column of the time. [default: {', '.join(TIMES[:-1])} or {TIMES[-1]}]"),
        click.option("--predicate", "predicate_column", metavar="COLUMN", help=f"The column with the predicate of each row, in a table of several predicates. [default: {PREDICATE}]"),
        click.option(
            "--columns", metavar="NAME=A,B", multiple=True, callback=_columns,
            help="The columns of the arguments. [default: the names in #input, or all others]",
        ),
        click.option(
            "--max-ahead", metavar="DURATION", callback=length,
            help="Reject rows dated further than this ahead of the clock; off accepts all. [default: 1 d for live streams, else off]",
        ),
        click.option("--delimiter", metavar="CHARACTER", default=PLAIN.delimiter, show_default=True, help="The field separator of CSV tables; write tab for a tab."),
        click.option("--decimal", metavar="CHARACTER", default=PLAIN.decimal, show_default=True, help="The decimal sign in CSV tables, a point or a comma."),
        click.option("--encoding", metavar="NAME", default=PLAIN.encoding, show_default=True, help="The encoding of CSV and JSON Lines tables, such as cp1252."),
    )  # fmt: skip
    for option in reversed(chosen):
        command = option(command)
    return command


def length(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """A duration, as it was written."""
    try:
        if text not in (None, OFF):
            read_length(text, SECOND, "it")
    except TimeError:
        raise click.BadParameter(f"{text!r} is not a duration, as in '1 d'", context, option) from None
    return text


def _files(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> tuple[NamedFile, ...]:
    """``NAME=FILE``, or ``FILE`` alone."""
    plain = [NamedFile("", text.strip()) for text in texts if "=" not in text and text.strip()]
    named = _pairs(context, option, tuple(text for text in texts if "=" in text or not text.strip()))
    return tuple(plain) + tuple(NamedFile(*pair) for pair in named.items())


def _columns(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, list[str]]:
    pairs = _pairs(context, option, texts)
    return {name: [column.strip() for column in value.split(",") if column.strip()] for name, value in pairs.items()}


def _pairs(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.BadParameter(f"{text!r} is not of the form {option.metavar}", context, option)
        if name.strip() in pairs:
            raise click.BadParameter(f"{name.strip()} is given twice", context, option)
        pairs[name.strip()] = value.strip()
    return pairs


def rejects(command: _Command) -> _Command:
    """``--rejects``"""
    text = "Write malformed records to this file, as JSON Lines, and go on."
    return click.option("--rejects", type=click.Path(dir_okay=False), help=text)(command)


def quiet(command: _Command) -> _Command:
    """``--quiet``, for commands whose only messages are warnings."""
    return click.option("--quiet", "-q", is_flag=True, help="Show no warnings.")(command)


def start(command: _Command) -> _Command:
    """``--start``, as it was written: which time point it is depends on the tick."""
    text = "The first time point. [default: the time of the first record]"
    return click.option("--start", metavar="TIME", help=text)(command)


def until(command: _Command) -> _Command:
    """``--until``, as it was written."""
    text = "The last time point. [default: the time of the last record]"
    return click.option("--until", metavar="TIME", help=text)(command)


def warmup(command: _Command) -> _Command:
    """``--warmup``, as it was written."""
    text = "No answers for this long after the first time point. [default: from #warmup]"
    return click.option("--warmup", metavar="DURATION", callback=length, help=text)(command)


def time_point(text: str | None, tick: Tick, option: str) -> int | None:
    """The value of ``--start`` or ``--until``."""
    if text is None:
        return None
    try:
        return tick.from_text(text)
    except TimeError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def in_zone(consts: Mapping[str, Value], tick: Tick) -> dict[str, Value]:
    """The values of constants; times without a zone are in the zone of the tick."""
    with texts_in(tick.zone):
        return {name: read_field(value) if isinstance(value, LocalTime) else value for name, value in consts.items()}


@dataclass(frozen=True, kw_only=True)
class RunFlags:
    """The options of a command for a run; each command adds its own."""

    input_format: str | None
    consts: Mapping[str, Value]
    tick: Tick
    background: tuple[str, ...]
    start: str | None = None
    until: str | None = None
    warmup: str | None = None
    limit: int = DEFAULT_LIMIT
    tables: tuple[NamedFile, ...] = ()
    time_column: str | None = None
    predicate_column: str | None = None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    delimiter: str = PLAIN.delimiter
    decimal: str = PLAIN.decimal
    encoding: str = PLAIN.encoding
    max_ahead: str | None = None
    rejects: str | None = None
    quiet: bool = False
    zone: str | None = None

    def in_zone_of(self, program: Program) -> Self:
        """The same with times in the zone of the program, or in that of the command line."""
        if program.zone is None and self.zone is None:
            return self
        try:
            return replace(self, tick=self.tick.in_zone(program.zone or self.zone))
        except TimeError as error:
            raise click.BadParameter(str(error), param_hint="--zone") from None

    @property
    def constants(self) -> dict[str, Value]:
        """The values of ``--const``; times without a zone are in the zone of the run."""
        return in_zone(self.consts, self.tick)

    @cached_property
    def settings(self) -> RunSettings:
        """Read times with the tick, and background data from their files."""
        start, until = time_point(self.start, self.tick, "--start"), time_point(self.until, self.tick, "--until")
        if start is not None and until is not None and until < start:
            raise click.UsageError(f"--until {self.until} is before --start {self.start}")
        facts = tuple(fact for path in self.background for fact in read_background(path))
        return RunSettings(
            start=start,
            until=until,
            background=facts,
            constants=self.constants,
            tick=self.tick,
            limit=self.limit,
            warmup=read_warmup(self.warmup, self.tick),
            zone=self.zone,
        )

    def warn(self, program: Program, records: Iterable[Record] = ()) -> None:
        """Warn about what is rarely intended in a program, and what cannot match in its stream, unless ``quiet``."""
        if self.quiet:
            return
        warn_of_program(program, self.settings)
        unread = Unread(accept(program, self.settings))
        unread.see({fact.signature for record in records for fact in record.facts})
        unread.end()

    def settings_of(self, records: Sequence[Record]) -> RunSettings:
        """The settings of a run over these records; their times are dates if the first one is."""
        return replace(self.settings, dates=any(record.iso for record in records[:1]))

    @property
    def table_words(self) -> dict[str, str]:
        """The options for reading tables that are not the default, by their names."""
        said = {"time": self.time_column, "predicate": self.predicate_column, "max_ahead": self.max_ahead}
        usual = {"delimiter": PLAIN.delimiter, "decimal": PLAIN.decimal}
        said |= {name: value for name, default in usual.items() if (value := getattr(self, name)) != default}
        return {name: value for name, value in said.items() if value is not None}

    @property
    def table_paths(self) -> list[str]:
        return [file.path for file in self.tables]

    @property
    def is_live(self) -> bool:
        """Whether the stream arrives as it happens: then dates far ahead of the clock are mistakes."""
        return False

    @property
    def takes_any_order(self) -> bool:
        """Whether the records of a stream may be out of order; the command decides how to treat them."""
        return False

    def records(self, program: Program, stream: str | None, rejects: Rejects | None = None) -> Iterator[Record]:
        """The records of the stream, or of the tables instead of it."""
        settings = self.settings
        if not self.tables:
            if stream is None:
                raise click.UsageError("there is no input: give a STREAM, or tables with --input NAME=FILE")
            if idle := [name for name in self.table_words if name != "max_ahead"]:
                raise click.UsageError(f"--{idle[0]} is for tables: give the file with --input, not as a STREAM")
            manner = Manner(not self.takes_any_order, self._ahead(), grows=self.is_live)
            return read_stream(stream, self.input_format, self.tick, settings.start, rejects, program.inputs, manner)
        if stream is not None:
            raise click.UsageError("give a STREAM or tables with --input, not both")
        if not self.is_live:
            return self.facts(program, rejects).records()
        if len(self.tables) > 1:
            raise click.UsageError(
                "only one table can be followed as it grows; "
                "put the rows of several predicates in one file, with a column for the predicate (--predicate)"
            )
        rows = follow_table(self._inputs(program)[0], self.tick, rejects, self._ahead(), self._tell)
        start, until = settings.start, settings.until
        return (row for row in rows if (start is None or start <= row.time) and (until is None or row.time <= until))

    @contextmanager
    def opened_rejects(self) -> Iterator[Rejects | None]:
        """Where malformed records are written; None if they are errors."""
        if self.rejects is None:
            yield None
            return
        with open(self.rejects, "w", encoding="utf-8") as sink:
            yield Rejects(sink)

    def facts(self, program: Program, rejects: Rejects | None = None) -> Facts:
        """The rows of complete tables, in order of time, from the requested start to the requested end."""
        found = read_tables(self._inputs(program), self.tick, rejects, self._ahead(), self._tell)
        return found.within(self.settings.start, self.settings.until)

    def _inputs(self, program: Program) -> list[TableFile]:
        if self.predicate_column is not None and all(file.name for file in self.tables):
            raise click.UsageError(
                "--predicate is for a table of several predicates: give it with --input FILE, without a name"
            )
        wanted = TableOptions(
            layout=self.input_format,
            time=self.time_column,
            predicate=self.predicate_column,
            columns=self.columns,
            dialect=read_dialect(self.delimiter, self.encoding, self.decimal),
        )
        return tables_for(program, self.settings, self.tables, wanted)

    @property
    def _tell(self) -> Callable[[str], object]:
        return _say_nothing if self.quiet else messages.warning

    def _ahead(self) -> Ahead:
        """Which dates are refused; if none are, a warning names the first one ahead of the clock."""
        words = A_DAY if self.max_ahead is None and self.is_live else self.max_ahead
        if words is None or words == OFF:
            tell = messages.warning if self.max_ahead is None and self.until is None else _say_nothing
            return Ahead(self.tick, wall_clock, tell=tell)
        limit = timedelta(seconds=float(read_length(words, self.tick, "--max-ahead")))
        return Ahead(self.tick, wall_clock, limit, words)


def _say_nothing(_: str) -> None:
    """Say nothing, if the user has set a limit."""


def different_files(written: dict[str, str | None], read: Iterable[str]) -> None:
    """Refuse to overwrite a file that is read, or to write a file twice."""
    taken = {os.path.realpath(path): path for path in read if path != STDIN}
    for option, path in written.items():
        if path is None or (Path(path).exists() and not Path(path).is_file()):
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise click.UsageError(f"{option} {path} would overwrite {taken[real]}, which this command also uses")
        taken[real] = path
