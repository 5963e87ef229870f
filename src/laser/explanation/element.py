"""The interface between explanations and the kinds of body element.

Each kind has its own class; ``explainers.py`` lists these classes, and no other code distinguishes the kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

from laser.explanation.explanation import Extent, Premise, Proof
from laser.explanation.pattern import Pattern
from laser.explanation.table import TimedAtom
from laser.rules.body import BodyElement
from laser.values import Value

if TYPE_CHECKING:
    from laser.explanation.lasting import Validities
    from laser.explanation.prove import Prover
    from laser.explanation.world import World

__all__ = [
    "HIGH",
    "LOW",
    "Asked",
    "Binding",
    "Cost",
    "ElementExplainer",
    "Emit",
    "NearMiss",
    "Step",
    "Validity",
    "Values",
]

Binding: TypeAlias = dict[Any, Any]
"""The values of variables while a body is solved. All steps share one binding, so that nothing is copied."""
LOW, HIGH = ("low",), ("high",)
"""The key of a binding for the range of time points that the time of a head may have."""
Emit: TypeAlias = Callable[[Binding], bool]
"""Called with each solution; returns whether that is enough."""
Step: TypeAlias = Callable[["World", Binding, Emit], bool]
"""Solves one element of a body: finds values for its variables and calls the next step, until that returns True."""
Cost: TypeAlias = tuple[int, int]
Values: TypeAlias = Mapping[str, Value]
"""The values of variables in a rule instance, or in an attempt at one."""
Asked: TypeAlias = tuple[Pattern, int, int]
"""An atom, and the first and last time at which it may hold."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Why an element fails under a binding; the attempt with the highest ``closeness`` is shown."""

    reason: str
    nearest: tuple[str, ...] = ()
    closeness: float = 0
    because: tuple[Proof, ...] = ()
    """The proofs of what holds but should not."""
    asked: Asked | None = None
    """What should have been derived."""
    window: Extent | None = None
    concerns: frozenset[str] = frozenset()
    """Variables for which the explanation must say where their values come from."""


class Validity(NamedTuple):
    """The first and last evaluation time at which something is valid; the present is between them."""

    first: float = -inf
    last: float = inf

    def __and__(self, other: Validity) -> Validity:
        return Validity(max(self.first, other.first), min(self.last, other.last))


E = TypeVar("E", bound=BodyElement)


class ElementExplainer(ABC, Generic[E]):
    """The methods for one kind of body element."""

    attempts: ClassVar[int] = 40
    """The number of attempts at the elements before it that are compared to find the best one to show."""

    @abstractmethod
    def cost(self, element: E, bound: AbstractSet[str], ranged: str | None) -> Cost:
        """The expected work if these variables are bound; the cheapest element is solved first.

        ``ranged`` is the variable of the head's time if only a range for it is given.
        """

    @abstractmethod
    def step(self, element: E, bound: AbstractSet[str], ranged: str | None, then: Step) -> Step:
        """Solve it: set its variables, and call ``then``."""

    def joins_one_by_one(self, element: E) -> bool:
        """Whether a solution depends on one atom, so that in a recursion only new atoms give new solutions."""
        return False

    def supports(self, world: World, element: E, binding: Values) -> Iterable[Sequence[TimedAtom]]:
        """The ways to make it hold, the best first: for each, the atoms that it depends on. Most kinds have none."""
        return ((),)

    @abstractmethod
    def premise(self, world: World, element: E, binding: Values, proofs: Sequence[Proof], text: str) -> Premise:
        """Why it holds; ``proofs`` prove the atoms that it depends on, ``text`` is its source text."""

    @abstractmethod
    def near_miss(self, prover: Prover, element: E, binding: Values) -> NearMiss:
        """Why it fails, for values for which all elements before it hold."""

    @abstractmethod
    def validity(self, validities: Validities, element: E, binding: Values, entries: Sequence[TimedAtom]) -> Validity:
        """The evaluation times between which it holds for the same reason, if nothing arrives."""
