"""Explanations as data: proofs, their premises, and failures. Other files find, check and draw them."""

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
    """What a proof is based on: the program, and the stream over [start, time].

    ``history`` has the facts in order of arrival, without duplicates; ``whole`` is false if some were left out.
    """

    core: ResolvedProgram
    history: Sequence[tuple[int, Atom]]
    start: int
    time: int
    whole: bool = True
    records: Sequence[Interval] = ()
    """What ``#record`` remembered from earlier time points, as far as windows look back."""

    @cached_property
    def facts(self) -> frozenset[tuple[int, Atom]]:
        return frozenset(self.history)


@dataclass(frozen=True, slots=True)
class RuleText:
    """The source text of a rule; ``index`` is its place among the rules of the program."""

    text: str
    line: int | None
    index: int
    file: str | None = None
    """The file of the rule, if it is an included file."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Extent:
    """The time points of a window. For a tuple window also the number of its facts (``size`` is the requested number), and
    ``of`` says which facts it counts, if not all facts of the stream.

    ``written`` is the text of a window other than ``[n]`` and ``[n #]``, whose time points are not obvious from the present.
    If the window is empty, ``last`` is before ``first``.
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
            return f"the window {self.written}, which has no time points yet"
        span = f"[{self.first}, {self.last}]"
        if self.written is not None:
            return f"{span}, the window {self.written}"
        if self.kind == "tuple":
            if self.of is None:
                return f"{span}, the last {self.facts} facts of the stream"
            return f"{span}, the last {self.facts} facts {self.of}" if self.facts else f"{span}, without any {self.of}"
        return span


@dataclass(frozen=True)
class Premise:
    """A part of a body that holds, with its source text.

    ``proofs`` has one proof; under □ one for every time point; and none for comparisons and for what was not found.
    ``says`` says what makes it hold, with the values filled in.
    """

    text: str
    kind: OneOf["now", "at", "sometime", "always", "times", "not", "absent", "comparison", "aggregate"]
    says: str
    window: Extent | None = None
    proofs: Sequence[Proof] = field(default=(), repr=False)


@dataclass(frozen=True, repr=False)
class Proof:
    """Why an atom holds at a time point: it is a fact, it is background data, a rule derives it, or a rule derived it at that
    time and it was recorded.
    """

    atom: Atom
    time: int
    source: OneOf["rule", "fact", "background", "record"]
    rule: RuleText | None = None
    bindings: Mapping[str, Value] = field(default_factory=dict)
    premises: tuple[Premise, ...] = ()
    position: int | None = None
    """For a fact in a tuple window, its place counted from the end; 1 is the last fact."""
    evidence: Evidence | None = field(default=None, compare=False, repr=False)

    @property
    def spell(self) -> Interval | None:
        """For a recorded atom, the interval in which it held."""
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
        """The proofs that it directly depends on."""
        return (part for premise in self.premises for part in premise.proofs)

    @cached_property
    def size(self) -> int:
        """The number of rule instances, facts and background data in the whole tree."""
        sizes: dict[int, int] = {}
        for proof in below(self):
            sizes[id(proof)] = 1 + sum(sizes[id(part)] for part in proof.parts)
        return sizes[id(self)]


def below(proof: Proof) -> list[Proof]:
    """A proof and all its parts, without duplicates, parts first. Not recursive: a proof may be deeper than Python's stack."""
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
    """Why one rule does not derive the atom: the first part of its body that fails, and what comes closest.

    ``satisfied`` is the best attempt at the parts before it. ``because`` is the proof of what a failing ``not`` found, and
    ``failures`` says why a missing atom is not derived. If there is no rule, only ``reason`` is set.
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
    """The index of the part of the body that fails, as the user wrote it; None for the head."""
    first: int | None = None
    """The start of the range, if the atom was looked for at some time from ``first`` to ``time``."""


@dataclass(frozen=True)
class Explanation:
    """Why an atom holds at a time point, or why not.

    ``since`` and ``until`` are the first and last time point at which it holds, if nothing arrives after ``time``; ``until``
    is None if it then holds forever. If the search stopped early, ``since_exact`` or ``until_exact`` is false, and it holds at
    least that long. Both are None for an atom that does not hold, and for a pattern that several atoms match.
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
    """The number of proofs (for a pattern: of matching atoms) that are not among ``proofs``."""

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
        """A self-contained picture."""
        from laser.explanation.svg import to_svg

        return to_svg(self, dates)

    def _repr_html_(self) -> str:
        from laser.explanation.html import to_html

        return to_html(self)

    def __str__(self) -> str:
        return self.to_text()
