"""``laser plan``: show how a program is evaluated."""

from __future__ import annotations

import click

from laser.checks.load import load
from laser.cli import options
from laser.engine import describe
from laser.ticks import Tick
from laser.values import Value

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
    show = describe.source if source else describe.describe
    click.echo(show(load(program), constants=consts, tick=tick).rstrip("\n"))
