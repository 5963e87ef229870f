"""Reads programs from texts and files, and reports all their errors at once."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from laser.checks import refuse
from laser.syntax.files import read_text
from laser.syntax.parser import parse_tree
from laser.syntax.program import Program

__all__ = ["load", "parse", "read_text"]


def parse(text: str, name: str = "<program>", folder: str | PathLike[str] | None = ".") -> Program:
    """Parse a program from its text; raises ProgramError with all errors.

    Paths in ``#include`` are relative to ``folder``, by default the current one. If ``folder`` is None, ``#include`` is an error.

    >>> parse("alarm :- hot always in [30 s].").rules[0].head.name
    'alarm'
    """
    if not isinstance(text, str):
        raise TypeError(
            f"parse expects the text of a program, not {text!r} ({type(text).__name__}); to read a file, use load"
        )
    program = parse_tree(text, name, folder)
    refuse(program)
    return program


def load(path: str | PathLike[str]) -> Program:
    """Read a program from a file; raises ProgramError with all errors, also if the file cannot be read."""
    return parse(read_text(path), fspath(path), Path(path).parent)
