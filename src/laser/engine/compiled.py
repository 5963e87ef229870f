"""Keeps the compiled code of a program for its next reasoner.

Planning and compiling take most of the time that is needed to make a reasoner. A service that restores states, or a
Spark worker with a reasoner for each key, makes many reasoners of the same program.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field, replace
from typing import Any

from laser.checks.accept import accept
from laser.engine.codegen.module import Module, compile_plan
from laser.plan.build import build
from laser.rules.rule import ResolvedProgram
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.syntax.program import Program
from laser.values import Predicate

__all__ = ["Compiled", "compiled"]

MOST_SETTINGS = 4
"""The number of different settings, the latest ones, for which the code of a program is kept."""


@dataclass(frozen=True)
class Compiled:
    """A program resolved for some settings, and its code for each set of additional stream predicates."""

    core: ResolvedProgram
    modules: dict[frozenset[Predicate], Module] = field(default_factory=dict)

    def module(self, streamed: frozenset[Predicate]) -> Module:
        """The code if these derived or background predicates also arrive in the stream."""
        if streamed not in self.modules:
            self.modules[streamed] = compile_plan(build(self.core, streamed))
        return self.modules[streamed]


Entry = tuple[object, Compiled]

_kept: dict[int, tuple[Entry, ...]] = {}
"""The entries of each program that is still in use, by its id, the latest last. Threads may replace them at any time."""


def compiled(program: Program, settings: RunSettings) -> Compiled:
    """The compiled program, which is reused if the same object was compiled before with equal settings."""
    asked = _identity(settings)
    entries = _kept.get(id(program), ())
    made = next((made for known, made in entries if known == asked), None) or Compiled(accept(program, settings))
    if not entries:
        weakref.finalize(program, _kept.pop, id(program), None).atexit = False
    others = [entry for entry in entries if entry[1] is not made]
    _kept[id(program)] = (*others, (asked, made))[-MOST_SETTINGS:]
    return made


def _identity(settings: RunSettings) -> object:
    """The settings that change the code. The types of constants matter: True and 1 are equal in Python, but not in Laser."""
    constants: list[tuple[str, type, Any]] = sorted((k, type(v), v) for k, v in settings.constants.items())
    return constants, replace(settings, start=None, until=None, limit=DEFAULT_LIMIT, constants={})
