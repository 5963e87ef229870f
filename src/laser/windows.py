"""Windows: every kind, and all that is asked of one.

A *time window* is a function from the present t to an interval of time points, cut to the timeline [t0, t]. Seen from an atom at
u, it is two functions: the atom *enters* at ``entry(u)`` and is last in at ``exit(u)``, both monotone in u. A *tuple window* is the
last facts of the data stream, or of a part of it. Nobody else computes where a window begins, where it ends, or how far it looks back; who must
tell kinds apart uses ``match`` with ``assert_never``.
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
    """The data stream in arrival order, or the part of it that a tuple window counts, as far as the window asks for it."""

    def time_of(self, back: int) -> int | None:
        """The time of the ``back``-th last fact; None where fewer have come."""


class SizeRule(NamedTuple):
    """What one size of a window may be: a whole number of ticks or facts, and not less than ``least``. The name is for people."""

    name: str
    of: OneOf["ticks", "facts"]
    least: int


@dataclass(frozen=True, slots=True)
class Reach:
    """The past on which an answer depends: so many ticks before the present (None: all), the last so many facts, and the facts
    of windows that count for each key, however old these facts are.
    """

    ticks: int | None = 0
    tuples: int = 0
    latest: frozenset[LastOf] = frozenset()

    @property
    def is_bounded(self) -> bool:
        return self.ticks is not None

    @property
    def counts_facts(self) -> bool:
        """Whether the order of arrival matters, and facts may be in reach however old they are."""
        return bool(self.tuples or self.latest)

    def __str__(self) -> str:
        if self.ticks is None:
            return "the whole history"
        past = [f"the {count(self.ticks, 'tick')} before the present"] if self.ticks else []
        facts = [f"the last {count(self.tuples, 'fact')} of the stream"] if self.tuples else []
        latest = sorted(each.content for each in self.latest)
        return " and ".join([*past, *facts, *latest]) or "only the present"


class _Window(ABC):
    """What both kinds of window answer. A window is a frozen dataclass, and its fields are its sizes."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    SIZES: ClassVar[tuple[SizeRule, ...]] = ()
    """One rule for each size, in the order in which they are written."""
    ASCENDING: ClassVar[bool] = False
    """Whether no size may be less than the one before it."""

    @property
    @abstractmethod
    def reach(self) -> Reach:
        """How far back it looks."""

    @abstractmethod
    def points(self, t: int, t0: int, arrivals: Arrivals) -> range:
        """Its time points at t, on a timeline that begins at t0; there may be none."""

    @staticmethod
    @abstractmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        """The window with its sizes as they are written, in the readable notation or after the paper's ``⊞``.

        ``per`` are the arguments that say which facts a window counts together; only ``LastOf`` has some.
        """

    @property
    def id(self) -> tuple[str | int, ...]:
        """What identifies the window in saved states, whatever its class is called."""
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
        """Whether the present is in it: always, never, or (None) at some time points. What rules derive for now asks this."""
        return True

    @property
    def may_be_empty(self) -> bool:
        """Whether it can have no time point. Background data hold at every time point, so they ask this."""
        return self.shows_present is not True

    @abstractmethod
    def interval(self, t: int) -> tuple[int | None, int]:
        """The first and the last time point at t, before the timeline cuts them; None is the beginning of time."""

    def points(self, t: int, t0: int, arrivals: Arrivals) -> range:
        first, last = self.interval(t)
        return range(t0 if first is None else max(t0, first), min(t, last) + 1)

    def entry(self, u: int) -> int:
        """When an atom at u enters."""
        return u

    @abstractmethod
    def exit(self, u: int) -> int | None:
        """When an atom at u is last in; None if it never leaves. Before ``entry(u)`` if it is never in."""

    @property
    def is_delayed(self) -> bool:
        """Whether an atom may have to wait before it enters."""
        return False

    def next_gap(self, t: int) -> int | None:
        """The next time after t at which nothing before the present is in it, though it looks back; None if there is none.

        What is recorded asks this: it is known from the time point after its own on.
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
        """How many points it has, as a Python expression over ``t`` and ``t0``; -1 where it has none, which nothing equals."""


@dataclass(frozen=True, slots=True)
class Sliding(TimeWindow):
    """``[n]``: now and the n ticks before."""

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
        """The one time point at which an atom must be to be last in at ``exit``."""
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
    """All of the timeline: what a body ``@T a`` without a window looks at."""

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
    """A window that moves on block by block: of so many ticks from 0 on, or of whole days in a zone (``days``)."""

    days: Days | None = field(default=None, kw_only=True)

    @property
    def _block_id(self) -> tuple[str | int, ...]:
        return () if self.days is None else self.days.id

    @property
    @abstractmethod
    def _step(self) -> int:
        """How many ticks a block has, if it is not one of days."""

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
        """At least as many ticks as any block has."""
        return self._step if self.days is None else self.days.most_ticks


@dataclass(frozen=True, slots=True)
class Hopping(_BlockWindow):
    """``[n every d]``: as ``[n]`` was at the last multiple of d."""

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
    """``[this d]``: the block of d ticks that is under way, so far."""

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
    """``[a ago]``: exactly then."""

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
    """The last n facts of the data stream, or of a part of it; ``points`` is given the arrivals of that part."""

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
    """``[n #]``: the last n facts, whatever they are about."""

    @property
    def reach(self) -> Reach:
        return Reach(0, self.size)

    @staticmethod
    def written(sizes: Sequence[str], formal: bool, per: Sequence[str] = ()) -> str:
        return f"#{sizes[0]}" if formal else f"[{sizes[0]} #]"


@dataclass(frozen=True, slots=True)
class LastOf(TupleWindow):
    """``[last n]``: the last n facts of a predicate; ``[last n per X]``: of those that have the same value at X.

    A *key* is the values at the places ``per``, counted from 0: the facts of each key are a stream of their own.
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
        """What is in it, in words."""
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
"""All kinds, for `match` with `assert_never`."""

PRESENT = Sliding(0)
HISTORY = History()

WRITTEN: tuple[type[Window], ...] = (Sliding, Hopping, Tumbling, Growing, Between, Ago, LastFacts, LastOf)
"""The kinds that a program can name."""
