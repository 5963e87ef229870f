"""``laser eval``: answer a stream."""

from __future__ import annotations

from typing import Any

import click

from laser.cli import options
from laser.cli.evaluation import Evaluation, evaluate
from laser.io.formats import FORMATS
from laser.io.forms import FORMS
from laser.settings import DEFAULT_LIMIT

__all__ = ["command"]


@click.command("eval")
@click.argument("program", type=options.PROGRAM)
@click.argument("stream", type=options.STREAM)
@click.option(
    "--as", "form", type=click.Choice(list(FORMS)), default="changes", show_default=True, help="What to write."
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(list(FORMATS)),
    help="Format of the answers. [default: by the name of the output, or text]",
)
@click.option(
    "--input-format", type=click.Choice(list(FORMATS)), help="Format of the stream. [default: by its name, or text]"
)
@click.option(
    "--times",
    type=click.Choice(["auto", "int", "iso"]),
    default="auto",
    show_default=True,
    help="Write times as numbers or dates; auto does as the stream does.",
)
@options.consts
@options.tick
@click.option("--start", metavar="TIME", help="The first time point. [default: that of the first record]")
@click.option("--until", metavar="TIME", help="The last time point. [default: that of the last record]")
@options.background
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMIT,
    show_default=True,
    help="Derivations of one time point after which a recursion counts as endless.",
)
@click.option("--rejects", type=click.Path(dir_okay=False), help="Set malformed records aside in this file, and go on.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), help="Write to this file, which appears whole or not at all."
)
@click.option("--quiet", "-q", is_flag=True, help="No summary and no run-time reports.")
@click.option("--verbose", "-v", is_flag=True, help="A summary also where standard error is no terminal.")
def command(**given: Any) -> None:
    """Answer STREAM by the rules of PROGRAM.

    STREAM is a file of text (36: a(x1, y), b(y, z).), JSON Lines or CSV, plain or .gz; - is standard input, and each of its lines is
    answered at once.

    \b
    Examples:
      laser eval cooling.lars readings.stream
      laser eval cooling.lars readings.csv --as intervals --format jsonl
      laser eval cooling.lars readings.jsonl.gz --const limit=95 --rejects bad.jsonl
      laser eval cooling.lars readings.stream --start 2026-01-01T00:00:00Z --tick "250 ms"
      tail -f readings.stream | laser eval cooling.lars -
    """
    evaluate(Evaluation(**given))
