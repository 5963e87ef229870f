"""Programs as they are evaluated: constants and durations replaced, ``_`` renamed apart, negation brought to one form.

Terms are those of the tree without names of constants and ranges. What is left of negation is ``negated`` (the extended
atom does not hold) and ``absent`` (``⊞ @T ¬ a``: T is in the window, and a does not hold at T); the other inner negations
are rewritten by the laws of the specification, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as OneOf
from typing import TypeAlias

from laser.syntax import tree
from laser.terms import Atom, Predicate
from laser.time import Tick

__all__ = ["BodyElement", "Core", "CoreRule", "CoreWindow", "Extended", "Test"]


@dataclass(frozen=True, slots=True)
class CoreWindow:
    """A window of ``size`` ticks (kind time) or facts (kind tuple)."""

    kind: OneOf["time", "tuple"]
    size: int


@dataclass(frozen=True, slots=True)
class Extended:
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
class Test:
    """A comparison; ``X = term`` with X not bound otherwise assigns."""

    operator: str
    left: tree.Term
    right: tree.Term
    origin: tree.Comparison | None = field(default=None, compare=False, repr=False)


BodyElement: TypeAlias = Extended | Test


@dataclass(frozen=True, slots=True)
class CoreRule:
    """A rule; ``time`` is the term of an ``@T`` head, ``text`` the user's own line."""

    predicate: Predicate
    args: tuple[tree.Term, ...]
    time: tree.Term | None
    body: tuple[BodyElement, ...]
    text: str = field(default="", compare=False, repr=False)
    origin: tree.Rule | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Core:
    """A program ready to be evaluated, with its background data."""

    rules: tuple[CoreRule, ...]
    background: frozenset[Atom] = frozenset()
    shown: frozenset[Predicate] | None = None
    tick: Tick = Tick()

    @cached_property
    def derived(self) -> frozenset[Predicate]:
        """The predicates that some rule derives."""
        return frozenset(rule.predicate for rule in self.rules)

    def shows(self, predicate: Predicate) -> bool:
        """Whether the output lists a derived predicate."""
        return self.shown is None or predicate in self.shown
