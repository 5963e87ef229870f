"""``laser run``: a pipeline on Spark."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from laser.checks.load import load, read_text
from laser.cli import messages, options
from laser.cli.interrupts import interrupts
from laser.cli.notes import warn_of_program
from laser.cli.progress import Screen, describe
from laser.errors import LaserError
from laser.io import FORMATS
from laser.io.table_reader import PREDICATE
from laser.pipeline import Flag, Pipeline, Table, flags_of, read_pipeline
from laser.settings import RunSettings
from laser.ticks import SECOND

__all__ = ["command", "pipeline_of"]

INTERRUPTED = 130
OF_INPUT = "of_input_"
"""The prefix of parameters that are settings of inputs."""
_MAPPINGS = {name: flag.name for name, flag in flags_of(Pipeline).items() if flag.kind is dict}


_Command = TypeVar("_Command", bound=Callable[..., Any])


def _settings(command: _Command) -> _Command:
    """Add an option for each setting of a pipeline and of its inputs that has a flag."""
    for name, flag in reversed([*_flags().items()]):
        command = _option(name, flag)(command)
    return command


def _flags() -> dict[str, Flag]:
    """The flags by the names of their parameters, those of inputs after the inputs."""
    flags: dict[str, Flag] = {}
    for name, flag in flags_of(Pipeline).items():
        flags[name] = flag
        if name == "inputs":
            flags |= {f"{OF_INPUT}{name}": flag for name, flag in flags_of(Table).items()}
    return flags


def _option(name: str, flag: Flag) -> Callable[[_Command], _Command]:
    writable = [form.name for form in FORMATS.values() if form.spark_name]
    text = flag.help.format(inputs=", ".join(FORMATS), outputs=", ".join(writable))
    names = [name, f"--{flag.name}", *([f"-{flag.short}"] if flag.short else [])]
    if flag.kind is bool:
        return click.option(*names, is_flag=True, default=None, help=text)
    if flag.kind is int:
        return click.option(*names, type=click.IntRange(min=flag.least), metavar=flag.metavar, help=text)
    if flag.kind is str and not name.startswith(OF_INPUT):
        return click.option(*names, metavar=flag.metavar, help=text)
    return click.option(*names, multiple=True, metavar=flag.metavar, help=f"{text} Repeatable.")


@click.command("run")
@click.argument("pipeline", required=False, type=click.Path(exists=True, dir_okay=False))
@_settings
@options.consts
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and no summary.")
def command(pipeline: str | None, quiet: bool, **given: Any) -> int:
    """Run a pipeline on Spark: read tables, and write tables of what held and when.

    PIPELINE is a TOML file; options add to it and override it. Without --output, some of the answers are shown. Invalid rows are
    left out and counted.

    \b
    Examples:
      laser run pipeline.toml
      laser run --program cooling.lars --input temp=readings.csv --time ts --key machine -o answers
      laser run pipeline.toml --follow --checkpoint state --lateness "10 s"
      laser run pipeline.toml --master spark://host:7077
    """
    try:
        from laser.spark.run import run_pipeline
    except ImportError as error:
        raise LaserError(f"laser run needs PySpark: pip install 'laser-reasoner[spark]' ({error})") from None
    wanted = pipeline_of(pipeline, given)
    if wanted.program and not quiet:
        settings = RunSettings.read({"constants": wanted.constants, "tick": wanted.tick})
        warn_of_program(load(wanted.program), settings)
    screen = Screen(quiet)
    stop = threading.Event()
    with interrupts(stop, wanted.follow, screen.say):
        summary = run_pipeline(wanted, screen, stop)
    screen.clear()
    if not quiet:
        messages.say(describe(summary, wanted))
    return INTERRUPTED if stop.is_set() else 0


def pipeline_of(path: str | None, given: dict[str, Any]) -> Pipeline:
    """The pipeline of the file, with the options of the command line."""
    base = read_pipeline(path, read_text(path)) if path else Pipeline()
    mixed = [text.strip() for text in given["inputs"] if "=" not in text]
    given["inputs"] = [text for text in given["inputs"] if "=" in text]
    pairs = {name: dict(_pair(text, flag) for text in given.pop(name)) for name, flag in _MAPPINGS.items()}
    inputs = {name: replace(base.inputs.get(name, Table()), path=path) for name, path in pairs["inputs"].items()}
    inputs |= _mixed(mixed, given.get("program") or base.program)
    background = {name: Table(path) for name, path in pairs["background"].items()}
    said = {name: value for name, value in given.items() if value is not None and not name.startswith(OF_INPUT)}
    return replace(
        base,
        inputs=_with_flags({**base.inputs, **inputs}, given),
        background={**base.background, **background},
        constants={**base.constants, **_constants(said.pop("consts"), said.get("program") or base.program)},
        spark={**base.spark, **pairs["spark"]},
        **said,
    )


def _mixed(paths: list[str], program: str) -> dict[str, Table]:
    """Tables with a column for the predicate: each input that the program declares reads its own rows."""
    if not paths:
        return {}
    if len(paths) > 1:
        raise click.UsageError(
            "--input FILE: only one file can have rows of several predicates; name the predicates of the others, as in --input NAME=FILE"
        )
    declared = load(program).inputs if program else {}
    if not declared:
        raise click.UsageError(
            f"--input {paths[0]}: write NAME=FILE, or declare the predicates of the rows with #input"
        )
    return {predicate.name: Table(paths[0], predicate=PREDICATE) for predicate in declared}


def _constants(given: dict[str, Any], program: str) -> dict[str, Any]:
    """The values of constants; a time without a zone needs a program that names one."""
    if not any(isinstance(value, options.LocalTime) for value in given.values()):
        return given
    zone = load(program).zone if program else None
    if zone is None:
        raise click.UsageError("--const: a time needs an offset, as in 2026-03-02T22:00:00Z, or a #zone in the program")
    return dict(options.in_zone(given, SECOND.in_zone(zone)))


def _with_flags(tables: dict[str, Table], given: dict[str, Any]) -> dict[str, Table]:
    """Inputs with their options: ``NAME=VALUE`` for one input, ``VALUE`` for all."""
    for field, flag in flags_of(Table).items():
        for text in given[f"{OF_INPUT}{field}"]:
            name, equals, value = text.partition("=")
            if equals and name not in tables:
                raise click.UsageError(f"--{flag.name} {text}: there is no input {name}")
            change = {field: flag.read(value if equals else text)}
            tables |= {each: replace(tables[each], **change) for each in ([name] if equals else tables)}
    return tables


def _pair(text: str, flag: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.UsageError(f"--{flag} {text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()
