"""The settings of a pipeline: inputs, program and outputs. They come from a TOML file, from flags, or both.

The metadata of a field says how it is given on the command line; ``laser run`` makes its options from it. A new setting needs
only a field here and the code that uses it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from laser.errors import LaserError
from laser.phrases import did_you_mean
from laser.ticks import SECOND, read_length

__all__ = ["Flag", "Pipeline", "Sink", "Table", "flags_of", "read_pipeline"]

_JSON = re.compile(r'\s*\{\s*"')
_IN_TOML: dict[Any, type] = {Mapping: dict, tuple: list}
_KINDS = {str: "a string", bool: "true or false", int: "an integer", dict: "a table", list: "a list"}


@dataclass(frozen=True)
class Flag:
    """How a setting is given on the command line. In the help, ``{inputs}`` and ``{outputs}`` stand for names of formats."""

    name: str
    help: str
    metavar: str
    kind: type
    short: str = ""
    least: int | None = None
    read: Callable[[str], Any] = str
    """Converts the text of the flag to the value, if they differ."""


def _setting(
    default: Any,
    help: str,  # noqa: A002 - click's word
    metavar: str = "",
    *,
    name: str = "",
    short: str = "",
    least: int | None = None,
    read: Callable[[str], Any] = str,
    is_path: bool = False,
) -> Any:
    """A field with its flag, which has the name of the field unless another one is given."""
    metadata = {"flag": Flag(name, help, metavar, type(default), short, least, read), "is_path": is_path}
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def flags_of(settings: type) -> dict[str, Flag]:
    """The flags of a class of settings by field name, in order."""
    flags: dict[str, Flag] = {f.name: f.metadata["flag"] for f in fields(settings) if "flag" in f.metadata}
    return {name: replace(flag, name=flag.name or name) for name, flag in flags.items()}


def _column_names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _column_types(text: str) -> dict[str, str]:
    pairs = [part.split(None, 1) for part in text.split(",") if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise LaserError(f"{text!r} is not a list of column types: write COLUMN TYPE, COLUMN TYPE")
    return {name: kind.strip() for name, kind in pairs}


@dataclass(frozen=True)
class Table:
    """An input table: its format and path, its argument columns, and the types of its columns."""

    path: str = field(default="", metadata={"is_path": True})
    format: str = _setting(
        "", "{inputs} or another format of Spark. [default: by the file name]", "[NAME=]FORMAT", name="input-format"
    )
    columns: tuple[str, ...] = _setting(
        (),
        "The columns that are the arguments of this input. [default: all but the time]",
        "NAME=A,B",
        read=_column_names,
    )
    schema: Mapping[str, str] = _setting(
        {}, "The types of columns. [default: inferred from the files]", "NAME=A TYPE,…", read=_column_types
    )
    predicate: str = _setting(
        "", "The column with the predicate of each row, in a table of several predicates.", "[NAME=]COLUMN"
    )
    delimiter: str = _setting("", "The field separator of CSV; write `tab` for a tab. [default: ,]", "[NAME=]CHARACTER")
    decimal: str = _setting("", "The decimal sign in CSV, a point or a comma. [default: .]", "[NAME=]CHARACTER")
    encoding: str = _setting(
        "", "The encoding of CSV and JSON Lines, such as cp1252. [default: utf-8]", "[NAME=]ENCODING"
    )
    time: str = ""
    order: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    value: str = ""
    """The format of the messages in the column ``value``: json, csv, text or avro."""
    avro_schema: str = field(default="", metadata={"is_path": True})
    """The schema of Avro: a file, or its text."""
    avro_schemas: Mapping[str, str] = field(default_factory=dict, metadata={"is_path": True})
    """The schemas of messages that begin with the number of their schema, by that number; columns are those of the last."""
    expressions: Mapping[str, str] = field(default_factory=dict)
    """Computed columns, as SQL expressions over the columns that are read."""


@dataclass(frozen=True)
class Sink:
    """A further destination for the changes of a stream: a Spark format, PostgreSQL, or a function of the user."""

    format: str = ""
    path: str = field(default="", metadata={"is_path": True})
    predicates: tuple[str, ...] = ()
    """The predicates whose changes go there; all if none is named."""
    options: Mapping[str, Any] = field(default_factory=dict)
    call: str = ""
    """A function, given as ``module:function``, that is called with the changes of each micro-batch."""


@dataclass(frozen=True)
class Pipeline:
    """All settings of a run."""

    program: str = _setting("", "The rules.", "FILE", is_path=True)
    inputs: Mapping[str, Table] = _setting({}, "Facts of a predicate, from files.", "NAME=PATH", name="input")
    time: str = _setting("", "The column with the time.", "COLUMN")
    key: str = _setting("", "Partition the stream by this column; add it to the rules if needed.", "COLUMN")
    order: str = _setting("", "The column with the order of arrival within a time point.", "COLUMN")
    background: Mapping[str, Table] = _setting({}, "A table that holds at every time.", "NAME=PATH")
    constants: Mapping[str, Any] = field(default_factory=dict)
    tick: str = _setting("1 s", "The length of one time point. [default: 1 s]", "DURATION")
    start: str = _setting("", "The first time point. [default: the time of the first row]", "TIME")
    until: str = _setting("", "The last time point. [default: the time of the last row]", "TIME")
    warmup: str = _setting(
        "", "No answers for this long after the first time point. [default: from #warmup]", "DURATION"
    )
    output: str = _setting(
        "", "Write the answers here, one directory per predicate.", "DIRECTORY", is_path=True, short="o"
    )
    format: str = _setting("parquet", "{outputs} or another format of Spark. [default: parquet]", "FORMAT")
    overwrite: bool = _setting(False, "Replace an existing output.")
    rejects: str = _setting("", "Write invalid rows to this file, as JSON Lines, and go on.", "FILE", is_path=True)
    late: str = _setting("", "With --follow: write facts that come too late to this file.", "FILE", is_path=True)
    sinks: Mapping[str, Sink] = field(default_factory=dict)
    mixed: bool = _setting(False, "Allow numbers and strings in one column, as text.")
    buckets: int = _setting(0, "Number of parts by key. [default: by size and cores]", "N", least=1)
    slices: int = _setting(0, "Number of parts by time. [default: by size and cores]", "N", least=1)
    engine: str = _setting("auto", "What evaluates complete files: sql, reasoner or auto. [default: auto]", "NAME")
    follow: bool = _setting(False, "Keep running as data arrive; needs --checkpoint.")
    lateness: str = _setting("0 s", "With --follow: how late a fact may arrive.", "DURATION")
    idle: str = _setting(
        "", "With --follow: advance time by the clock after an input has paused for this long.", "DURATION"
    )
    max_ahead: str = _setting(
        "",
        "Reject rows dated further than this ahead of the clock; `off` accepts all. [default: 1 d with --follow, else off]",
        "DURATION",
        name="max-ahead",
    )
    checkpoint: str = _setting("", "With --follow: where the state of the run is kept.", "DIRECTORY", is_path=True)
    keep: str = _setting(
        "", "With --follow: keep facts for at least this long, so that changed rules can use them.", "DURATION"
    )
    inexact: bool = _setting(
        False, "With --follow: continue with changed rules even if some facts that they need are gone."
    )
    every: str = _setting(
        "", "With --follow: time between micro-batches; `once` processes what is there and stops.", "DURATION"
    )
    flush: str = _setting(
        "",
        "With --every once: assume that no more facts come up to this time; `last` is the time of the last "
        "row, `closed` is when all windows over that row have closed.",
        "TIME",
    )
    metrics_port: int = _setting(
        0, "With --follow: serve metrics for Prometheus at this port.", "PORT", name="metrics-port", least=1
    )
    metrics_host: str = _setting(
        "127.0.0.1", "The address for --metrics-port. [default: 127.0.0.1]", "ADDRESS", name="metrics-host"
    )
    unbounded: bool = _setting(False, "With --follow: accept a state that grows without limit.")
    master: str = _setting("", "Spark's master. [default: this machine, all cores]", "URL")
    spark: Mapping[str, str] = _setting({}, "A setting of Spark.", "KEY=VALUE", name="conf")

    def checked(self) -> Pipeline:
        """The same settings, if they can run together; otherwise LaserError."""
        if not self.program:
            raise LaserError('there is no program: name one (program = "rules.lars", or --program rules.lars)')
        if not self.inputs:
            raise LaserError("there is no input: name one (an [inputs.…] table, or --input temp=readings.csv)")
        if self.follow and not self.checkpoint:
            raise LaserError("a run with --follow needs a directory for its checkpoint (--checkpoint DIR)")
        if self.every not in ("", "once"):
            read_length(self.every, SECOND, "every")
        if self.sinks and not self.follow:
            raise LaserError(
                "sinks work only with --follow: they take the changes of a stream; without it, answers go to the output (-o DIR)"
            )
        if self.metrics_port and not self.follow:
            raise LaserError("--metrics-port works only with --follow: the metrics are about its micro-batches")
        if self.flush and self.every != "once":
            raise LaserError('flush works only with every = "once" (--every once), which ends the stream')
        if self.idle and self.every == "once":
            raise LaserError('idle does not work with every = "once" (--every once), because that run ends by itself')
        return self


def read_pipeline(path: str, text: str) -> Pipeline:
    """Read a pipeline from a TOML file; paths in it are relative to the file."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LaserError(f"{path}: {error}") from None
    _check(path, "", data, Pipeline)
    for name in ("inputs", "background"):
        data[name] = {table: _table(path, f"{name}.{table}.", value) for table, value in data.get(name, {}).items()}
    data["sinks"] = {name: _sink(path, f"sinks.{name}.", value) for name, value in data.get("sinks", {}).items()}
    data["spark"] = {key: _setting_of_spark(value) for key, value in data.get("spark", {}).items()}
    return _beside(Pipeline(**data), Path(path).parent)


