"""What people read on standard error."""

from __future__ import annotations

import os
import re
import sys

import click

__all__ = ["error", "finding", "on_terminal", "say", "warning"]

_COLOURS = {"error": "red", "warning": "yellow"}
_SEVERITY = re.compile(r"(?m)^(\S.*?: )?(error|warning)(?=[\[:])")


def on_terminal() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr.isatty()


def say(text: str, err: bool = True) -> None:
    """A line, on standard error if nothing else is said, with colours only where they are seen and wanted."""
    click.echo(text, err=err, color=False if os.environ.get("NO_COLOR") else None)


def error(text: str) -> None:
    """``error: …``"""
    finding(f"error: {text}")


def warning(text: str) -> None:
    """``warning: …``"""
    finding(f"warning: {text}")


def finding(text: str, err: bool = True) -> None:
    """Rendered diagnostics, their severities in colour."""
    say(coloured(text), err)


def coloured(text: str) -> str:
    """The words ``error`` and ``warning`` at the head of a finding in their colours."""
    return _SEVERITY.sub(_paint, text)


def _paint(match: re.Match[str]) -> str:
    return f"{match[1] or ''}{click.style(match[2], fg=_COLOURS[match[2]], bold=True)}"
