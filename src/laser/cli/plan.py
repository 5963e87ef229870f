"""``laser plan``: show how a program is evaluated."""

from __future__ import annotations

import click

from laser.checks.load import load
from laser.cli import options
from laser.engine import describe
from laser.sql.dialects import Dialect
from laser.ticks import Tick
from laser.values import Value

__all__ = ["command"]


@click.command("plan")
@click.argument("program", type=options.PROGRAM)
@options.consts
@options.tick
@click.option("--source", is_flag=True, help="Show the Python source that the rules are compiled to.")
@click.option(
    "--sql",
    type=click.Choice(["duckdb", "spark"]),
    is_flag=False,
    flag_value="duckdb",
    help="Show the SQL that evaluates the rules over a history, for DuckDB or Spark.",
)
def command(program: str, consts: dict[str, Value], tick: Tick, source: bool, sql: Dialect | None) -> None:
    """Show how PROGRAM is evaluated: the order, the shared parts, and the indexes.

    \b
    Examples:
      laser plan cooling.lars
      laser plan cooling.lars --const n=30 --source
      laser plan cooling.lars --sql
      laser plan cooling.lars --sql spark
    """
    read = load(program)
    constants = options.in_zone(consts, tick.in_zone(read.zone))
    if sql is not None:
        from laser.sql.describe import describe as describe_sql

        if source:
            raise click.UsageError("--source and --sql cannot be used together")
        click.echo(describe_sql(read, sql, constants=constants, tick=tick).rstrip("\n"))
        return
    show = describe.source if source else describe.describe
    click.echo(show(read, constants=constants, tick=tick).rstrip("\n"))
