"""The nodes of a plan. Each is a set of keys with horizons, and its class describes what the keys mean.

A key is the flat tuple of an atom, ``(name, *args)``; nodes that know *when* append the time point. A horizon is the last
evaluation time for which the key is guaranteed. *Inputs* are fed by the stream and the clock; the others are made by rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias, assert_never

from laser.values import Predicate, Value, write_value
from laser.values.fold import Fold
from laser.windows import HISTORY, PRESENT, LastFacts, LastOf, Sliding, TimeWindow, TupleWindow, Window

__all__ = [
    "Aggregated", "Background", "Beginning", "Counted", "Dated", "Ending", "EveryPoint", "Feed", "Gate", "Given", "InputNode", "MadeNode", "ManyPoints", "Members", "Node", "Pending", "Pinned", "Plain",
    "Points", "Projection", "Recent", "Recorded", "RecordedDated", "Shared", "Steady", "Threshold", "Unbroken", "Union", "Unit",
]  # fmt: skip


class Feed(Enum):
    """What feeds an input."""

    STREAM = auto()
    """The facts of its predicate, at each tick that has some."""
    ARRIVALS = auto()
    """The facts of the whole stream in arrival order."""
    LATEST = auto()
    """The facts of its predicate in arrival order, at each tick that has some."""
    CLOCK = auto()
    """Every tick."""
    ONCE = auto()
    """The start of the timeline."""
    RECORD = auto()
    """What rules derived of its predicate at earlier time points."""
    INTERVALS = auto()
    """Keys with intervals that others computed: it asks for the next one when its time has come."""


class Ending(NamedTuple):
    """A key ends when the time point at this position among its values leaves this window."""

    position: int
    window: TimeWindow


class Node:
    """The base of all nodes. A subclass overrides what differs."""

    __slots__ = ()

    @property
    def label(self) -> str:
        """The first item of its keys."""
        return ""

    @property
    def width(self) -> int:
        """The number of values in its keys after the label."""
        return 0

    @property
    def subject(self) -> str:
        """What it is about, for people: its predicate if it has one, otherwise the node itself."""
        return str(getattr(self, "predicate", self))

    @property
    def sources(self) -> tuple[Node, ...]:
        """The nodes that it is computed from, if no rule of the plan derives it."""
        return ()

    @property
    def feed(self) -> Feed | None:
        """How the machine feeds it; None if it is derived, not fed."""
        return None

    @property
    def revokes(self) -> bool:
        """Whether it may end a key before its horizon."""
        return False

    @property
    def stands(self) -> bool:
        """Whether its keys hold until they are revoked, if ever."""
        return False

    @property
    def ending(self) -> Ending | None:
        """How the end of a key follows from the key itself, so that nothing can renew it."""
        return None

    @property
    def is_access_path(self) -> bool:
        """Whether it is only a way to read what rules derive, not a rule of the program."""
        return False

    @property
    def id(self) -> tuple[str | int, ...]:
        """The id of an input in saved states."""
        raise AssertionError(f"{self} is not an input")


@dataclass(frozen=True, slots=True)
class _OfPredicate(Node):
    """Atoms of one predicate."""

    predicate: Predicate

    @property
    def label(self) -> str:
        return self.predicate.name

    @property
    def width(self) -> int:
        return self.predicate.arity


@dataclass(frozen=True, slots=True)
class _AtTimes(_OfPredicate):
    """Atoms of one predicate, with the time point last."""

    @property
    def width(self) -> int:
        return self.predicate.arity + 1


# -- inputs


@dataclass(frozen=True, slots=True)
class Recent(_OfPredicate):
    """``⊞ ◇ a`` of streamed facts; with the window of the present, the facts of the present."""

    window: Window

    @property
    def feed(self) -> Feed:
        return _feed(self.window)

    @property
    def revokes(self) -> bool:
        return isinstance(self.window, TupleWindow)

    @property
    def stands(self) -> bool:
        return self.revokes

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("recent", *self.predicate, *self.window.id)

    def __str__(self) -> str:
        return f"{self.predicate} now" if self.window == PRESENT else f"{self.predicate}{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Dated(_AtTimes):
    """``⊞ @T a`` of streamed facts, with the time."""

    window: Window

    @property
    def feed(self) -> Feed:
        return _feed(self.window)

    @property
    def revokes(self) -> bool:
        return isinstance(self.window, TupleWindow)

    @property
    def stands(self) -> bool:
        return self.revokes or self.window == HISTORY

    @property
    def ending(self) -> Ending | None:
        return _ending(self.predicate.arity, self.window)

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("dated", *self.predicate, *self.window.id)

    def __str__(self) -> str:
        return f"{self.predicate} at T{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Recorded(_OfPredicate):
    """``⊞ ◇ a`` of what was recorded before the present."""

    window: TimeWindow

    @property
    def feed(self) -> Feed:
        return Feed.RECORD

    @property
    def revokes(self) -> bool:
        return True

    @property
    def stands(self) -> bool:
        return True

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("recorded", *self.predicate, *self.window.id)

    def __str__(self) -> str:
        return f"{self.predicate} recorded{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class RecordedDated(_AtTimes):
    """``⊞ @T a`` of what was recorded before the present, with the time."""

    window: TimeWindow

    @property
    def feed(self) -> Feed:
        return Feed.RECORD

    @property
    def stands(self) -> bool:
        return self.window == HISTORY

    @property
    def ending(self) -> Ending | None:
        return _ending(self.predicate.arity, self.window)

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("recorded at", *self.predicate, *self.window.id)

    def __str__(self) -> str:
        return f"{self.predicate} recorded at T{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Unbroken(_OfPredicate):
    """``⊞n □ a`` of streamed facts, n ≥ 1: kept as runs."""

    window: Sliding

    @property
    def feed(self) -> Feed:
        return Feed.STREAM

    @property
    def revokes(self) -> bool:
        return True

    @property
    def stands(self) -> bool:
        return True

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("unbroken", *self.predicate, *self.window.id)

    def __str__(self) -> str:
        return f"{self.predicate} always{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Points(Node):
    """The time points of a window."""

    window: Window

    @property
    def width(self) -> int:
        return 1

    @property
    def feed(self) -> Feed:
        return Feed.CLOCK

    @property
    def revokes(self) -> bool:
        return isinstance(self.window, TupleWindow)

    @property
    def ending(self) -> Ending | None:
        return _ending(0, self.window)

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("points", *self.window.id)

    def __str__(self) -> str:
        return f"time points{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Beginning(Node):
    """The start of the window of each key that has as many facts as the window counts.

    For all other keys, of which there is no limit, the window begins with the timeline.
    """

    window: LastOf

    @property
    def width(self) -> int:
        return len(self.window.per) + 1

    @property
    def feed(self) -> Feed:
        return Feed.LATEST

    @property
    def revokes(self) -> bool:
        return True

    @property
    def stands(self) -> bool:
        return True

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("beginning", *self.window.id)

    def __str__(self) -> str:
        return f"beginnings of {self.window.predicate}{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Background(_OfPredicate):
    """Background data of one predicate."""

    @property
    def feed(self) -> Feed:
        return Feed.ONCE

    @property
    def stands(self) -> bool:
        return True

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("background", *self.predicate)

    def __str__(self) -> str:
        return f"{self.predicate} background"


@dataclass(frozen=True, slots=True)
class Unit(Node):
    """One key that always holds: the starting point of a body without positive atoms."""

    @property
    def feed(self) -> Feed:
        return Feed.ONCE

    @property
    def stands(self) -> bool:
        return True

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("unit",)

    def __str__(self) -> str:
        return "always"


@dataclass(frozen=True, slots=True)
class Given(Node):
    """A node of another plan, whose keys come as intervals: each holds from its begin to its end."""

    source: Node

    @property
    def label(self) -> str:
        return self.source.label

    @property
    def width(self) -> int:
        return self.source.width

    @property
    def feed(self) -> Feed:
        return Feed.INTERVALS

    def __str__(self) -> str:
        return f"{self.source}, as intervals"


# -- made by rules


@dataclass(frozen=True, slots=True)
class Plain(_OfPredicate):
    """Atoms that rules derive for the present."""

    def __str__(self) -> str:
        return f"{self.predicate} derived"


@dataclass(frozen=True, slots=True)
class Pinned(_AtTimes):
    """Atoms that rules derive for a time point of the past or the present."""

    def __str__(self) -> str:
        return f"{self.predicate} derived at T"


@dataclass(frozen=True, slots=True)
class Pending(_AtTimes):
    """Atoms whose time may be in the future, or that must wait until they enter a window.

    Without a delay, it is the source of ``Pinned`` if a head may have a time in the future.
    """

    window: TimeWindow = HISTORY

    @property
    def is_access_path(self) -> bool:
        return self.window != HISTORY

    def __str__(self) -> str:
        return f"{self.predicate} derived at T, perhaps to come{_inside(self.window)}"


@dataclass(frozen=True, slots=True)
class Union(_OfPredicate):
    """Several sources of a predicate under one modality and window."""

    modality: OneOf["sometime", "at", "always"]
    window: Window
    parts: frozenset[str]

    @property
    def width(self) -> int:
        return self.predicate.arity + (self.modality == "at")

    @property
    def is_access_path(self) -> bool:
        return True

    def __str__(self) -> str:
        word = {"sometime": "", "at": " at T", "always": " always"}[self.modality]
        return f"{self.predicate}{word}{_inside(self.window)} from {' + '.join(sorted(self.parts))}"


@dataclass(frozen=True, slots=True)
class Projection(Node):
    """A node with only some of the values of another: what an atom with ``_`` reads. The window is the window of the atom."""

    source: Node
    kept: tuple[int, ...]
    window: TimeWindow = HISTORY

    @property
    def label(self) -> str:
        return self.source.label

    @property
    def width(self) -> int:
        return len(self.kept)

    @property
    def is_access_path(self) -> bool:
        return True

    def __str__(self) -> str:
        values = ", ".join(str(i + 1) for i in self.kept) or "none"
        return f"{self.source}{_inside(self.window)}, values {values}"


@dataclass(frozen=True, slots=True)
class Counted(Node):
    """A node that counts time points, from the node with the time points at which a holds."""

    dated: Node

    @property
    def label(self) -> str:
        return self.dated.label

    @property
    def width(self) -> int:
        return self.dated.width - 1

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.dated,)

    @property
    def revokes(self) -> bool:
        return True

    @property
    def test(self) -> OneOf["==", ">="]:
        """How the number of time points is compared with the number that is needed."""
        return ">="

    def needed_code(self) -> str:
        """The number of time points that are needed, as a Python expression over ``t`` and ``t0``."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ManyPoints(Counted):
    """``⊞ ◇≥n a``: at n or more time points."""

    times: int

    def needed_code(self) -> str:
        return str(self.times)

    def __str__(self) -> str:
        return f"at {self.times} time points or more: {self.dated}"


