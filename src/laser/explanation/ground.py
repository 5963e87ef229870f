"""What a proof rests on: the program, the facts, and the time at which it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from laser.rules.rule import ResolvedProgram
from laser.values import Atom

__all__ = ["Ground"]


@dataclass(frozen=True, eq=False)
class Ground:
    """The stream over [start, time]: facts in the order of their arrival, each once. ``whole`` where none is left out."""

    core: ResolvedProgram
    history: Sequence[tuple[int, Atom]]
    start: int
    time: int
    whole: bool = True

    @cached_property
    def facts(self) -> frozenset[tuple[int, Atom]]:
        return frozenset(self.history)
