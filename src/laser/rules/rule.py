"""Programs as they are evaluated: constants and durations replaced, ``_`` renamed apart, negation brought to one form."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from laser.rules.body import BodyElement
from laser.syntax import tree
from laser.ticks import Tick
from laser.values import Atom, Predicate

__all__ = ["ResolvedProgram", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; ``time`` is the term of an ``@T`` head, ``text`` the user's own line."""

    predicate: Predicate
    args: tuple[tree.Term, ...]
    time: tree.Term | None
    body: tuple[BodyElement, ...]
    text: str = field(default="", compare=False, repr=False)
    origin: tree.Rule | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ResolvedProgram:
    """A program ready to be evaluated, with its background data."""

    rules: tuple[Rule, ...]
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
