"""A text that may be a table, as in the playground. It is recognised by its columns, which the program declares."""

from __future__ import annotations

import json
from dataclasses import replace

from laser.errors import LaserError
from laser.io.declared_tables import TableOptions, mixed_for, table_for
from laser.io.dialect import Dialect
from laser.io.formats import CSV, JSONL
from laser.io.table_blocks import read_header
from laser.io.table_input import TableFile
from laser.io.table_reader import PREDICATE
from laser.phrases import listed
from laser.settings import RunSettings
from laser.syntax.looks_like import first_line
from laser.syntax.program import Program

__all__ = ["table_of_text"]

_DELIMITERS = (",", ";", "\t", "|")
NAME = "the table"


def table_of_text(
    text: str, program: Program, settings: RunSettings, options: TableOptions, name: str = ""
) -> TableFile | None:
    """The table in a text; None if the text is a stream. The columns of a table are those of an ``#input`` of the program.

    ``name`` is the predicate of the table, if it is given.
    """
    found = _columns(first_line(text)[1], options.dialect)
    if found is None:
        return None
    columns, options = found[0], replace(options, layout=found[1], dialect=found[2])
    declared = [each for each in program.inputs.values() if each.fields and name in ("", each.predicate.name)]
    fitting = [each for each in declared if {field for field, _ in each.fields} <= set(columns)]
    if not fitting:
        return None
    if not name and (options.predicate or PREDICATE) in columns:
        return replace(mixed_for(program, settings, NAME, options), text=text)
    if len(fitting) > 1:
        names = listed([each.predicate.name for each in fitting], "and")
        raise LaserError(f"{NAME} has the columns of {names}: add a column {PREDICATE} with the predicate of each row")
    return replace(table_for(program, settings, fitting[0].predicate, NAME, options), text=text)


def _columns(line: str, dialect: Dialect) -> tuple[list[str], str, Dialect] | None:
    """The columns of a table by its first line, its format, and its delimiter."""
    if line.lstrip().startswith("{"):
        return (list(row), JSONL.name, dialect) if isinstance(row := _object(line), dict) else None
    others = [replace(dialect, delimiter=sign) for sign in _DELIMITERS if sign != dialect.delimiter]
    for each in (dialect, *others):
        columns = read_header(line, each.delimiter)
        if len(columns) > 1:
            return columns, CSV.name, each
    return None


def _object(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