def _table(path: str, where: str, value: Any) -> Table:
    if isinstance(value, str):
        value = {"path": value}
    if not isinstance(value, dict):
        raise LaserError(f"{path}: {where[:-1]} = {value!r} is neither a path nor a table")
    expressions = value.get("columns")
    if isinstance(expressions, dict):
        value = {**value, "columns": [*expressions], "expressions": expressions}
        odd = next((name for name, given in expressions.items() if not isinstance(given, str)), None)
        if odd is not None:
            raise LaserError(
                f"{path}: {where}columns.{odd} = {expressions[odd]!r} is not a string with an SQL expression"
            )
    _check(path, where, value, Table)
    return Table(**{**value, "columns": tuple(value.get("columns", ()))})


def _sink(path: str, where: str, value: Any) -> Sink:
    if not isinstance(value, dict):
        raise LaserError(f"{path}: {where[:-1]} = {value!r} is not a table")
    _check(path, where, value, Sink)
    if not value.get("format") and not value.get("call"):
        raise LaserError(f'{path}: {where[:-1]} needs a format, such as format = "kafka", or a function to call')
    return Sink(**{**value, "predicates": tuple(value.get("predicates", ()))})


def _check(path: str, where: str, given: Mapping[str, Any], settings: type) -> None:
    """Refuse unknown settings and values that are not allowed."""
    hints, flags = get_type_hints(settings), flags_of(settings)
    for name, value in given.items():
        if name not in hints:
            near = did_you_mean(name, hints, "the settings are " + ", ".join(sorted(hints)))
            raise LaserError(f"{path}: there is no setting {where}{name}; {near}")
        kind = _IN_TOML.get(get_origin(hints[name]), hints[name])
        if type(value) is not kind:
            raise LaserError(f"{path}: {where}{name} = {value!r} is not {_KINDS[kind]}")
        least = flags[name].least if name in flags else None
        if least is not None and value < least:
            raise LaserError(f"{path}: {where}{name} = {value!r} is less than {least}")


def _beside(pipeline: Pipeline, base: Path) -> Pipeline:
    """Make paths relative to the folder of the file."""

    def placed(settings: Any) -> Any:
        names = [f.name for f in fields(settings) if f.metadata.get("is_path")]
        return replace(settings, **{name: _paths(base, getattr(settings, name)) for name in names})

    inputs, background, sinks = (
        {name: placed(table) for name, table in tables.items()}
        for tables in (pipeline.inputs, pipeline.background, pipeline.sinks)
    )
    moved: Pipeline = replace(placed(pipeline), inputs=inputs, background=background, sinks=sinks)
    return moved


def _paths(base: Path, given: str | Mapping[str, str]) -> str | dict[str, str]:
    return _path(base, given) if isinstance(given, str) else {name: _path(base, path) for name, path in given.items()}


def _path(base: Path, path: str) -> str:
    """Only a path is relative: not an address, and not the text of a schema."""
    return path if not path or "://" in path or _JSON.match(path) else str(base / path)


def _setting_of_spark(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