@dataclass(frozen=True, slots=True)
class EveryPoint(Counted):
    """``⊞ □ a``: at every time point of the window; ``per`` are the positions of the values that form the key of the window."""

    window: Window
    per: tuple[int, ...] = ()

    @property
    def test(self) -> OneOf["==", ">="]:
        return "=="

    def needed_code(self) -> str:
        assert isinstance(self.window, TimeWindow), "a tuple window counts facts, which no recursion makes"
        return self.window.length_code()

    def __str__(self) -> str:
        return f"at every time point of {str(self.window) or 'the timeline'}: {self.dated}"


@dataclass(frozen=True, slots=True)
class Steady(Node):
    """``⊞n □ a`` for atoms that are derived for the present and recorded: those that have held for n ticks without a break."""

    predicate: Predicate
    source: Node
    window: Sliding

    @property
    def label(self) -> str:
        return self.source.label

    @property
    def width(self) -> int:
        return self.source.width

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.source,)

    @property
    def revokes(self) -> bool:
        return True

    @property
    def stands(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.source}, for as long as {self.window}"


@dataclass(frozen=True, slots=True)
class Shared(Node):
    """A join, or a whole body, that several rules share; its keys are the variables that the rules need."""

    part: str
    number: int
    values: int

    @property
    def width(self) -> int:
        return self.values

    def __str__(self) -> str:
        return f"shared {self.part} {self.number}"


