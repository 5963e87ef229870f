"""A pipeline as data: what is read, what is asked, where the answers go. It comes from a TOML file, from flags, or both.

A field says in its metadata how it is given on the command line; ``laser run`` makes its options from that. So a new setting
is a field here, and the module that obeys it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from laser.errors import LaserError
from laser.phrases import did_you_mean
from laser.ticks import SECOND, read_length

__all__ = ["Flag", "Pipeline", "Sink", "Table", "flags_of", "read_pipeline"]

_IN_TOML: dict[Any, type] = {Mapping: dict, tuple: list}
_KINDS = {str: "a text", bool: "true or false", int: "an integer", dict: "a table", list: "a list"}


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
    """What a text means, where it is not the value itself."""


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
    """The flags of a class of settings by the names of its fields, in their order."""
    flags: dict[str, Flag] = {f.name: f.metadata["flag"] for f in fields(settings) if "flag" in f.metadata}
    return {name: replace(flag, name=flag.name or name) for name, flag in flags.items()}


def _column_names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _column_types(text: str) -> dict[str, str]:
    pairs = [part.split(None, 1) for part in text.split(",") if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise LaserError(f"{text!r} are no types of columns: write COLUMN TYPE, COLUMN TYPE")
    return {name: kind.strip() for name, kind in pairs}


@dataclass(frozen=True)
class Table:
    """A table that is read: its format and place, which columns are arguments, and the types that its text has."""

    path: str = field(default="", metadata={"is_path": True})
    format: str = _setting(
        "", "{inputs} or what Spark knows. [default: by the name]", "[NAME=]FORMAT", name="input-format"
    )
    columns: tuple[str, ...] = _setting(
        (), "The columns that are its arguments. [default: all others]", "NAME=A,B", read=_column_names
    )
    schema: Mapping[str, str] = _setting(
        {}, "Types of columns. [default: as the files show]", "NAME=A TYPE,…", read=_column_types
    )
    time: str = ""
    order: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    value: str = ""
    """The format of messages, which are in the column ``value``: json, csv or text."""
    expressions: Mapping[str, str] = field(default_factory=dict)
    """Columns that are computed from those that are read, as SQL."""


@dataclass(frozen=True)
class Sink:
    """Where the changes of a stream go, besides the output: a format that Spark knows, PostgreSQL, or a function of the user's."""

    format: str = ""
    path: str = field(default="", metadata={"is_path": True})
    predicates: tuple[str, ...] = ()
    """Those whose changes go there; all if none is named."""
    options: Mapping[str, Any] = field(default_factory=dict)
    call: str = ""
    """A function, as ``module:function``, that is given the changes of each micro-batch."""


