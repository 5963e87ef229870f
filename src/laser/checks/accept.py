"""The only way to a program that can be evaluated: Laser either refuses it, with all errors, or resolves it."""

from __future__ import annotations

from laser.checks import refuse_run
from laser.checks.bad_zone import refuse_zone
from laser.checks.mixed_types import mixed_types
from laser.errors import ProgramError
from laser.rules.resolve import resolve
from laser.rules.rule import ResolvedProgram
from laser.settings import DEFAULTS, RunSettings
from laser.syntax.program import Program, expect_program

__all__ = ["accept"]


def accept(program: Program, settings: RunSettings = DEFAULTS) -> ResolvedProgram:
    """Resolve a program for a run with these settings; raises ProgramError if the program has errors."""
    refuse_run(expect_program(program), settings.constants, settings.tick)
    refuse_zone(program, settings)
    core = resolve(program, settings)
    if core.dates and (mixed := list(mixed_types(program, core))):
        raise ProgramError(list(map(program.located, mixed)), program.source, program.name)
    return core
