"""The group of commands, and the exit codes of errors.

Exit codes: 0 success, 1 findings or refused input, 2 wrong usage, 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from laser.cli import messages
from laser.cli.usage import usage_text
from laser.errors import LaserError, ProgramError

__all__ = ["main"]

WRONG_USAGE = 2
INTERRUPTED = 130
UNREAD = 141

COMMANDS = {
    "check": "find mistakes in a program before it runs",
    "eval": "evaluate a program over a stream or table",
    "explain": "explain why an atom holds, or why not",
    "plot": "draw what holds when",
    "serve": "open the playground in a browser",
    "fmt": "format programs",
    "plan": "show how a program is evaluated",
    "run": "run a pipeline on Spark",
    "package": "write an archive of Laser for Spark workers",
    "bench": "run the benchmarks (takes minutes)",
}
"""The commands and their purposes, in the order in which people learn them. Each is the ``command`` of the module of its name, which is loaded when it is called."""


COLLECTOR = (50_000, 20, 50)
"""The thresholds of Python's garbage collector in a process of our own: facts contain no cycles, and scanning them takes up to a seventh of a run."""


class Group(click.Group):
    """A group that loads a command when it is called. Errors are one line on standard error, never a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"laser.cli.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], COMMANDS, 1)
            if not near:
                raise
            raise click.UsageError(f"there is no command '{args[0]}'; did you mean '{near[0]}'?", error.ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            messages.say(ctx.get_help())
            ctx.exit(WRONG_USAGE)
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **extra: Any) -> Any:
        run: Callable[..., Any] = super().main
        if not extra.pop("standalone_mode", True):
            return run(*args, standalone_mode=False, **extra)
        _prepare_streams()
        gc.set_threshold(*COLLECTOR)
        sys.exit(_outcome(lambda: run(*args, standalone_mode=False, **extra)))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # caught here because click would exit with 1
            return _stop_writing()


def _outcome(run: Callable[[], Any]) -> int:
    """Run, and turn every outcome into an exit code."""
    try:
        code = run()
        sys.stdout.flush()
    except click.ClickException as error:
        return _show_usage(error)
    except ProgramError as error:
        messages.finding(str(error))
        return WRONG_USAGE if error.code == "unreadable" else 1
    except LaserError as error:
        messages.error(str(error))
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return _stop_writing()
    except OSError as error:
        if error.errno == errno.EBADF and error.filename is None:
            _stop_writing()
            error = OSError(errno.EBADF, "it is closed, so the answers cannot be written", "standard output")
        messages.error(_describe(error))
    else:
        return code if isinstance(code, int) else 0
    return 1


def _prepare_streams() -> None:
    """Replace closed streams by harmless ones, and use UTF-8 whatever the locale is."""
    for name, mode in (("stdin", "r"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end
    if sys.stdout is None:  # a command that writes answers must fail, as in other programs
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _show_usage(error: click.ClickException) -> int:
    """Print the message, and how to get help."""
    messages.error(usage_text(error))
    context = getattr(error, "ctx", None)
    if isinstance(error, click.UsageError) and context is not None:
        messages.say(f"try '{context.command_path} --help'")
    return error.exit_code


def _describe(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason[:1].lower()}{reason[1:]}" if error.filename else reason


def _stop_writing() -> int:
    """Nobody reads the output: give the interpreter another place to flush to at exit, so that it does not complain."""
    with suppress(OSError, ValueError):  # a replacement of standard output has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return UNREAD


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from laser.cli.versions import versions

        click.echo(versions())
        context.exit()


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of Laser, Python, Spark and Java.",
)
def main() -> None:
    """Laser evaluates rules over streams: sensor readings in, alarms and their explanations out.

    \b
    Examples:
      laser check cooling.lars
      laser eval cooling.lars readings.stream
    """
