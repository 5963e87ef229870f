"""The nodes of a plan: each a set of keys with horizons, described by what it holds. Data only.

A key is the flat tuple of an atom, ``(name, *args)``; nodes that know *when* append the time point. A horizon is the last
evaluation time for which the key is guaranteed. *Inputs* are fed by the stream; the others are made by rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from laser.values import Predicate, Value, write_value

__all__ = [
    "Background", "Dated", "Every", "Gate", "Input", "LastDated", "LastPoints", "LastRecent", "Node", "Pending", "Pinned", "Plain",
    "Points", "Projected", "Recent", "Shared", "Unbroken", "Unit", "View", "is_input", "label_of", "width_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recent:
    """``⊞n ◇ a`` of streamed facts; with n = 0, the facts of the present."""

    predicate: Predicate
    ticks: int

    def __str__(self) -> str:
        return f"{self.predicate} now" if self.ticks == 0 else f"{self.predicate} in [{self.ticks}]"


@dataclass(frozen=True, slots=True)
class Dated:
    """``⊞n @T a`` of streamed facts, with the time; without a window, for ever."""

    predicate: Predicate
    ticks: int | None

    def __str__(self) -> str:
        return f"{self.predicate} at T" + ("" if self.ticks is None else f" in [{self.ticks}]")


@dataclass(frozen=True, slots=True)
class Unbroken:
    """``⊞n □ a`` of streamed facts, n ≥ 1: kept as runs."""

    predicate: Predicate
    ticks: int

    def __str__(self) -> str:
        return f"{self.predicate} always in [{self.ticks}]"


@dataclass(frozen=True, slots=True)
class LastRecent:
    """``⊞#n ◇ a``."""

    predicate: Predicate
    tuples: int

    def __str__(self) -> str:
        return f"{self.predicate} in [{self.tuples} #]"


@dataclass(frozen=True, slots=True)
class LastDated:
    """``⊞#n @T a``, with the time."""

    predicate: Predicate
    tuples: int

    def __str__(self) -> str:
        return f"{self.predicate} at T in [{self.tuples} #]"


@dataclass(frozen=True, slots=True)
class Points:
    """The time points of a time window; without a window, of the timeline."""

    ticks: int | None

    def __str__(self) -> str:
        return "time points" + ("" if self.ticks is None else f" in [{self.ticks}]")


@dataclass(frozen=True, slots=True)
class LastPoints:
    """The time points of a tuple window."""

    tuples: int

    def __str__(self) -> str:
        return f"time points in [{self.tuples} #]"


@dataclass(frozen=True, slots=True)
class Background:
    """Background data of one predicate."""

    predicate: Predicate

    def __str__(self) -> str:
        return f"{self.predicate} background"


@dataclass(frozen=True, slots=True)
class Unit:
    """One key that always holds: what a body without positive atoms starts from."""

    def __str__(self) -> str:
        return "always"


@dataclass(frozen=True, slots=True)
class Plain:
    """Atoms that rules derive for the present."""

    predicate: Predicate

    def __str__(self) -> str:
        return f"{self.predicate} derived"


@dataclass(frozen=True, slots=True)
class Pinned:
    """Atoms that rules derive for a time point of the past or the present."""

    predicate: Predicate

    def __str__(self) -> str:
        return f"{self.predicate} derived at T"


@dataclass(frozen=True, slots=True)
class Pending:
    """What ``Pinned`` is made of where a head may name a time that is still to come."""

    predicate: Predicate

    def __str__(self) -> str:
        return f"{self.predicate} derived at T, perhaps to come"


@dataclass(frozen=True, slots=True)
class View:
    """The union of several sources of a predicate under one modality and window."""

    predicate: Predicate
    modality: OneOf["sometime", "at", "always"]
    kind: OneOf["time", "tuple"]
    size: int | None
    sources: frozenset[str]

    def __str__(self) -> str:
        unit = " #" if self.kind == "tuple" else ""
        window = "" if self.size is None else f" in [{self.size}{unit}]"
        word = {"sometime": "", "at": " at T", "always": " always"}[self.modality]
        return f"{self.predicate}{word}{window} from {' + '.join(sorted(self.sources))}"


@dataclass(frozen=True, slots=True)
class Projected:
    """A node of whose values only some are kept: what an atom with ``_`` reads. The cap is that of the atom."""

    source: Node
    kept: tuple[int, ...]
    cap: int | None = None

    def __str__(self) -> str:
        window = "" if self.cap is None else f" in [{self.cap}]"
        return f"{self.source}{window}, values {', '.join(str(i + 1) for i in self.kept) or 'none'}"


@dataclass(frozen=True, slots=True)
class Every:
    """``⊞ □ a``, counted from the node that knows at which time points a holds; without a size, over the timeline."""

    dated: Node
    kind: OneOf["time", "tuple"]
    size: int | None

    def __str__(self) -> str:
        return f"at every time point of [{self.size}{' #' if self.kind == 'tuple' else ''}]: {self.dated}"


@dataclass(frozen=True, slots=True)
class Shared:
    """The join, or the whole body, that several rules have in common; its keys are the variables that they need of it."""

    part: str
    number: int
    width: int

    def __str__(self) -> str:
        return f"shared {self.part} {self.number}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition that is one for all heads of a rule: one key of a node, which stands until it is revoked."""

    source: Node
    values: tuple[Value, ...]

    def __str__(self) -> str:
        which = f" of {', '.join(map(write_value, self.values))}" if self.values else ""
        return f"{self.source}{which}, while it holds"


Input: TypeAlias = Recent | Dated | Unbroken | LastRecent | LastDated | Points | LastPoints | Background | Unit
Node: TypeAlias = Input | Plain | Pinned | Pending | View | Projected | Every | Gate | Shared

_INPUTS = (Recent, Dated, Unbroken, LastRecent, LastDated, Points, LastPoints, Background, Unit)


def is_input(node: Node) -> bool:
    """Whether a node is fed by the stream and the clock rather than made by rules."""
    return isinstance(node, _INPUTS)


def label_of(node: Node) -> str:
    """What stands first in the keys of a node."""
    if isinstance(node, Every):
        return label_of(node.dated)
    if isinstance(node, Projected):
        return label_of(node.source)
    return "" if isinstance(node, Points | LastPoints | Unit | Gate | Shared) else node.predicate.name


def width_of(node: Node) -> int:
    """How many values the keys of a node have after the label."""
    match node:
        case Points() | LastPoints():
            return 1
        case Unit() | Gate():
            return 0
        case Shared(width=width):
            return width
        case Every(dated=dated):
            return width_of(dated) - 1
        case Projected(kept=kept):
            return len(kept)
        case View(predicate=predicate, modality=modality):
            return predicate.arity + (modality == "at")
        case Dated(predicate=predicate) | LastDated(predicate=predicate):
            return predicate.arity + 1
        case Pinned(predicate=predicate) | Pending(predicate=predicate):
            return predicate.arity + 1
        case _:
            return node.predicate.arity
