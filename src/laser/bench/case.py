"""What is measured: an experiment is a program and a stream, both made from a few numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Case", "Experiment", "Fact", "Step"]

Fact: TypeAlias = tuple[Any, ...]

Step: TypeAlias = Callable[[int, list[Fact]], int]
"""Move a system to a time with its facts; how much came out."""


@dataclass(frozen=True, order=True)
class Case:
    """One point of an experiment: n facts a time point, window w, r rules, and how many facts are kept alive otherwise."""

    n: int = 0
    w: int = 0
    r: int = 1
    live: int = 0

    def __str__(self) -> str:
        parts = [f"n={self.n}" if self.n else "", f"w={self.w}" if self.w else ""]
        parts += [f"r={self.r}" if self.r > 1 else "", f"live={self.live}" if self.live else ""]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class Experiment:
    """``first`` gives facts for the beginning of the timeline; ``warm`` ticks lead to the steady state."""

    name: str
    title: str
    program: Callable[[Case], str]
    facts: Callable[[Case, int], list[Fact]]
    cases: tuple[Case, ...]
    quick: tuple[Case, ...]
    axis: str = "w"
    unit: str = "fact"
    first: Callable[[Case], list[Fact]] | None = None
    warm: Callable[[Case], int] = lambda case: case.w + 2
    snapshots: bool = True
