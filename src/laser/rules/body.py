"""The elements of a body as they are evaluated: extended atoms and comparisons.

Terms are those of the tree without names of constants and ranges. What is left of negation is ``negated`` (the extended
atom does not hold) and ``absent`` (``⊞ @T ¬ a``: T is in the window, and a does not hold at T); the other inner negations
are rewritten by the laws of the specification, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from laser.syntax import tree
from laser.values import Predicate

__all__ = ["BodyElement", "Comparison", "CoreWindow", "ExtendedAtom"]


@dataclass(frozen=True, slots=True)
class CoreWindow:
    """A window of ``size`` ticks (kind time) or facts (kind tuple)."""

    kind: OneOf["time", "tuple"]
    size: int


@dataclass(frozen=True, slots=True)
class ExtendedAtom:
    """An extended atom; ``time`` is given exactly where the modality is ``at``."""

    predicate: Predicate
    args: tuple[tree.Term, ...]
    modality: OneOf["now", "at", "sometime", "always"] = "now"
    time: tree.Term | None = None
    window: CoreWindow | None = None
    negated: bool = False
    absent: bool = False
    origin: tree.Literal | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison; ``X = term`` with X not bound otherwise assigns."""

    operator: str
    left: tree.Term
    right: tree.Term
    origin: tree.Comparison | None = field(default=None, compare=False, repr=False)


BodyElement: TypeAlias = ExtendedAtom | Comparison
