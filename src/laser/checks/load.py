"""Programs from texts and files, refused with all their errors at once."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from laser.checks import refuse
from laser.syntax.files import read_text
from laser.syntax.parser import parse_tree
from laser.syntax.program import Program

__all__ = ["load", "parse", "read_text"]


def parse(text: str, name: str = "<program>", folder: str | PathLike[str] | None = ".") -> Program:
    """A program from its text; raises ProgramError with everything for which it is refused.

    What ``#include`` names is relative to ``folder``, by default the current one; without a folder, nothing is included.

    >>> parse("alarm :- hot always in [30 s].").rules[0].head.name
    'alarm'
    """
    if not isinstance(text, str):
        raise TypeError(
            f"{text!r} ({type(text).__name__}) is no text: a program is parsed from a string, and read by load"
        )
    program = parse_tree(text, name, folder)
    refuse(program)
    return program


def load(path: str | PathLike[str]) -> Program:
    """A program from a file; one that cannot be read is a ProgramError too."""
    return parse(read_text(path), fspath(path), Path(path).parent)
