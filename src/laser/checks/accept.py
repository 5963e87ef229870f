"""The one door to a program that can be evaluated: it is refused with everything that is wrong, or resolved."""

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
    """The evaluated form of a program in a run with these constants, tick and background data; else ProgramError."""
    refuse_run(expect_program(program), settings.constants, settings.tick)
    refuse_zone(program, settings)
    core = resolve(program, settings)
    if core.dates and (mixed := list(mixed_types(program, core))):
        raise ProgramError(list(map(program.located, mixed)), program.source, program.name)
    return core
