"""What people read on standard error."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any, BinaryIO

import click

from laser.phrases import printable

__all__ = ["TerminalWriter", "error", "finding", "on_terminal", "say", "warning"]

_COLOURS = {"error": "red", "warning": "yellow"}
_SEVERITY = re.compile(r"(?m)^(\S.*?: )?(error|warning)(?=[\[:])")


def on_terminal() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr.isatty()


def say(text: str, err: bool = True) -> None:
    """A line, on standard error if nothing else is said, with colours only where they are seen and wanted."""
    click.echo(text, err=err, color=False if os.environ.get("NO_COLOR") else None)


class TerminalWriter(io.BufferedIOBase):
    """Standard output where it is a terminal: data that would command it are shown and not obeyed."""

    def __init__(self, terminal: BinaryIO) -> None:
        self._terminal = terminal

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Lines, whole ones."""
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
    """Rendered diagnostics, their severities in colour."""
    say(coloured(printable(text)), err)


def coloured(text: str) -> str:
    """The words ``error`` and ``warning`` at the head of a finding in their colours."""
    return _SEVERITY.sub(_paint, text)


def _paint(match: re.Match[str]) -> str:
    return f"{match[1] or ''}{click.style(match[2], fg=_COLOURS[match[2]], bold=True)}"
