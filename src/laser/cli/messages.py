"""Messages on standard error."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
from typing import Any, BinaryIO

import click

from laser.phrases import columns_of, printable

__all__ = ["TerminalWriter", "error", "finding", "fitted", "on_terminal", "say", "warning"]

_COLOURS = {"error": "red", "warning": "yellow"}
_SEVERITY = re.compile(r"(?m)^(\S.*?: )?(error|warning)(?=[\[:])")
_QUOTED = re.compile(r" *\d* \|")
"""How a line of a program begins in a diagnostic."""


def on_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr.isatty()


def say(text: str, err: bool = True) -> None:
    """Print a line, on standard error by default, with colours only if the terminal shows them."""
    click.echo(text, err=err, color=False if os.environ.get("NO_COLOR") else None)


class TerminalWriter(io.BufferedIOBase):
    """Standard output if it is a terminal: control characters in the data are shown, not executed."""

    def __init__(self, terminal: BinaryIO) -> None:
        self._terminal = terminal

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Write whole lines."""
        self._terminal.write(printable(bytes(data).decode("utf-8", "replace")).encode())
        return len(data)

    def flush(self) -> None:
        self._terminal.flush()


def error(text: str) -> None:
    """``error: …``"""
    finding(f"error: {text}")


def warning(text: str) -> None:
    """``warning: …``"""
    finding(f"warning: {text}")


def finding(text: str, err: bool = True) -> None:
    """Print diagnostics, with their severities in colour; on a terminal, lines are broken between words."""
    text = printable(text)
    if (sys.stderr if err else sys.stdout).isatty():
        text = fitted(text, shutil.get_terminal_size().columns)
    say(coloured(text), err)


def fitted(text: str, width: int) -> str:
    """Lines that are not wider than a terminal; those that quote a program stay as they are.

    >>> print(fitted("error: the row has 2 fields, but the header has 3", 30))
    error: the row has 2 fields,
      but the header has 3
    """
    return "\n".join(part for line in text.split("\n") for part in _broken(line, width))


def _broken(line: str, width: int) -> list[str]:
    if columns_of(line) <= width or _QUOTED.match(line):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def coloured(text: str) -> str:
    """The words ``error`` and ``warning`` at the beginning of a finding, in colour."""
    return _SEVERITY.sub(_paint, text)


def _paint(match: re.Match[str]) -> str:
    return f"{match[1] or ''}{click.style(match[2], fg=_COLOURS[match[2]], bold=True)}"
