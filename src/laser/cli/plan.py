"""``laser plan``: show how a program is evaluated."""

from __future__ import annotations

import click

from laser.analysis.load import load
from laser.cli import options
from laser.engine import inspect
from laser.terms import Value
from laser.time import Tick

__all__ = ["command"]


@click.command("plan")
@click.argument("program", type=options.PROGRAM)
@options.consts
@options.tick
@click.option("--source", is_flag=True, help="The Python source that the rules are compiled to.")
def command(program: str, consts: dict[str, Value], tick: Tick, source: bool) -> None:
    """Show how PROGRAM is evaluated.

    \b
    Examples:
      laser plan cooling.lars
      laser plan cooling.lars --const n=30 --source
    """
    show = inspect.source if source else inspect.describe
    click.echo(show(load(program), consts, tick).rstrip("\n"))
