"""``laser serve``: the playground."""

from __future__ import annotations

import ipaddress
import sys
from pathlib import Path
from typing import Any

import click

from laser.cli import messages, options
from laser.errors import LaserError
from laser.ticks import Tick

__all__ = ["command"]

MEGABYTE = 1024 * 1024


@click.command("serve")
@click.argument("program", type=options.FILE, required=False)
@click.argument("stream", type=options.FILE, required=False)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; anything but loopback lets others in."
)
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one.")
@click.option(
    "--allow-host", "names", multiple=True, help="A further name by which browsers may call the server. Repeatable."
)
@click.option(
    "--follow",
    type=click.Path(),
    multiple=True,
    help="Show what appears in this file or folder: the output of laser run --follow, or of laser eval. Repeatable.",
)
@options.tick
@click.option(
    "--seconds", type=click.FloatRange(0.1, 3600), default=5.0, show_default=True, help="Time for one evaluation."
)
@click.option(
    "--memory", type=click.IntRange(64, 1_000_000), default=512, show_default=True, help="Megabytes for one evaluation."
)
@click.option("--open/--no-open", "opens", default=None, help="Open the page in a browser. [default: on a terminal]")
def command(**given: Any) -> None:
    """Open the playground: a page on this machine to write rules, run them over a stream, see what holds when, and ask why.

    It begins with PROGRAM and STREAM, if they are given; no other file is ever read. Ctrl-C ends it.

    \b
    Examples:
      laser serve
      laser serve cooling.lars readings.stream --port 8080
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
    """The settings, and the server, which is imported now."""
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
        messages.warning(f"{host} is no loopback address: whoever reaches it can run programs here, within the limits")
    if host in ("0.0.0.0", "::") and not given["names"]:  # noqa: S104 - asked for by name
        messages.warning("browsers elsewhere need a name that is allowed: --allow-host NAME")
    program, stream = (Path(given[name]) if given[name] else None for name in ("program", "stream"))
    limits = Limits(seconds=given["seconds"], memory=given["memory"] * MEGABYTE)
    follow = tuple(map(Path, given["follow"]))
    return Settings(host, given["port"], given["names"], program, stream, follow, str(tick), limits), serve


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
