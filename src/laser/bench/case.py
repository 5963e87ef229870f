"""What is measured: an experiment is a program and a stream, both generated from a few numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

__all__ = ["Batch", "Case", "Experiment", "Fact", "System"]

Fact: TypeAlias = tuple[Any, ...]

Batch: TypeAlias = tuple[int, list[Fact]]
"""A time with its facts."""


class System(Protocol):
    """A system under measurement, for one run."""

    def load(self, t: int, facts: list[Fact]) -> None:
        """Take facts on the way to the steady state; the answer is not needed."""

    def run(self, batches: list[Batch]) -> int:
        """Take the facts of some ticks and answer at each. Returns the size of the output."""


@dataclass(frozen=True, order=True)
class Case:
    """One point of an experiment: n facts per time point, window w, r rules, and the number of other live facts."""

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
    """``first`` gives the facts at the beginning of the timeline; ``warm`` is the number of ticks to the steady state.

    ``reach`` is how far back a system without windows must keep facts.
    """

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
    reach: Callable[[Case], int] = lambda case: case.w
    snapshots: bool = True
