"""The one door to a program that can be evaluated: it is refused with everything that is wrong, or resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from laser.checks import refuse_run
from laser.rules.resolve import resolve
from laser.rules.rule import ResolvedProgram
from laser.syntax.program import Program, expect_program
from laser.ticks import Tick
from laser.values.facts import FactInput

__all__ = ["accept"]


def accept(
    program: Program,
    constants: Mapping[str, Any] | None = None,
    tick: str | Tick = Tick(),
    background: Iterable[FactInput] = (),
) -> ResolvedProgram:
    """The evaluated form of a program in a run with these constants, tick and background data; else ProgramError."""
    tick = Tick.parse(tick)
    refuse_run(expect_program(program), constants or {}, tick)
    return resolve(program, constants, tick, background)
