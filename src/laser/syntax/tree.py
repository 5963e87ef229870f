"""The syntax tree of a program. Spans do not count for equality.

The parser expands prefixed names. Constants, durations and ranges stay as written, so that a program prints as its
author wrote it and a run can still override a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as OneOf
from typing import TypeAlias

from laser import windows
from laser.errors import Span
from laser.values import Predicate, Value
from laser.values.declared import Declared
from laser.values.fold import Fold

__all__ = [
    "Aggregate", "Alternatives", "Arithmetic", "At", "AtomPattern", "BodyElement", "Comparison", "ConstDirective", "Constant", "ConstantName", "Fact", "InputDirective",
    "Literal", "Modality", "PrefixDirective", "Range", "Rule", "ShowDirective", "Size", "Statement", "Term", "Variable", "Window", "Times",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variable:
    """``X``; a lone ``_`` has the name ``_`` and is a fresh variable each time.

    In a resolved program each ``_`` has its own number, and so has each variable that stands for a computed argument.
    """

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def anonymous(mark: int | str) -> Variable:
        """A ``_`` that differs from every other ``_``."""
        return Variable(f"_#{mark}")

    @staticmethod
    def computed(mark: int | str) -> Variable:
        """A variable for an arithmetic argument, or for another value that has no name in the program."""
        return Variable(f"_={mark}")

    @property
    def is_anonymous(self) -> bool:
        return self.name.startswith("_#")

    @property
    def is_users(self) -> bool:
        """Whether the variable has a name that the user wrote."""
        return not self.name.startswith(("_#", "_="))


@dataclass(frozen=True, slots=True)
class Constant:
    """A value: a number, a string, an IRI, a time or a duration."""

    value: Value
    span: Span | None = field(default=None, compare=False, repr=False)
    is_local: bool = False
    """Whether it is a time written without a zone. The value assumes UTC; a run uses its own zone."""


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A name whose value comes from a ``#const`` directive of the program."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``+ - * / div mod``, or a function (``laser.values.functions``); ``-`` with one operand is the negative."""

    operator: str
    operands: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Range:
    """``1..5``, in facts only."""

    low: Term
    high: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``count(C : car(C, S) in [5 min])``, ``#count{ C : … }``; ``quantile(0.9; V, T : …)`` has a level.

    It is allowed only in comparisons, and its body contains no other aggregate. Variables that also occur outside are its groups.
    """

    fold: Fold
    folded: tuple[Term, ...]
    body: tuple[BodyElement, ...]
    level: Term | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def literals(self) -> list[Literal]:
        return [element for element in self.body if isinstance(element, Literal)]

    @property
    def comparisons(self) -> list[Comparison]:
        return [element for element in self.body if isinstance(element, Comparison)]

    def terms(self) -> Iterator[Term]:
        """The outermost terms of the tuple, the level and the body."""
        yield from self.folded
        if self.level is not None:
            yield self.level
        for element in self.body:
            yield from element.terms


Term: TypeAlias = Variable | Constant | ConstantName | Arithmetic | Range | Aggregate


@dataclass(frozen=True, slots=True)
class AtomPattern:
    """The name of a predicate with terms; an IRI as name includes its angle brackets."""

    name: str
    args: tuple[Term, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.args))


@dataclass(frozen=True, slots=True)
class Size:
    """``30``, ``30 s`` or ``n``: a number or the name of a constant, perhaps with a unit of time."""

    term: Constant | ConstantName
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A window as written: its kind, the sizes that the kind has, and the variables after ``per``."""

    kind: type[windows.Window]
    sizes: tuple[Size, ...]
    span: Span | None = field(default=None, compare=False, repr=False)
    per: tuple[Variable, ...] = ()


@dataclass(frozen=True, slots=True)
class At:
    """``at T``, ``@T``."""

    time: Term


@dataclass(frozen=True, slots=True)
class Times:
    """``at least 3 times``, ``◇≥3``; or ``at most 2 times``, ``◇≤2``. The number may be the name of a constant."""

    sign: OneOf[">=", "<="]
    number: Constant | ConstantName


