"""Explanations as data: proofs, their premises, and failures. How they are found, checked and drawn is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from laser.answers import Interval
from laser.rules.rule import ResolvedProgram
from laser.values import Atom, Value

if TYPE_CHECKING:
    from laser.explanation.pattern import Pattern
    from laser.ticks import Tick

__all__ = ["Evidence", "Explanation", "Extent", "Failure", "Premise", "Proof", "RuleText", "below"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a proof rests on: the program, and the stream over [start, time].

    ``history`` has the facts in the order of their arrival, each once; ``whole`` is false where some were left out.
    """

    core: ResolvedProgram
    history: Sequence[tuple[int, Atom]]
    start: int
    time: int
    whole: bool = True
    records: Sequence[Interval] = ()
    """What was recorded at earlier time points, by ``#record``, as far as windows look back."""

    @cached_property
    def facts(self) -> frozenset[tuple[int, Atom]]:
        return frozenset(self.history)


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule in its author's words; ``index`` is its place among the rules of the program."""

    text: str
    line: int | None
    index: int
    file: str | None = None
    """The file that has it, where that is one that the program includes."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Extent:
    """The time points of a window; of a tuple window also how many facts it has (``size`` is what was asked for), and ``of``
    which, if not of the whole stream.

    ``written`` names a window of another kind than ``[n]`` and ``[n #]``: why it has these time points is not plain from the
    present alone. Where it has none, ``last`` lies before ``first``.
    """

    first: int
    last: int
    kind: OneOf["time", "tuple"] = "time"
    size: int | None = None
    facts: int | None = None
    written: str | None = None
    of: str | None = None

    @property
    def is_empty(self) -> bool:
        return self.last < self.first

    def __str__(self) -> str:
        if self.is_empty:
            return f"the window {self.written}, which has no time point yet"
        span = f"[{self.first}, {self.last}]"
        if self.written is not None:
            return f"{span}, the window {self.written}"
        if self.kind == "tuple":
            if self.of is None:
                return f"{span}, the last {self.facts} of the stream's facts"
            return (
                f"{span}, the last {self.facts} of the facts {self.of}"
                if self.facts
                else f"{span}, without any {self.of}"
            )
        return span


@dataclass(frozen=True)
class Premise:
    """A part of a body that holds, in the author's words.

    ``proofs`` has one proof, one for every time point under □, and none for comparisons and for what was not found;
    ``says`` tells what makes it hold, with the values filled in.
    """

    text: str
    kind: OneOf["now", "at", "sometime", "always", "times", "not", "absent", "comparison", "aggregate"]
    says: str
    window: Extent | None = None
    proofs: Sequence[Proof] = field(default=(), repr=False)


@dataclass(frozen=True, repr=False)
class Proof:
    """Why an atom holds at a time point: it is a fact there, it is background data, a rule derives it, or one did then
    and that is recorded.
    """

    atom: Atom
    time: int
    source: OneOf["rule", "fact", "background", "record"]
    rule: RuleText | None = None
    bindings: Mapping[str, Value] = field(default_factory=dict)
    premises: tuple[Premise, ...] = ()
    position: int | None = None
    """Of a fact in a tuple window: how many facts back it came, 1 for the last."""
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

    @property
    def spell(self) -> Interval | None:
        """Of what was recorded: since when it had held at that time, and until when it did."""
        records = self.evidence.records if self.evidence is not None and self.source == "record" else ()
        return next((i for i in records if i.atom == self.atom and i.since <= self.time <= i.until), None)

    def __repr__(self) -> str:
        return f"<proof of {self.atom} at {self.time}: {self.source if self.rule is None else self.rule.text}>"

    def check(self) -> None:
        """Verify every step against the definition; raises ProofError with the reason."""
        from laser.explanation.check import check

        check(self)

    @property
    def parts(self) -> Iterator[Proof]:
        """The proofs on which it rests directly."""
        return (part for premise in self.premises for part in premise.proofs)

    @cached_property
    def size(self) -> int:
        """The number of rule instances, facts and background data in the whole tree."""
        sizes: dict[int, int] = {}
        for proof in below(self):
            sizes[id(proof)] = 1 + sum(sizes[id(part)] for part in proof.parts)
        return sizes[id(self)]


def below(proof: Proof) -> list[Proof]:
    """A proof and all in it, each once, parts before what is made of them; a proof may be deeper than Python recurses."""
    done: dict[int, Proof] = {}
    stack = [(proof, proof.parts)]
    on_way = {id(proof)}
    while stack:
        top, rest = stack[-1]
        following = next((part for part in rest if id(part) not in on_way), None)
        if following is None:
            stack.pop()
            done[id(top)] = top
        else:
            on_way.add(id(following))
            stack.append((following, following.parts))
    return list(done.values())


@dataclass(frozen=True)
class Failure:
    """Why one rule does not derive the atom: the first part of its body that fails, and what is nearest.

    ``satisfied`` is the best attempt at the parts before it. ``because`` is the proof of what a failing ``not`` found,
    ``failures`` says why a derived atom that is missing is not derived. Without a rule, ``reason`` is all there is.
    """

    atom: Atom | Pattern
    time: int
    reason: str
    rule: RuleText | None = None
    element: str | None = None
    bindings: Mapping[str, Value] = field(default_factory=dict)
    window: Extent | None = None
    nearest: tuple[str, ...] = ()
    satisfied: tuple[Premise, ...] = ()
    because: tuple[Proof, ...] = ()
    failures: tuple[Failure, ...] = ()
    place: int | None = field(default=None, repr=False)
    """Which part of the user's body fails, counted from 0; None for the head."""
    first: int | None = None
    """Where the atom was asked for at some time from ``first`` to ``time``."""


@dataclass(frozen=True)
class Explanation:
    """Why an atom holds at a time point, or why not.

    ``since`` and ``until`` are the time points between which it holds, if nothing arrives after ``time``; ``until`` is None
    where that is for ever. Where they were not followed to the end, ``since_exact`` or ``until_exact`` is false: it holds
    at least so long. Both are None for an atom that does not hold, and for a pattern that several atoms match.
    """

    atom: Atom | Pattern
    time: int
    holds: bool
    proofs: tuple[Proof, ...] = ()
    failures: tuple[Failure, ...] = ()
    since: int | None = None
    until: int | None = None
    since_exact: bool = True
    until_exact: bool = True
    more: int = 0
    """Proofs (of a pattern: matching atoms) that are not among ``proofs``."""

    def to_text(self, colour: bool = False, width: int = 80, dates: Tick | None = None) -> str:
        """A tree for people; with a tick, it has dates for time points, as all forms can."""
        from laser.explanation.text import to_text

        return to_text(self, colour, width, dates)

    def to_json(self, dates: Tick | None = None) -> dict[str, Any]:
        """A dictionary for programs; docs/explain.md describes it."""
        from laser.explanation.json import to_json

        return to_json(self, dates)

    def to_dot(self, dates: Tick | None = None) -> str:
        """A graph for Graphviz."""
        from laser.explanation.dot import to_dot

        return to_dot(self, dates)

    def to_svg(self, dates: Tick | None = None) -> str:
        """A picture that needs nothing else."""
        from laser.explanation.svg import to_svg

        return to_svg(self, dates)

    def _repr_html_(self) -> str:
        from laser.explanation.html import to_html

        return to_html(self)

    def __str__(self) -> str:
        return self.to_text()
