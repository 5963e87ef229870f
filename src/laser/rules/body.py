"""The elements of a resolved body, each with its terms, the atoms that it reads and the variables that it binds.

Terms are those of the syntax tree, but without constant names and ranges. Two kinds of negation remain: ``negated`` (the
extended atom does not hold) and ``negated_inside`` (``⊞ @T ¬ a``: T is in the window, and a does not hold at T). The other inner
negations are rewritten by the laws of the specification, section 3.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from laser.syntax import tree
from laser.syntax.terms import variables
from laser.values import Predicate
from laser.values.fold import Fold
from laser.windows import PRESENT, Window

__all__ = [
    "ALWAYS", "NOW", "SOMETIME", "Aggregate", "Always", "At", "AtLeast", "BodyElement", "Comparison", "ExtendedAtom", "InnerElement", "Modality", "Now", "Reading", "Sometime",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Now:
    """``a``."""


@dataclass(frozen=True, slots=True)
class Sometime:
    """``◇ a``."""


@dataclass(frozen=True, slots=True)
class Always:
    """``□ a``."""


@dataclass(frozen=True, slots=True)
class At:
    """``@T a``."""

    time: tree.Term


@dataclass(frozen=True, slots=True)
class AtLeast:
    """``◇≥n a``: at n or more time points of the window."""

    times: int


Modality: TypeAlias = Now | Sometime | Always | At | AtLeast

NOW, SOMETIME, ALWAYS = Now(), Sometime(), Always()


class Reading(NamedTuple):
    """An atom that an element reads; negative if the element may hold because the atom does not."""

    atom: ExtendedAtom
    negative: bool


@dataclass(frozen=True, slots=True)
class ExtendedAtom:
    """An extended atom. ``a`` has the window PRESENT, and ``@T a`` without a window has HISTORY."""

    predicate: Predicate
    args: tuple[tree.Term, ...]
    modality: Modality = NOW
    window: Window = PRESENT
    negated: bool = False
    negated_inside: bool = False
    origin: tree.Literal | None = field(default=None, compare=False, repr=False)

    @property
    def time(self) -> tree.Term | None:
        """The term of ``@T``."""
        return self.modality.time if isinstance(self.modality, At) else None

    @property
    def terms(self) -> tuple[tree.Term, ...]:
        """The arguments, and the time."""
        return (*self.args, self.modality.time) if isinstance(self.modality, At) else self.args

    @property
    def is_positive(self) -> bool:
        """Whether it requires the atom to hold."""
        return not (self.negated or self.negated_inside)

    def reads(self) -> tuple[Reading, ...]:
        return (Reading(self, not self.is_positive),)

    def binds(self, bound: AbstractSet[str]) -> frozenset[str]:
        """The variables that it binds when it is evaluated."""
        if self.negated:
            return frozenset()
        terms = self.terms[len(self.args) :] if self.negated_inside else self.terms
        return frozenset(term.name for term in terms if isinstance(term, tree.Variable))

    def is_ready(self, bound: AbstractSet[str]) -> bool:
        """Whether it can be evaluated: all variables that it does not bind itself are bound. ``_`` needs no value.

        The arguments of ``⊞ @T ¬a`` are bound elsewhere, even where T is one of them.
        """
        own = self.binds(bound)
        if self.negated_inside:
            own = own.difference(variable.name for variable in variables(self.args))
        return all(v.is_anonymous or v.name in bound or v.name in own for v in variables(self.terms))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison; ``X = term`` is an assignment if nothing else binds X."""

    operator: str
    left: tree.Term
    right: tree.Term
    origin: tree.Comparison | None = field(default=None, compare=False, repr=False)

    @property
    def terms(self) -> tuple[tree.Term, ...]:
        return (self.left, self.right)

    def reads(self) -> tuple[Reading, ...]:
        return ()

    def assigns(self, bound: AbstractSet[str]) -> tuple[str, tree.Term] | None:
        """The variable that ``=`` assigns, and the term that it gets."""
        if self.operator == "=":
            for target, source in ((self.left, self.right), (self.right, self.left)):
                free = isinstance(target, tree.Variable) and target.name not in bound
                if free and all(v.name in bound for v in variables((source,))):
                    assert isinstance(target, tree.Variable)
                    return target.name, source
        return None

    def binds(self, bound: AbstractSet[str]) -> frozenset[str]:
        """The variable that it assigns when it is evaluated, if any."""
        assigned = self.assigns(bound)
        return frozenset() if assigned is None else frozenset({assigned[0]})

    def is_ready(self, bound: AbstractSet[str]) -> bool:
        """Whether all its variables are bound, except one that it assigns."""
        return self.assigns(bound) is not None or all(v.name in bound for v in variables(self.terms))


InnerElement: TypeAlias = ExtendedAtom | Comparison
"""The elements of the body of an aggregate."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``result = fold(folded : body)``, for each group.

    The groups are the variables that it shares with the rest of the rule. ``given`` are those that must have a value before
    it is evaluated, because other parts of the rule bind them and its body cannot. If atoms outside bind all groups, the set of
    tuples ``may_be_empty``; otherwise the aggregate finds only the groups that have tuples.
    """

    fold: Fold
    folded: tuple[tree.Term, ...]
    body: tuple[InnerElement, ...]
    groups: tuple[tree.Variable, ...]
    result: tree.Variable
    given: frozenset[str] = frozenset()
    may_be_empty: bool = False
    level: Fraction | None = None
    origin: tree.Comparison | None = field(default=None, compare=False, repr=False)
    written: tree.Aggregate | None = field(default=None, compare=False, repr=False)
    """The aggregate as part of its comparison."""

    @property
    def terms(self) -> tuple[tree.Term, ...]:
        """The terms that the rest of the rule sees: the groups and the result."""
        return (*self.groups, self.result)

    @property
    def inner_terms(self) -> tuple[tree.Term, ...]:
        """The tuple, and the terms of its body."""
        return (*self.folded, *(term for element in self.body for term in element.terms))

    @property
    def atoms(self) -> tuple[ExtendedAtom, ...]:
        return tuple(element for element in self.body if isinstance(element, ExtendedAtom))

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(element for element in self.body if isinstance(element, Comparison))

    def reads(self) -> tuple[Reading, ...]:
        """What it reads must be complete first, as under ``not``: one more atom may change the result."""
        return tuple(Reading(atom, True) for atom in self.atoms)

    def binds(self, bound: AbstractSet[str]) -> frozenset[str]:
        """Its groups and its result."""
        return frozenset(variable.name for variable in (*self.groups, self.result))

    def is_ready(self, bound: AbstractSet[str]) -> bool:
        return self.given <= bound


BodyElement: TypeAlias = ExtendedAtom | Comparison | Aggregate
