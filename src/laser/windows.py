"""All kinds of windows, and all computations on them.

A *time window* is a function from the present t to an interval of time points, cut to the timeline [t0, t]. For an atom at u, it
is two functions: the atom *enters* at ``entry(u)`` and is in the window until ``exit(u)``; both are monotone in u. A *tuple
window* has the last facts of the data stream, or of a part of it. Only this module computes where a window begins and ends and
how far it looks back. Code that must distinguish kinds of windows uses ``match`` with ``assert_never``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias
from typing import Literal as OneOf

from laser.phrases import count
from laser.values import Predicate
from laser.zones import Days

__all__ = [
    "HISTORY", "PRESENT", "WRITTEN", "Ago", "Arrivals", "Between", "Growing", "History", "Hopping", "LastFacts", "LastOf", "Reach", "SizeRule",
    "Sliding", "TimeWindow", "Tumbling", "TupleWindow", "Window",
]  # fmt: skip


class Arrivals(Protocol):
    """The data stream in arrival order, or the part that a tuple window counts, read on demand."""

    def time_of(self, back: int) -> int | None:
        """The time of the ``back``-th last fact; None if fewer facts have arrived."""


class SizeRule(NamedTuple):
    """The values allowed for one size of a window: a whole number of ticks or facts, at least ``least``. The name is for people."""

    name: str
    of: OneOf["ticks", "facts"]
    least: int


@dataclass(frozen=True, slots=True)
class Reach:
    """The past that an answer depends on: a number of ticks before the present (None: all), a number of last facts, and the
    facts of windows that count per key, however old these facts are.
    """

    ticks: int | None = 0
    tuples: int = 0
    latest: frozenset[LastOf] = frozenset()

    @property
    def is_bounded(self) -> bool:
        return self.ticks is not None

    @property
    def counts_facts(self) -> bool:
        """Whether the order of arrival matters, so that facts of any age may be needed."""
        return bool(self.tuples or self.latest)

    def __str__(self) -> str:
        if self.ticks is None:
            return "the whole history"
        past = [f"the {count(self.ticks, 'tick')} before the present"] if self.ticks else []
        facts = [f"the last {count(self.tuples, 'fact')} of the stream"] if self.tuples else []
        latest = sorted(each.content for each in self.latest)
        return " and ".join([*past, *facts, *latest]) or "only the present"


class _Window(ABC):
    """The base of time windows and tuple windows. A window is a frozen dataclass, and its fields are its sizes."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    SIZES: ClassVar[tuple[SizeRule, ...]] = ()
    """One rule for each size, in the order in which they are written."""
    ASCENDING: ClassVar[bool] = False
    """Whether the sizes must not decrease."""

    @property
    @abstractmethod
    def reach(self) -> Reach:
        """How far back it looks."""

    @abstractmethod
    def points(self, t: int, t0: int, arrivals: Arrivals) -> range:
        """Its time points at t, on a timeline that begins at t0; possibly none."""

    @staticmethod
    @abstractmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        """The window with its sizes as text, in the readable notation or as in the formal notation after ``⊞``.

        ``per`` are the arguments that form the key by which a window counts facts; only ``LastOf`` has them.
        """

    @property
    def id(self) -> tuple[str | int, ...]:
        """The id of the window in saved states, independent of the name of its class."""
        return (type(self).__name__.lower(), *self.sizes, *self._block_id)

    @property
    def _block_id(self) -> tuple[str | int, ...]:
        return ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Its sizes, in ticks or facts."""
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __str__(self) -> str:
        return self.written([str(size) for size in self.sizes], formal=False)


class TimeWindow(_Window):
    """A function from the present to an interval of time points."""

    __slots__ = ()

    @property
    def shows_present(self) -> bool | None:
        """Whether it includes the present: always, never, or (None) only sometimes. Matters for atoms derived for the present."""
        return True

    @property
    def may_be_empty(self) -> bool:
        """Whether it can be empty. Matters for background data, which hold at every time point."""
        return self.shows_present is not True

    @abstractmethod
    def interval(self, t: int) -> tuple[int | None, int]:
        """The first and the last time point at t, before they are cut to the timeline; None is the beginning of time."""

    def points(self, t: int, t0: int, arrivals: Arrivals) -> range:
        first, last = self.interval(t)
        return range(t0 if first is None else max(t0, first), min(t, last) + 1)

    def entry(self, u: int) -> int:
        """The time at which an atom at u enters."""
        return u

    @abstractmethod
    def exit(self, u: int) -> int | None:
        """The last time at which an atom at u is in it; None if it never leaves. Before ``entry(u)`` if it never enters."""

    @property
    def is_delayed(self) -> bool:
        """Whether an atom may enter later than its own time."""
        return False

    def next_gap(self, t: int) -> int | None:
        """The next time after t at which it contains no time point before the present; None if there is none.

        Matters for recorded atoms, which are known only from the next time point on.
        """
        return None

    def entry_code(self, u: str) -> str:
        """``entry`` as a Python expression, for generated code."""
        return u

    @abstractmethod
    def exit_code(self, u: str) -> str | None:
        """``exit`` as a Python expression, for generated code; None if nothing ever leaves."""

    @abstractmethod
    def length_code(self) -> str:
        """The number of its time points, as a Python expression over ``t`` and ``t0``; -1 if empty, so that nothing equals it."""


@dataclass(frozen=True, slots=True)
class Sliding(TimeWindow):
    """``[n]``: the present and the n ticks before."""

    ticks: int

    SIZES = (SizeRule("n", "ticks", 0),)

    @property
    def reach(self) -> Reach:
        return Reach(self.ticks)

    def interval(self, t: int) -> tuple[int | None, int]:
        return t - self.ticks, t

    def exit(self, u: int) -> int:
        return u + self.ticks

    def arrived(self, exit: int) -> int:  # noqa: A002 - the word of the specification
        """The time point of the atoms that are in it until ``exit``."""
        return exit - self.ticks

    def exit_code(self, u: str) -> str:
        return f"{u} + {self.ticks}"

    def length_code(self) -> str:
        return f"min({self.ticks}, t - t0) + 1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return sizes[0] if formal else f"[{sizes[0]}]"


@dataclass(frozen=True, slots=True)
class History(TimeWindow):
    """The whole timeline, for a body ``@T a`` without a window."""

    @property
    def reach(self) -> Reach:
        return Reach(None)

    def interval(self, t: int) -> tuple[int | None, int]:
        return None, t

    def exit(self, u: int) -> None:
        return None

    def exit_code(self, u: str) -> None:
        return None

    def length_code(self) -> str:
        return "t - t0 + 1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class _BlockWindow(TimeWindow):
    """A window that advances block by block: blocks of a number of ticks from 0 on, or of whole days in a zone (``days``)."""

    days: Days | None = field(default=None, kw_only=True)

    @property
    def _block_id(self) -> tuple[str | int, ...]:
        return () if self.days is None else self.days.id

    @property
    @abstractmethod
    def _step(self) -> int:
        """The number of ticks in a block, if it does not consist of days."""

    def begin(self, t: int) -> int:
        """The first time point of the block of t."""
        return t // self._step * self._step if self.days is None else self.days.begin(t)

    def following(self, t: int) -> int:
        """The first time point of the next block."""
        return (t // self._step + 1) * self._step if self.days is None else self.days.following(t)

    def begin_code(self, t: str) -> str:
        return f"{t} // {self._step} * {self._step}" if self.days is None else self.days.code("DAY_BEGIN", t)

    def following_code(self, t: str) -> str:
        return f"({t} // {self._step} + 1) * {self._step}" if self.days is None else self.days.code("DAY_AFTER", t)

    @property
    def most(self) -> int:
        """An upper bound for the ticks in a block."""
        return self._step if self.days is None else self.days.most_ticks


@dataclass(frozen=True, slots=True)
class Hopping(_BlockWindow):
    """``[n every d]``: the window ``[n]`` as it was at the last multiple of d."""

    ticks: int
    step: int

    SIZES = (SizeRule("n", "ticks", 0), SizeRule("d", "ticks", 1))

    @property
    def _step(self) -> int:
        return self.step

    @property
    def reach(self) -> Reach:
        return Reach(self.ticks + self.most - 1)

    @property
    def shows_present(self) -> bool | None:
        return True if self.step == 1 and self.days is None else None

    @property
    def is_delayed(self) -> bool:
        return self.step > 1 or self.days is not None

    def next_gap(self, t: int) -> int | None:
        return None if self.ticks else self.following(t)

    def interval(self, t: int) -> tuple[int | None, int]:
        last = self.begin(t)
        return last - self.ticks, last

    def entry(self, u: int) -> int:
        return -(-u // self.step) * self.step if self.days is None else self.following(u - 1)

    def exit(self, u: int) -> int:
        return self.following(u + self.ticks) - 1

    def entry_code(self, u: str) -> str:
        if self.days is not None:
            return self.following_code(f"{u} - 1")
        return f"-(-{u} // {self.step}) * {self.step}"

    def exit_code(self, u: str) -> str:
        if self.days is not None:
            return f"{self.following_code(f'{u} + {self.ticks}')} - 1"
        return f"({u} + {self.ticks}) // {self.step} * {self.step} + {self.step - 1}"

    def length_code(self) -> str:
        last = self.begin_code("t")
        return f"max(0, {last} - max(t0, {last} - {self.ticks}) + 1) or -1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"{sizes[0]}/{sizes[1]}" if formal else f"[{sizes[0]} every {sizes[1]}]"


@dataclass(frozen=True, slots=True)
class Tumbling(_BlockWindow):
    """``[each d]``: the last complete block of d ticks."""

    step: int

    SIZES = (SizeRule("d", "ticks", 1),)

    @property
    def _step(self) -> int:
        return self.step

    @property
    def reach(self) -> Reach:
        return Reach(2 * self.most - 1)

    @property
    def shows_present(self) -> bool:
        return False

    @property
    def is_delayed(self) -> bool:
        return True

    def interval(self, t: int) -> tuple[int | None, int]:
        begin = self.begin(t)
        return self.begin(begin - 1), begin - 1

    def entry(self, u: int) -> int:
        return self.following(u)

    def exit(self, u: int) -> int:
        return self.following(self.following(u)) - 1

    def entry_code(self, u: str) -> str:
        return self.following_code(u)

    def exit_code(self, u: str) -> str:
        if self.days is None:
            return f"({u} // {self.step} + 2) * {self.step} - 1"
        return f"{self.following_code(self.following_code(u))} - 1"

    def length_code(self) -> str:
        begin = self.begin_code("t")
        before = f"{begin} - {self.step}" if self.days is None else self.begin_code(f"{begin} - 1")
        return f"max(0, {begin} - max(t0, {before})) or -1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"[each {sizes[0]}]"


@dataclass(frozen=True, slots=True)
class Growing(_BlockWindow):
    """``[this d]``: the current block of d ticks, up to the present."""

    step: int

    SIZES = (SizeRule("d", "ticks", 1),)

    @property
    def _step(self) -> int:
        return self.step

    @property
    def reach(self) -> Reach:
        return Reach(self.most - 1)

    def next_gap(self, t: int) -> int:
        return self.following(t)

    def interval(self, t: int) -> tuple[int | None, int]:
        return self.begin(t), t

    def exit(self, u: int) -> int:
        return self.following(u) - 1

    def exit_code(self, u: str) -> str:
        return f"{self.following_code(u)} - 1"

    def length_code(self) -> str:
        return f"t - max(t0, {self.begin_code('t')}) + 1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"[this {sizes[0]}]"


@dataclass(frozen=True, slots=True)
class Between(TimeWindow):
    """``[a .. b ago]``: between a and b ticks ago."""

    near: int
    far: int

    SIZES = (SizeRule("a", "ticks", 0), SizeRule("b", "ticks", 0))
    ASCENDING = True

    @property
    def reach(self) -> Reach:
        return Reach(self.far)

    @property
    def shows_present(self) -> bool:
        return self.near == 0

    @property
    def is_delayed(self) -> bool:
        return self.near > 0

    def interval(self, t: int) -> tuple[int | None, int]:
        return t - self.far, t - self.near

    def entry(self, u: int) -> int:
        return u + self.near

    def exit(self, u: int) -> int:
        return u + self.far

    def entry_code(self, u: str) -> str:
        return f"{u} + {self.near}"

    def exit_code(self, u: str) -> str:
        return f"{u} + {self.far}"

    def length_code(self) -> str:
        return f"max(0, t - {self.near} - max(t0, t - {self.far}) + 1) or -1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"[{sizes[0]} .. {sizes[1]} ago]"


@dataclass(frozen=True, slots=True)
class Ago(TimeWindow):
    """``[a ago]``: the single time point a ticks ago."""

    ticks: int

    SIZES = (SizeRule("a", "ticks", 0),)

    @property
    def reach(self) -> Reach:
        return Reach(self.ticks)

    @property
    def shows_present(self) -> bool:
        return self.ticks == 0

    @property
    def is_delayed(self) -> bool:
        return self.ticks > 0

    def interval(self, t: int) -> tuple[int | None, int]:
        return t - self.ticks, t - self.ticks

    def entry(self, u: int) -> int:
        return u + self.ticks

    def exit(self, u: int) -> int:
        return u + self.ticks

    def entry_code(self, u: str) -> str:
        return f"{u} + {self.ticks}"

    def exit_code(self, u: str) -> str:
        return f"{u} + {self.ticks}"

    def length_code(self) -> str:
        return f"1 if t - {self.ticks} >= t0 else -1"

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"[{sizes[0]} ago]"


@dataclass(frozen=True, slots=True)
class TupleWindow(_Window):
    """The last n facts of the data stream, or of a part of it; ``points`` gets the arrivals of that part."""

    size: int

    SIZES = (SizeRule("n", "facts", 1),)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.size,)

    def points(self, t: int, t0: int, arrivals: Arrivals) -> range:
        first = arrivals.time_of(self.size)
        return range(t0 if first is None else first, t + 1)


@dataclass(frozen=True, slots=True)
class LastFacts(TupleWindow):
    """``[n #]``: the last n facts of any predicate."""

    @property
    def reach(self) -> Reach:
        return Reach(0, self.size)

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"#{sizes[0]}" if formal else f"[{sizes[0]} #]"


@dataclass(frozen=True, slots=True)
class LastOf(TupleWindow):
    """``[last n]``: the last n facts of a predicate; ``[last n per X]``: of those that have the same value of X.

    A *key* is the tuple of values at the positions ``per``, counted from 0: the facts of each key form a separate stream.
    """

    predicate: Predicate
    per: tuple[int, ...] = ()

    @property
    def reach(self) -> Reach:
        return Reach(0, 0, frozenset({self}))

    @property
    def id(self) -> tuple[str | int, ...]:
        return ("lastof", self.size, *self.predicate, *self.per)

    @property
    def content(self) -> str:
        """Its content, in words."""
        places = [f"argument {place + 1}" for place in self.per]
        each = f" for each {' and '.join(places)}" if places else ""
        return f"the last {count(self.size, 'fact')} of {self.predicate}{each}"

    def counts(self, fact: Sequence[Any]) -> bool:
        """Whether a fact (its name, then its arguments) is of the predicate."""
        return fact[0] == self.predicate.name and len(fact) == self.predicate.arity + 1

    def key_of(self, fact: Sequence[Any]) -> tuple[Any, ...]:
        """The key of a fact of the predicate."""
        return tuple(fact[place + 1] for place in self.per)

    def __str__(self) -> str:
        return self.written([str(self.size)], False, [f"argument {place + 1}" for place in self.per])

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        names = ", ".join(per)
        return f"#{sizes[0]}[{names}]" if formal else f"[last {sizes[0]}{' per ' * bool(per)}{names}]"


Window: TypeAlias = Sliding | Hopping | Tumbling | Growing | Between | Ago | History | LastFacts | LastOf
"""All kinds of windows, for `match` with `assert_never`."""

PRESENT = Sliding(0)
HISTORY = History()

WRITTEN: tuple[type[Window], ...] = (Sliding, Hopping, Tumbling, Growing, Between, Ago, LastFacts, LastOf)
"""The kinds that can be written in a program."""