@dataclass(frozen=True, slots=True)
class Members(Node):
    """The tuples of aggregates, each after the values of its group."""

    number: int
    values: int

    @property
    def width(self) -> int:
        return self.values

    def __str__(self) -> str:
        return f"tuples {self.number}"


class Threshold(NamedTuple):
    """The comparison of the result of an aggregate with a value: ``result operator value``."""

    operator: str
    value: Value


@dataclass(frozen=True, slots=True)
class Aggregated(Node):
    """Groups of tuples with their results: one key for each group that has tuples, with the result last.

    ``groups`` and ``value`` are positions among the values of the tuples' keys. With a ``threshold``, a key has no result:
    it holds while the comparison does.
    """

    tuples: Node
    groups: tuple[int, ...]
    fold: Fold
    value: int
    level: Fraction | None = None
    threshold: Threshold | None = None

    @property
    def width(self) -> int:
        return len(self.groups) + (self.threshold is None)

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.tuples,)

    @property
    def revokes(self) -> bool:
        return True

    @property
    def stands(self) -> bool:
        return True

    def __str__(self) -> str:
        level = "" if self.level is None else f" {float(self.level)}"
        groups = f" by {', '.join(str(i + 1) for i in self.groups)}" if self.groups else ""
        limit = f" {self.threshold.operator} {write_value(self.threshold.value)}" if self.threshold else ""
        return f"{self.fold.value}{level} of value {self.value + 1}{groups}{limit}: {self.tuples}"


@dataclass(frozen=True, slots=True)
class Gate(Node):
    """A condition that is the same for all heads of a rule: one key of a node, which holds until it is revoked."""

    source: Node
    values: tuple[Value, ...]

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.source,)

    @property
    def revokes(self) -> bool:
        return True

    @property
    def stands(self) -> bool:
        return True

    def __str__(self) -> str:
        which = f" of {', '.join(map(write_value, self.values))}" if self.values else ""
        return f"{self.source}{which}, while it holds"


InputNode: TypeAlias = (
    Recent | Dated | Recorded | RecordedDated | Unbroken | Points | Beginning | Background | Unit | Given
)
MadeNode: TypeAlias = (
    Plain
    | Pinned
    | Pending
    | Union
    | Projection
    | EveryPoint
    | ManyPoints
    | Steady
    | Aggregated
    | Members
    | Gate
    | Shared
)


def _feed(window: Window) -> Feed:
    match window:
        case LastFacts():
            return Feed.ARRIVALS
        case LastOf():
            return Feed.LATEST
        case TimeWindow():
            return Feed.STREAM
        case _:
            assert_never(window)


def _ending(position: int, window: TimeWindow | TupleWindow) -> Ending | None:
    leaves = isinstance(window, TimeWindow) and window.exit_code("u") is not None
    return Ending(position, window) if leaves and isinstance(window, TimeWindow) else None


def _inside(window: TimeWindow | TupleWindow) -> str:
    return f" in {window}" if str(window) else ""