Modality: TypeAlias = OneOf["now", "sometime", "always"] | At | Times
"""``a``, ``◇ a``, ``□ a``, ``@T a`` or ``◇≥n a``. ``now`` never has a window, ``@T`` may have one, the others must."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An extended atom of a body: ``not ⊞n ◇ ¬ a(X)`` has every part."""

    atom: AtomPattern
    modality: Modality = "now"
    window: Window | None = None
    negated: bool = False
    negated_inside: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The arguments of the atom, and its time."""
        return (*self.atom.args, self.modality.time) if isinstance(self.modality, At) else self.atom.args

    @property
    def is_positive(self) -> bool:
        """Whether it requires its atom to hold. Two negations cancel, except that ``not ⊞ @T ¬ a`` stays negative.

        >>> Literal(AtomPattern("a"), "always", negated=True, negated_inside=True).is_positive
        True
        """
        match self.modality:
            case At():
                return not (self.negated or self.negated_inside)
            case Times(sign=sign):
                return self.negated == (sign == "<=")
            case _:
                return self.negated == self.negated_inside

    def binds(self) -> set[str]:
        """The variables that it binds: those that are arguments themselves, not parts of arithmetic."""
        terms: tuple[Term, ...] = ()
        if self.is_positive:
            terms = self.terms
        elif isinstance(self.modality, At) and not self.negated:
            terms = (self.modality.time,)
        return {term.name for term in terms if isinstance(term, Variable)} - {"_"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right`` with one of ``= != < <= > >=``, or a test of strings such as ``contains(S, "x")``.

    The negation of a test is an operator of its own, ``not contains``, just as ``!=`` is the negation of ``=``.
    """

    operator: str
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def terms(self) -> tuple[Term, ...]:
        return (self.left, self.right)

    @property
    def aggregates(self) -> list[Aggregate]:
        """The aggregates of both sides, in the order of the text."""
        return [*_aggregates(self.left), *_aggregates(self.right)]


def _aggregates(term: Term) -> Iterator[Aggregate]:
    match term:
        case Aggregate():
            yield term
        case Arithmetic(operands=operands):
            for operand in operands:
                yield from _aggregates(operand)
        case _:
            pass


BodyElement: TypeAlias = Literal | Comparison


@dataclass(frozen=True)
class Rule:
    """``head :- body.`` or ``@T head :- body.``; the body may be empty only after ``@T``.

    Every check asks for its parts, so they are kept.
    """

    head: AtomPattern
    time: Term | None
    body: tuple[BodyElement, ...]
    span: Span | None = field(default=None, compare=False, repr=False)
    alternative: int | None = field(default=None, compare=False, repr=False)
    """The index of this body among those separated by ``or``; None if there is only one."""

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """The literals of the body, without those inside aggregates."""
        return tuple(element for element in self.body if isinstance(element, Literal))

    @cached_property
    def keys(self) -> tuple[Variable, ...]:
        """The variables after ``per``; each is also an argument of its atom."""
        return tuple(key for literal in self.all_literals if literal.window is not None for key in literal.window.per)

    @cached_property
    def all_literals(self) -> tuple[Literal, ...]:
        """The literals of the body, including those inside aggregates."""
        return (*self.literals, *(literal for aggregate in self.aggregates for literal in aggregate.literals))

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons of the body, without those inside aggregates."""
        return tuple(element for element in self.body if isinstance(element, Comparison))

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return tuple(aggregate for test in self.comparisons for aggregate in test.aggregates)

    def outer_terms(self) -> Iterator[Term]:
        """The outermost terms of the head, its time and the body, without those inside aggregates."""
        yield from self.head.args
        if self.time is not None:
            yield self.time
        for element in self.body:
            yield from element.terms

    def terms(self) -> Iterator[Term]:
        """The outermost terms of the head, its time, the body and the aggregates."""
        yield from self.outer_terms()
        for aggregate in self.aggregates:
            yield from aggregate.terms()


@dataclass(frozen=True, slots=True)
class Alternatives:
    """``head :- body or body.``: one rule for each body, all with the span of the whole statement."""

    head: AtomPattern
    time: Term | None
    bodies: tuple[tuple[BodyElement, ...], ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(Rule(self.head, self.time, body, self.span, i) for i, body in enumerate(self.bodies))


@dataclass(frozen=True, slots=True)
class Fact:
    """``car(1).``: background data."""

    atom: AtomPattern
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConstDirective:
    """``#const n = 30.``; the value is a term without variables."""

    name: str
    value: Term
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ShowDirective:
    """``#show alarm/0, veryHot/1.``"""

    predicates: tuple[Predicate, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RecordDirective:
    """``#record alarm/1.``: remembers what rules derive for this predicate."""

    predicates: tuple[Predicate, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ZoneDirective:
    """``#zone "Europe/Vienna".``: the time zone of the run, which decides when days begin."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PrefixDirective:
    """``#prefix ex: <http://example.org/>.``"""

    prefix: str
    iri: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InputDirective:
    """``#input hr(patient: string, bpm: number).``: an input, with the names and types of its arguments."""

    name: str
    fields: tuple[tuple[str, Declared], ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.fields))


@dataclass(frozen=True, slots=True)
class WarmupDirective:
    """``#warmup 5 min.``: no output for this time after the start of the timeline."""

    size: Size
    span: Span | None = field(default=None, compare=False, repr=False)


Statement: TypeAlias = (
    Rule
    | Alternatives
    | Fact
    | ConstDirective
    | ShowDirective
    | RecordDirective
    | ZoneDirective
    | PrefixDirective
    | InputDirective
    | WarmupDirective
)
