"""``laser serve``: the playground."""

from __future__ import annotations

import ipaddress
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laser.checks.load import load
from laser.cli import messages, options
from laser.errors import LaserError
from laser.io.dialect import read_dialect
from laser.io.formats import CSV, JSONL, TEXT, format_of
from laser.io.formats.csv import write_field
from laser.io.formats.format import Times
from laser.io.lines import open_bytes
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values import Atom
from laser.values.time import texts_in

if TYPE_CHECKING:
    from laser.serve.settings import Limits

__all__ = ["command"]

MEGABYTE = 1024 * 1024


@click.command("serve")
@click.argument("program", type=options.FILE, required=False)
@click.argument("stream", type=options.FILE, required=False)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; with any other than loopback, other machines can connect.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port to listen on; 0 chooses a free one.",
)
@click.option(
    "--allow-host", "names", multiple=True, help="Another name by which browsers may reach the server. Repeatable."
)
@click.option(
    "--follow",
    type=click.Path(),
    multiple=True,
    help="Show new answers in this file or folder: the output of laser run --follow, or of laser eval. Repeatable.",
)
@options.tables
@options.input_format
@options.consts
@options.tick
@options.zone
@options.background
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 3600),
    default=5.0,
    show_default=True,
    help="The most seconds for one evaluation.",
)
@click.option(
    "--memory",
    type=click.IntRange(64, 1_000_000),
    default=512,
    show_default=True,
    help="The most megabytes for one evaluation.",
)
@click.option("--open/--no-open", "opens", default=None, help="Open the page in a browser. [default: on a terminal]")
def command(**given: Any) -> None:
    """Open the playground: a page on this machine to write rules, run them over a stream, see what holds when, and ask why.

    It begins with PROGRAM and STREAM, or tables instead of STREAM, if they are given; no other file is read. Ctrl-C ends it.

    \b
    Examples:
      laser serve
      laser serve cooling.lars readings.stream --port 8080
      laser serve fleet.lars --input hr=readings.csv --time ts
      laser serve --follow output/ --no-open
    """
    opens = given.pop("opens")
    settings, serve = _prepare(**given)

    def ready(address: str) -> None:
        messages.say(address, err=False)
        sys.stdout.flush()
        if sys.stdout.isatty() if opens is None else opens:
            click.launch(address)

    serve(settings, ready)


def _prepare(**given: Any) -> tuple[Any, Any]:
    """The settings, and the server, which is imported here."""
    try:
        from laser.serve.run import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise LaserError("the playground needs more packages: pip install 'laser-reasoner[serve]'") from None
    from laser.serve.settings import Limits, Settings

    host, tick = given["host"], given["tick"]
    assert isinstance(tick, Tick)
    if not _loopback(host):
        messages.warning(
            f"{host} is not a loopback address: anyone who can reach it can run programs here, within the limits"
        )
    if host in ("0.0.0.0", "::") and not given["names"]:  # noqa: S104 - asked for by name
        messages.warning("browsers on other machines need an allowed name: add --allow-host NAME")
    program, stream = (Path(given[name]) if given[name] else None for name in ("program", "stream"))
    limits = Limits(seconds=given["seconds"], memory=given["memory"] * MEGABYTE)
    follow = tuple(map(Path, given["follow"]))
    beside = _beside(given, limits)
    return Settings(host, given["port"], given["names"], program, stream, follow, str(tick), beside, limits), serve


_FLAGS = frozenset(each.name for each in fields(options.RunFlags))


def _beside(given: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """What the program uses besides a stream of text."""
    flags = options.RunFlags(**{name: value for name, value in given.items() if name in _FLAGS})
    if given["program"] is None:
        if flags.tables or flags.background or flags.consts:
            raise click.UsageError("--input, --background and --const need a PROGRAM")
        return {}
    if flags.tables and given["stream"] is not None:
        raise click.UsageError("give a STREAM or tables with --input, not both")
    program = load(given["program"])
    flags = flags.in_zone_of(program)
    with texts_in(flags.tick.zone):
        constants = {n: v if isinstance(v, options.LocalTime) else write_field(v) for n, v in flags.consts.items()}
        background = "\n".join(f"{fact}." for fact in flags.settings.background)
        stream = _tables(flags, program) if flags.tables else {}
    if len(stream.get("stream", "").encode("utf-8", "replace")) > limits.body:
        raise LaserError(
            f"the playground accepts tables of at most {limits.body:,} bytes; `laser eval` and `laser plot` have no limit"
        )
    beside = {"constants": constants, "background": background, "zone": flags.zone, **stream}
    return {name: value for name, value in beside.items() if value}


def _tables(flags: options.RunFlags, program: Program) -> dict[str, Any]:
    """A single table of text as it is, so that errors are shown beside its rows; others as a stream."""
    if len(flags.tables) == 1 and not flags.columns and program.inputs:
        name, path = flags.tables[0]
        if format_of(path, flags.input_format) in (CSV, JSONL):
            return {
                "stream": _text(path, flags.encoding),
                "table": {**flags.table_words, **({"input": name.partition("/")[0]} if name else {})},
            }
    facts = flags.facts(program)
    times = Times(flags.tick, facts.iso)
    lines = (TEXT.write_snapshot(times(time), list(map(Atom.of, found))) for time, found in facts.by_time())
    return {"stream": "\n".join(lines)}


def _text(path: str, encoding: str) -> str:
    with open_bytes(path) as file:
        try:
            return file.read().decode(read_dialect(encoding=encoding).encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise LaserError(
                f"{path} is not {encoding} (byte {error.start + 1}): give its encoding with --encoding"
            ) from None


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
