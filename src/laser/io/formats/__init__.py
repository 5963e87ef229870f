"""The formats, and how to find one: by its name, by a file name, or by the look of a line."""

from __future__ import annotations

from pathlib import Path

from laser.io.formats.csv import CSV
from laser.io.formats.format import Format, LineFormat
from laser.io.formats.jsonl import JSONL
from laser.io.formats.parquet import PARQUET
from laser.io.formats.text import TEXT
from laser.syntax.looks_like import first_line

__all__ = [
    "CSV",
    "FORMATS",
    "JSONL",
    "PARQUET",
    "TEXT",
    "format_by_look",
    "format_of",
    "format_of_suffix",
    "format_of_text",
]

_ALL: tuple[Format, ...] = (TEXT, JSONL, CSV, PARQUET)

FORMATS = {form.name: form for form in _ALL}
_ENOUGH = 300


def format_of(path: str | Path, name: str | None = None) -> Format:
    """The format called ``name``, or else the one of the file's extension (before ``.gz``); text by default."""
    return FORMATS[name] if name is not None else format_of_suffix(path) or TEXT


def format_of_suffix(path: str | Path) -> Format | None:
    """The format that the name of a file shows; None if it shows none."""
    suffix = Path(str(path).lower().removesuffix(".gz")).suffix
    return next((form for form in _ALL if suffix in form.suffixes), None)


def format_by_look(line: str) -> LineFormat | None:
    """The format that a line looks like; None if it looks like none.

    >>> [form and form.name for form in map(format_by_look, ("36: a(x1, y).", '{"time": 36}', "36,a,x1,y", "q :- a."))]
    ['text', 'jsonl', 'csv', None]
    """
    start = line[:_ENOUGH]
    return next((form for form in _ALL if isinstance(form, LineFormat) and form.look.match(start)), None)


def format_of_text(text: str) -> LineFormat:
    """The format of a text, by its first line that is not blank or a comment; text by default."""
    return format_by_look(first_line(text)[1]) or TEXT
