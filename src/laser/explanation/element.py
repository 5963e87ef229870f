"""What explanations ask of a body element, and what they get.

Each kind of element answers in a class of its own; ``explainers.py`` lists these classes, and nobody else tells kinds apart.
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
"""The values of variables while a body is solved. All steps share one, so that nothing is copied."""
LOW, HIGH = ("low",), ("high",)
"""Where a binding keeps the time points between which the time of a head must lie."""
Emit: TypeAlias = Callable[[Binding], bool]
"""What to do with a solution; it says whether that is enough."""
Step: TypeAlias = Callable[["World", Binding, Emit], bool]
"""One element of a body: finds values for its variables and goes on with the next step, until that says that it is enough."""
Cost: TypeAlias = tuple[int, int]
Values: TypeAlias = Mapping[str, Value]
"""The values of variables in a rule instance, or in an attempt at one."""
Asked: TypeAlias = tuple[Pattern, int, int]
"""An atom, at some time from a first to a last."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Why an element fails under a binding; the attempt with the highest ``closeness`` is shown."""

    reason: str
    nearest: tuple[str, ...] = ()
    closeness: float = 0
    because: tuple[Proof, ...] = ()
    """The proofs of what should not hold, and does."""
    asked: Asked | None = None
    """What should have been derived."""
    window: Extent | None = None
    concerns: frozenset[str] = frozenset()
    """Variables of which the reader must know where their values come from."""


class Validity(NamedTuple):
    """The evaluation times from which and up to which something is valid, the present among them."""

    first: float = -inf
    last: float = inf

    def __and__(self, other: Validity) -> Validity:
        return Validity(max(self.first, other.first), min(self.last, other.last))


E = TypeVar("E", bound=BodyElement)


class ElementExplainer(ABC, Generic[E]):
    """The answers of one kind of body element."""

    attempts: ClassVar[int] = 40
    """Where it fails, the best of so many attempts at the elements before it is shown."""

    @abstractmethod
    def cost(self, element: E, bound: AbstractSet[str], ranged: str | None) -> Cost:
        """How much work it is likely to make if these variables are bound; what costs least has its turn first.

        ``ranged`` is the variable of the head's time where only a range for it is given.
        """

    @abstractmethod
    def step(self, element: E, bound: AbstractSet[str], ranged: str | None, then: Step) -> Step:
        """Solve it: set its variables, and go on with ``then``."""

    def joins_one_by_one(self, element: E) -> bool:
        """Whether a solution rests on one atom, so that in a recursion new atoms alone give the new solutions."""
        return False

    def supports(self, world: World, element: E, binding: Values) -> Iterable[Sequence[TimedAtom]]:
        """The ways to make it hold, the best known first: for each, the atoms on which it rests. Mostly there are none."""
        return ((),)

    @abstractmethod
    def premise(self, world: World, element: E, binding: Values, proofs: Sequence[Proof], text: str) -> Premise:
        """Why it holds; ``proofs`` are of the atoms on which it rests, ``text`` is what the author wrote."""

    @abstractmethod
    def near_miss(self, prover: Prover, element: E, binding: Values) -> NearMiss:
        """Why it fails, under values for which all elements before it hold."""

    @abstractmethod
    def validity(self, validities: Validities, element: E, binding: Values, entries: Sequence[TimedAtom]) -> Validity:
        """Between which evaluation times it holds for the same reason, if nothing arrives."""
