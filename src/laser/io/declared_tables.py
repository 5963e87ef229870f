"""The tables of a run: the predicate of their rows and the types of their columns, as the program declares or uses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from laser.checks.accept import accept
from laser.errors import LaserError, ProgramError
from laser.io.dialect import PLAIN, Dialect
from laser.io.lines import STDIN
from laser.io.table_input import MixedTable, TableFile, TableInput
from laser.phrases import did_you_mean, listed
from laser.rules.uses import find_uses
from laser.settings import RunSettings
from laser.syntax.program import Program
from laser.values import Predicate
from laser.values.declared import Declared
from laser.values.static_type import NUMBER, StaticType

__all__ = ["NamedFile", "TableOptions", "mixed_for", "table_for", "tables_for"]


class NamedFile(NamedTuple):
    """A file for a predicate; without a name, a column has the predicate of each row."""

    name: str
    path: str


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of a user for the tables of a run."""

    layout: str | None = None
    time: str | None = None
    predicate: str | None = None
    """The column of the predicate, in a table with several predicates."""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The columns of the arguments, by the name of the predicate."""
    dialect: Dialect = PLAIN


def tables_for(
    program: Program, settings: RunSettings, files: Sequence[NamedFile], options: TableOptions
) -> list[TableFile]:
    """The tables that a run reads."""
    return [_file(program, settings, file, options) for file in files]


def _file(program: Program, settings: RunSettings, file: NamedFile, options: TableOptions) -> TableFile:
    name, path = file
    if path != STDIN and not Path(path).exists():
        raise LaserError(f"input {name or path}: there is no file {path}")
    if name:
        return table_for(program, settings, _predicate(program, name), path, options, name)
    return mixed_for(program, settings, path, options)


def mixed_for(program: Program, settings: RunSettings, path: str, options: TableOptions) -> MixedTable:
    """A file with a column for the predicate of each row."""
    return MixedTable(
        path=path,
        layout=options.layout,
        time=options.time,
        dialect=options.dialect,
        column=options.predicate,
        inputs=_inputs(program, settings, path, options),
    )


def _inputs(program: Program, settings: RunSettings, path: str, options: TableOptions) -> list[TableInput]:
    """The predicates that a table with several predicates can have: as declared, or as the rules read them."""
    derived = {rule.head.predicate for rule in program.rules}
    known = sorted(program.inputs or _read(program) - derived)
    names = [predicate.name for predicate in known]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise LaserError(
            f"{path}: the program reads {twice} with several numbers of arguments, and the column has only the name"
        )
    return [table_for(program, settings, predicate, path, options) for predicate in known]


def table_for(
    program: Program, settings: RunSettings, predicate: Predicate, path: str, options: TableOptions, name: str = ""
) -> TableInput:
    """A file with the facts of one predicate."""
    declared = program.inputs.get(predicate)
    types = [kind for _, kind in declared.fields] if declared else _used(program, settings, predicate)
    return TableInput(
        predicate=predicate,
        path=path,
        layout=options.layout,
        names=[field for field, _ in declared.fields] if declared else (),
        types=types,
        columns=options.columns.get(name, options.columns.get(predicate.name, ())),
        time=options.time,
        dialect=options.dialect,
    )


def _used(program: Program, settings: RunSettings, predicate: Predicate) -> list[Declared]:
    """The types that the rules expect of the arguments. A column that may have times or durations is left open."""
    plain = find_uses(accept(program, settings)).get(predicate, [None] * predicate.arity)
    try:
        dated = find_uses(accept(program, replace(settings, dates=True))).get(predicate, plain)
    except ProgramError:  # the program compares times with numbers, so its times are numbers
        dated = plain
    uses = [one if other is None or other.fits(NUMBER) else other for one, other in zip(plain, dated, strict=True)]
    return list(map(_used_as, uses))


def _used_as(use: StaticType | None) -> Declared:
    """The type of an undeclared argument: a number if the rules compute with it."""
    return Declared.NUMBER if use is not None and use.fits(NUMBER) else Declared.ANY


def _predicate(program: Program, name: str) -> Predicate:
    """The predicate of a table: as declared, or as the rules read it."""
    bare, _, arity = name.partition("/")
    if arity.isdigit():
        return Predicate(bare, int(arity))
    known = program.inputs or _read(program)
    found = sorted(predicate for predicate in known if predicate.name == bare)
    if len(found) == 1:
        return found[0]
    if found:
        raise LaserError(
            f"input {name}: the program reads {listed(list(map(str, found)), 'and')}; name one of them, such as {found[0]}"
        )
    hint = did_you_mean(bare, sorted({predicate.name for predicate in known}))
    raise LaserError(f"input {name}: the program reads no {name}" + (f"; {hint}" if hint else ""))


def _read(program: Program) -> set[Predicate]:
    return {literal.atom.predicate for rule in program.rules for literal in rule.all_literals}