@dataclass(frozen=True)
class Pipeline:
    """All that a run needs to know."""

    program: str = _setting("", "The rules.", "FILE", is_path=True)
    inputs: Mapping[str, Table] = _setting({}, "Facts of a predicate, from files.", "NAME=PATH", name="input")
    time: str = _setting("", "The column of the time.", "COLUMN")
    key: str = _setting("", "Divide the stream by this column; lift the program over it if need be.", "COLUMN")
    order: str = _setting("", "The order of arrival within a time point.", "COLUMN")
    background: Mapping[str, Table] = _setting({}, "A table that holds at every time.", "NAME=PATH")
    constants: Mapping[str, Any] = field(default_factory=dict)
    tick: str = _setting("1 s", "What one time point lasts. [default: 1 s]", "DURATION")
    start: str = _setting("", "The first time point. [default: that of the first row]", "TIME")
    until: str = _setting("", "The last time point. [default: that of the last row]", "TIME")
    warmup: str = _setting(
        "", "No answers for so long after the first time point. [default: as #warmup says]", "DURATION"
    )
    output: str = _setting(
        "", "Where the answers go, a directory for each predicate.", "DIRECTORY", is_path=True, short="o"
    )
    format: str = _setting("parquet", "{outputs} or what Spark knows. [default: parquet]", "FORMAT")
    overwrite: bool = _setting(False, "Replace an output that is there.")
    rejects: str = _setting("", "Set rows that do not fit aside in this file, as JSON Lines.", "FILE", is_path=True)
    late: str = _setting("", "With --follow: set facts that come too late aside in this file.", "FILE", is_path=True)
    sinks: Mapping[str, Sink] = field(default_factory=dict)
    mixed: bool = _setting(False, "Let numbers and strings mix in a column, as text.")
    buckets: int = _setting(0, "Parts by key. [default: by size and cores]", "N", least=1)
    slices: int = _setting(0, "Parts by time. [default: by size and cores]", "N", least=1)
    engine: str = _setting(
        "auto", "Who answers files that are complete: sql, reasoner or auto. [default: auto]", "NAME"
    )
    follow: bool = _setting(False, "Go on as data arrive; needs --checkpoint.")
    lateness: str = _setting("0 s", "With --follow: how long a fact may come after later ones.", "DURATION")
    idle: str = _setting(
        "", "With --follow: time goes on by the clock once an input has paused for so long.", "DURATION"
    )
    max_ahead: str = _setting(
        "",
        "Reject rows whose dates lie further ahead of the clock; `off` takes all. [default: 1 d with --follow, else off]",
        "DURATION",
        name="max-ahead",
    )
    checkpoint: str = _setting("", "With --follow: where the run is remembered.", "DIRECTORY", is_path=True)
    keep: str = _setting(
        "", "With --follow: keep facts for so long at least, so that changed rules can look at them.", "DURATION"
    )
    inexact: bool = _setting(
        False, "With --follow: go on with changed rules though some of the facts that they look at are gone."
    )
    every: str = _setting(
        "", "With --follow: time between micro-batches; `once` takes what is there and ends.", "DURATION"
    )
    flush: str = _setting(
        "",
        "With --every once: nothing more will come up to this time; `last` is that of the last row, `closed` later by the "
        "largest window.",
        "TIME",
    )
    unbounded: bool = _setting(False, "With --follow: consent to a state that grows for ever.")
    master: str = _setting("", "Spark's master. [default: this machine, all cores]", "URL")
    spark: Mapping[str, str] = _setting({}, "A setting of Spark.", "KEY=VALUE", name="conf")

    def checked(self) -> Pipeline:
        """The same, if it can run."""
        if not self.program:
            raise LaserError('there is no program: name one (program = "rules.lars", or --program rules.lars)')
        if not self.inputs:
            raise LaserError("there is no input: name one (an [inputs.…] table, or --input temp=readings.csv)")
        if self.follow and not self.checkpoint:
            raise LaserError("a stream that is followed needs a directory for its checkpoint (--checkpoint DIR)")
        if self.every not in ("", "once"):
            read_length(self.every, SECOND, "every")
        if self.sinks and not self.follow:
            raise LaserError(
                "sinks take the changes of a stream (--follow); the intervals of tables go to the output (-o DIR)"
            )
        if self.flush and self.every != "once":
            raise LaserError('flush is for a stream that ends: follow it with every = "once" (--every once)')
        if self.idle and self.every == "once":
            raise LaserError('idle is for a stream that goes on; with every = "once" (--every once) it ends')
        return self


def read_pipeline(path: str, text: str) -> Pipeline:
    """The pipeline of a TOML file; paths in it are relative to the file."""
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
                f"{path}: {where}columns.{odd} = {expressions[odd]!r} is not a text with an expression in SQL"
            )
    _check(path, where, value, Table)
    return Table(**{**value, "columns": tuple(value.get("columns", ()))})


def _sink(path: str, where: str, value: Any) -> Sink:
    if not isinstance(value, dict):
        raise LaserError(f"{path}: {where[:-1]} = {value!r} is not a table")
    _check(path, where, value, Sink)
    if not value.get("format") and not value.get("call"):
        raise LaserError(
            f'{path}: {where[:-1]} says neither its format, as in format = "kafka", nor a function to call'
        )
    return Sink(**{**value, "predicates": tuple(value.get("predicates", ()))})


def _check(path: str, where: str, given: Mapping[str, Any], settings: type) -> None:
    """Refuse settings that there are not, and values that they cannot have."""
    hints, flags = get_type_hints(settings), flags_of(settings)
    for name, value in given.items():
        if name not in hints:
            near = did_you_mean(name, hints, "there are " + ", ".join(sorted(hints)))
            raise LaserError(f"{path}: there is no setting {where}{name}; {near}")
        kind = _IN_TOML.get(get_origin(hints[name]), hints[name])
        if type(value) is not kind:
            raise LaserError(f"{path}: {where}{name} = {value!r} is not {_KINDS[kind]}")
        least = flags[name].least if name in flags else None
        if least is not None and value < least:
            raise LaserError(f"{path}: {where}{name} = {value!r} is less than {least}")


def _beside(pipeline: Pipeline, base: Path) -> Pipeline:
    """Paths as seen from where the file lies."""

    def placed(settings: Any) -> Any:
        names = [f.name for f in fields(settings) if f.metadata.get("is_path")]
        return replace(settings, **{name: _path(base, getattr(settings, name)) for name in names})

    inputs, background, sinks = (
        {name: placed(table) for name, table in tables.items()}
        for tables in (pipeline.inputs, pipeline.background, pipeline.sinks)
    )
    moved: Pipeline = replace(placed(pipeline), inputs=inputs, background=background, sinks=sinks)
    return moved


def _path(base: Path, path: str) -> str:
    return path if not path or "://" in path else str(base / path)


def _setting_of_spark(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
