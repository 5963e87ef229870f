"""``laser run``: a pipeline on Spark."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import click

from laser.checks.load import read_text
from laser.cli import messages, options
from laser.cli.interrupts import interrupts
from laser.cli.progress import Screen, describe
from laser.errors import LaserError

__all__ = ["command"]

INTERRUPTED = 130


@click.command("run")
@click.argument("pipeline", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--program", type=options.PROGRAM, help="The rules.")
@click.option(
    "--input", "inputs", metavar="NAME=PATH", multiple=True, help="Facts of a predicate, from files. Repeatable."
)
@click.option(
    "--columns", metavar="NAME=A,B", multiple=True, help="The columns that are its arguments. [default: all others]"
)
@click.option("--schema", metavar="NAME=A TYPE,…", multiple=True, help="Types of columns. [default: as the files show]")
@click.option(
    "--input-format", metavar="FORMAT", help="csv, json, parquet, text or what Spark knows. [default: by the name]"
)
@click.option("--time", metavar="COLUMN", help="The column of the time.")
@click.option("--key", metavar="COLUMN", help="Divide the stream by this column; lift the program over it if need be.")
@click.option("--order", metavar="COLUMN", help="The order of arrival within a time point.")
@click.option("--background", metavar="NAME=PATH", multiple=True, help="A table that holds at every time. Repeatable.")
@options.consts
@click.option("--tick", metavar="DURATION", help="What one time point lasts. [default: 1 s]")
@click.option("--start", metavar="TIME", help="The first time point. [default: that of the first row]")
@click.option("--until", metavar="TIME", help="The last time point. [default: that of the last row]")
@click.option("--output", "-o", metavar="DIRECTORY", help="Where the answers go, a directory for each predicate.")
@click.option("--format", metavar="FORMAT", help="Format of the answers. [default: parquet]")
@click.option("--overwrite", is_flag=True, default=None, help="Replace an output that is there.")
@click.option("--rejects", metavar="FILE", help="Set rows that do not fit aside in this file, as JSON Lines.")
@click.option("--late", metavar="FILE", help="With --follow: set facts that come too late aside in this file.")
@click.option("--mixed", is_flag=True, default=None, help="Let numbers and strings mix in a column, as text.")
@click.option("--buckets", type=click.IntRange(min=1), help="Parts by key. [default: by size and cores]")
@click.option("--slices", type=click.IntRange(min=1), help="Parts by time. [default: by size and cores]")
@click.option("--follow", is_flag=True, default=None, help="Go on as data arrive; needs --checkpoint.")
@click.option("--lateness", metavar="DURATION", help="With --follow: how long a fact may come after later ones.")
@click.option("--checkpoint", metavar="DIRECTORY", help="With --follow: where the run is remembered.")
@click.option(
    "--every",
    metavar="DURATION",
    help="With --follow: time between micro-batches; `once` takes what is there and ends.",
)
@click.option("--unbounded", is_flag=True, default=None, help="With --follow: consent to a state that grows for ever.")
@click.option("--master", metavar="URL", help="Spark's master. [default: this machine, all cores]")
@click.option("--conf", "spark", metavar="KEY=VALUE", multiple=True, help="A setting of Spark. Repeatable.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary.")
def command(pipeline: str | None, quiet: bool, **given: Any) -> int:
    """Run a pipeline on Spark: from tables to tables of what held and when.

    PIPELINE is a TOML file; flags add to it and override it. Without --output, some answers are shown. Rows that do not fit are
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
    wanted = _pipeline(pipeline, given)
    screen = Screen(quiet)
    stop = threading.Event()
    with interrupts(stop, wanted.follow, screen.say):
        summary = run_pipeline(wanted, screen, stop)
    screen.clear()
    if not quiet:
        messages.say(describe(summary, wanted))
    return INTERRUPTED if stop.is_set() else 0


def _pipeline(path: str | None, given: dict[str, Any]) -> Any:
    """The file's pipeline with what the flags say."""
    from laser.pipeline import Pipeline, read_pipeline

    base = read_pipeline(path, read_text(path)) if path else Pipeline()
    base = replace(base, inputs=_tables(base.inputs, given), background={**base.background, **_backgrounds(given)})
    base = replace(base, constants={**base.constants, **given.pop("consts")})
    base = replace(base, spark={**base.spark, **dict(_pair(text, "--conf") for text in given.pop("spark"))})
    return replace(base, **{name: value for name, value in given.items() if value is not None})


def _tables(known: Any, given: dict[str, Any]) -> dict[str, Any]:
    from laser.pipeline import Table

    tables = dict(known)
    for text in given.pop("inputs"):
        name, path = _pair(text, "--input")
        tables[name] = replace(tables.get(name, Table()), path=path)
    form = given.pop("input_format")
    if form:
        tables = {name: replace(table, format=form) for name, table in tables.items()}
    for option, read in (("columns", _column_names), ("schema", _types)):
        for text in given.pop(option):
            name, value = _pair(text, f"--{option}")
            if name not in tables:
                raise click.UsageError(f"--{option} {name}: there is no input {name}")
            tables[name] = replace(tables[name], **{option: read(value)})
    return tables


def _backgrounds(given: dict[str, Any]) -> dict[str, Any]:
    from laser.pipeline import Table

    return {name: Table(path) for name, path in (_pair(text, "--background") for text in given.pop("background"))}


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.UsageError(f"{option} {text!r}: write NAME=VALUE")
    return name.strip(), value.strip()


def _column_names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _types(text: str) -> dict[str, str]:
    pairs = [part.split(None, 1) for part in text.split(",") if part.strip()]
    if any(len(pair) != 2 for pair in pairs):
        raise click.UsageError(f"--schema {text!r}: write NAME=COLUMN TYPE, COLUMN TYPE")
    return {name: kind.strip() for name, kind in pairs}
