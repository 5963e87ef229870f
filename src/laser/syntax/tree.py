"""Programs as they are written: data only. Spans do not count for equality.

Prefixed names are resolved by the parser; constants, durations and ranges stay as they were written, so that a
program prints back as its author wrote it and a run can still override a constant.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from laser.errors import Span
from laser.terms import Predicate, Value

__all__ = [
    "Arithmetic", "At", "AtomPattern", "BodyElement", "Comparison", "ConstDirective", "Constant", "ConstantName", "Fact",
    "Literal", "Modality", "PrefixDirective", "Range", "Rule", "ShowDirective", "Statement", "Term", "Variable", "Window",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variable:
    """``X``; a lone ``_`` has the name ``_`` and is a fresh variable each time."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A value: a number, a string or an IRI."""

    value: Value
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConstantName:
    """A name that a ``#const`` directive of the program gives a value."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``+ - * / div mod abs min max``; ``-`` with one operand is the negative."""

    operator: str
    operands: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Range:
    """``1..5``, in facts only."""

    low: Term
    high: Term
    span: Span | None = field(default=None, compare=False, repr=False)


Term: TypeAlias = Variable | Constant | ConstantName | Arithmetic | Range


@dataclass(frozen=True, slots=True)
class AtomPattern:
    """A predicate's name with terms; an IRI's name has its angle brackets."""

    name: str
    args: tuple[Term, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def predicate(self) -> Predicate:
        return Predicate(self.name, len(self.args))


@dataclass(frozen=True, slots=True)
class Window:
    """``[n]``, ``[30 s]`` (kind time) or ``[n #]`` (kind tuple). The size is a number or a constant's name."""

    kind: OneOf["time", "tuple"]
    size: Constant | ConstantName
    unit: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class At:
    """``at T``, ``@T``."""

    time: Term


Modality: TypeAlias = OneOf["now", "sometime", "always"] | At
"""``a``, ``◇ a``, ``□ a`` or ``@T a``. Only ``now`` and ``@T`` may stand without a window, and ``now`` has none."""


@dataclass(frozen=True, slots=True)
class Literal:
    """An extended atom of a body: ``not ⊞n ◇ ¬ a(X)`` has every part."""

    atom: AtomPattern
    modality: Modality = "now"
    window: Window | None = None
    negated: bool = False
    negated_inside: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``, the operator one of ``= != < <= > >=``."""

    operator: str
    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)


BodyElement: TypeAlias = Literal | Comparison


@dataclass(frozen=True, slots=True)
class Rule:
    """``head :- body.`` or ``@T head :- body.``; the body may be empty only under ``@T``."""

    head: AtomPattern
    time: Term | None
    body: tuple[BodyElement, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


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
class PrefixDirective:
    """``#prefix ex: <http://example.org/>.``"""

    prefix: str
    iri: str
    span: Span | None = field(default=None, compare=False, repr=False)


Statement: TypeAlias = Rule | Fact | ConstDirective | ShowDirective | PrefixDirective
