"""Turns a program as written into the resolved program that is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count, product
from typing import assert_never

from laser.errors import Span
from laser.rules.body import (
    ALWAYS,
    NOW,
    SOMETIME,
    Aggregate,
    At,
    AtLeast,
    BodyElement,
    Comparison,
    ExtendedAtom,
    InnerElement,
    Modality,
)
from laser.rules.dates import instants
from laser.rules.rule import ResolvedProgram, Rule
from laser.rules.scopes import Scope, bound_outside, scopes
from laser.settings import DEFAULTS, RunSettings
from laser.syntax import tree
from laser.syntax.printer import write_statement
from laser.syntax.program import Program, source_text
from laser.syntax.terms import evaluate, in_zone, variables
from laser.ticks import UNITS, Tick
from laser.values import Atom, Duration, Time, Value
from laser.values.functions import FUNCTIONS
from laser.values.operations import INSTANT, POINT
from laser.windows import HISTORY, PRESENT, Growing, Hopping, LastOf, Tumbling, Window
from laser.zones import Days

__all__ = ["resolve", "resolve_window", "whole_size"]


def resolve(program: Program, settings: RunSettings = DEFAULTS) -> ResolvedProgram:
    """Resolve a program that was accepted with these settings."""
    dates = settings.dates or program.has_dates or _has_times(settings.background)
    zone = program.zone or settings.zone or "UTC"
    constants = program.constant_values(settings.constants, zone)
    resolver = _Resolver(program, constants, settings.tick, dates, zone)
    facts = {atom for fact in program.facts for atom in resolver.facts(fact)}
    return ResolvedProgram(
        rules=tuple(resolver.rule(rule) for rule in program.rules),
        background=frozenset(facts.union(settings.background)),
        shown=program.shown,
        recorded=program.recorded & {rule.head.predicate for rule in program.rules},
        tick=settings.tick.in_zone(zone),
        dates=dates,
        warmup=_warmup(program, settings, resolver.constants),
    )


def _warmup(program: Program, settings: RunSettings, constants: Mapping[str, Value]) -> int:
    """The number of ticks without output at the start, from the run or else from the program."""
    if settings.warmup is not None:
        return settings.warmup
    given = program.warmup
    ticks = None if given is None else whole_size(given.size, constants, settings.tick)
    return ticks or 0


def _has_times(facts: Iterable[Atom]) -> bool:
    return any(type(arg) is Time for fact in facts for arg in fact)


def resolve_window(
    window: tree.Window,
    constants: Mapping[str, Value],
    tick: Tick | None,
    atom: tree.AtomPattern | None = None,
    zone: str | None = None,
) -> Window | None:
    """A window with its sizes in ticks or facts; None if a size has no such value or the tick is not known.

    A window that counts the facts of its atom needs the atom, so it is None, too. In a ``zone``, blocks of whole days
    begin at midnight.
    """
    sizes = [whole_size(size, constants, tick) for size in window.sizes]
    whole = [size for size in sizes if size is not None]
    if len(whole) < len(sizes):
        return None
    if window.kind is LastOf and atom is None:
        return None
    if window.kind is LastOf and atom is not None:
        per = tuple(place for place, term in enumerate(atom.args) if term in window.per)
        return LastOf(whole[0], atom.predicate, per)
    if window.kind in (Hopping, Tumbling, Growing) and zone is not None and tick is not None:
        days = _whole_days(window.sizes[-1], constants)
        return window.kind(*whole, days=days and Days(zone, days, tick.seconds))  # type: ignore[arg-type]
    return window.kind(*whole)  # type: ignore[arg-type]


def _whole_days(size: tree.Size, constants: Mapping[str, Value]) -> int | None:
    """The number of days of a size, if it is written as a duration and is a whole number of days."""
    value = evaluate(size.term, {}, constants)
    seconds = None
    if size.unit is not None and isinstance(value, int | float):
        seconds = Fraction(str(value)) * UNITS[size.unit]
    elif isinstance(value, Duration):
        seconds = Fraction(value.micros, 1_000_000)
    return int(seconds / UNITS["d"]) if seconds and seconds % UNITS["d"] == 0 else None


def whole_size(size: tree.Size, constants: Mapping[str, Value], tick: Tick | None) -> int | None:
    """A size as a number of ticks or facts; None if it is not one, or if the tick is not known."""
    value = evaluate(size.term, {}, constants)
    if size.unit is None and isinstance(value, Duration):
        ticks = tick and tick.count(value)
        return ticks if isinstance(ticks, int) else None
    if size.unit is None:
        return value if isinstance(value, int) else None
    return tick.ticks(value, size.unit) if tick and isinstance(value, int | float) else None


@dataclass
class _Resolver:
    """Replaces constants, durations and ranges by their values."""

    program: Program
    constants: Mapping[str, Value]
    tick: Tick
    dates: bool = False
    zone: str = "UTC"
    fresh: Iterator[int] = field(default_factory=count)
    names: Mapping[str, str] = field(default_factory=dict)
    """New names for variables of an aggregate that also occur in another aggregate of the rule."""
    instants: frozenset[str] = frozenset()
    """In a run with dates, the variables of the current rule that are instants."""
    points: dict[str, tree.Variable] = field(default_factory=dict)
    """The variables for their time points, as far as the current body needs them."""

    def rule(self, rule: tree.Rule) -> Rule:
        self.instants = instants(rule, lambda term: evaluate(term, {}, self.constants)) if self.dates else frozenset()
        self.points = {}
        aggregates = _Aggregates(self, rule)
        body = tuple(element for given in rule.body for element in aggregates.elements(given))
        file, line = self.program.file_line(rule.span.line) if rule.span else (None, None)
        return Rule(
            predicate=rule.head.predicate,
            args=tuple(map(self.term, rule.head.args)),
            time=None if rule.time is None else self.head_time(rule.time),
            body=body,
            text=_rule_text(self.program, rule),
            origin=rule,
            line=line,
            file=None if file is None else file.name,
        )

    def elements(self, element: tree.BodyElement) -> Iterator[InnerElement]:
        """An element of a body, after the equations for what it computes: ``a(X + 1)`` is ``V = X + 1, a(V)``."""
        if isinstance(element, tree.Comparison):
            yield Comparison(element.operator, self.term(element.left), self.term(element.right), element)
            return
        written, negated, negated_inside = _one_negation(element)
        equations: list[Comparison] = []
        args = tuple(self.flat(term, equations) for term in element.atom.args)
        modality = self.modality(written, equations)
        yield from equations
        yield ExtendedAtom(
            predicate=element.atom.predicate,
            args=args,
            modality=modality,
            window=self.window(element, modality),
            negated=negated,
            negated_inside=negated_inside,
            origin=element,
        )

    def flat(self, term: tree.Term, equations: list[Comparison]) -> tree.Term:
        """A variable or constant for a term; arithmetic gets a variable and an equation."""
        resolved = self.term(term)
        if isinstance(resolved, tree.Arithmetic):
            variable = tree.Variable.computed(next(self.fresh))
            equations.append(Comparison("=", variable, resolved))
            return variable
        return resolved

    def modality(self, written: tree.Modality, equations: list[Comparison]) -> Modality:
        match written:
            case tree.At(time=time):
                return At(self.point(time, equations))
            case "now":
                return NOW
            case "sometime":
                return SOMETIME
            case "always":
                return ALWAYS
            case tree.Times(sign=sign, number=number):
                return AtLeast(self.times(number) + (sign == "<="))
            case _:
                assert_never(written)

    def point(self, time: tree.Term, equations: list[Comparison]) -> tree.Term:
        """The time point of ``at T``; in a run with dates, equations convert between it and the instant."""
        term = self.flat(time, equations)
        if not self.dates or self.is_point(time):
            return term
        if isinstance(term, tree.Constant):
            return tree.Constant(self.value(self.ticking(POINT, term)))
        assert isinstance(term, tree.Variable)
        point = self.points.get(term.name)
        if point is None:
            point = self.points[term.name] = tree.Variable.computed(next(self.fresh))
            equations.append(Comparison("=", term, self.ticking(INSTANT, point)))
            equations.append(Comparison("=", point, self.ticking(POINT, term)))
        return point

    def is_point(self, time: tree.Term) -> bool:
        """Whether all variables of a time can stay time points."""
        names = {variable.name for variable in variables((time,))}
        return bool(names) and names.isdisjoint(self.instants)

    def head_time(self, time: tree.Term) -> tree.Term:
        term = self.term(time)
        if not self.dates or self.is_point(time):
            return term
        if isinstance(term, tree.Constant):
            return tree.Constant(self.value(self.ticking(POINT, term)))
        known = self.points.get(term.name) if isinstance(term, tree.Variable) else None
        return known or self.ticking(POINT, term)

    def ticking(self, operator: str, *operands: tree.Term) -> tree.Arithmetic:
        return tree.Arithmetic(operator, (*operands, tree.Constant(self.tick.duration)))

    def times(self, number: tree.Constant | tree.ConstantName) -> int:
        value = self.value(number)
        assert isinstance(value, int), "a number of times that is not whole is refused before"
        return value

    def window(self, literal: tree.Literal, modality: Modality) -> Window:
        """The window as written, or the one that applies if none is written."""
        if literal.window is None:
            return HISTORY if isinstance(modality, At) else PRESENT
        resolved = resolve_window(literal.window, self.constants, self.tick, literal.atom, self.program.zone)
        assert resolved is not None, "a window without a size is refused before"
        return resolved

    def term(self, term: tree.Term) -> tree.Term:
        match term:
            case tree.Variable(name="_"):
                return tree.Variable.anonymous(next(self.fresh))
            case tree.Variable(name=name):
                return tree.Variable(self.names.get(name, name))
            case tree.Constant() | tree.ConstantName():
                return tree.Constant(self.value(term))
            case tree.Arithmetic(operator=operator, operands=operands, span=span):
                return self.arithmetic(operator, tuple(map(self.term, operands)), self.is_point(term), span)
            case tree.Range() | tree.Aggregate():
                raise AssertionError("ranges stand in facts only, and aggregates in comparisons")
            case _:
                assert_never(term)

    def arithmetic(
        self, operator: str, operands: tuple[tree.Term, ...], of_points: bool = False, span: Span | None = None
    ) -> tree.Arithmetic:
        """An operation; sums that may add ticks to a time also get the tick, calendar functions also get the zone."""
        if self.dates and operator in ("+", "-") and len(operands) == 2 and not of_points:
            return self.ticking(operator, *operands)
        if operator in FUNCTIONS and FUNCTIONS[operator].in_zone:
            operands = (*operands, tree.Constant(self.zone))
        return tree.Arithmetic(operator, operands, span)

    def level(self, term: tree.Term) -> Fraction:
        """The level of a quantile: the decimal as written, not the nearest double."""
        return Fraction(str(self.value(term)))

    def value(self, term: tree.Term) -> Value:
        """The value of a term without variables."""
        value = evaluate(in_zone(term, self.zone), {}, self.constants)
        assert value is not None
        return self.tick.count(value) if isinstance(value, Duration) and not self.dates else value

    def facts(self, fact: tree.Fact) -> Iterator[Atom]:
        """The ground atoms of a fact: one, or more if it has ranges."""
        for args in product(*map(self.values, fact.atom.args)):
            yield Atom.of((fact.atom.name, *args))

    def values(self, term: tree.Term) -> range | tuple[Value, ...]:
        if not isinstance(term, tree.Range):
            return (self.value(term),)
        low, high = self.value(term.low), self.value(term.high)
        assert isinstance(low, int)
        assert isinstance(high, int)
        return range(low, high + 1)


class _Aggregates:
    """Takes the aggregates of one rule out of its comparisons and puts variables for their results there."""

    def __init__(self, resolver: _Resolver, rule: tree.Rule) -> None:
        self.resolver = resolver
        self.outside = bound_outside(rule) if rule.aggregates else set[str]()
        self.scopes = {id(scope.aggregate): scope for scope in scopes(rule)}
        self.taken = {variable.name for variable in variables(rule.terms())}
        self.local: set[str] = set()

    def elements(self, element: tree.BodyElement) -> Iterator[BodyElement]:
        """An element of the body, after its aggregates; ``N = count(…)`` is one element."""
        if not isinstance(element, tree.Comparison) or not element.aggregates:
            yield from self.resolver.elements(element)
            return
        for target, source in ((element.left, element.right), (element.right, element.left)):
            named = isinstance(target, tree.Variable) and target.name != "_"
            if element.operator == "=" and named and isinstance(source, tree.Aggregate):
                assert isinstance(target, tree.Variable)
                yield self.aggregate(source, tree.Variable(target.name), element)
                return
        found: list[Aggregate] = []
        left, right = (self.without(term, found, element) for term in element.terms)
        yield from found
        yield Comparison(element.operator, left, right, element)

    def without(self, term: tree.Term, found: list[Aggregate], origin: tree.Comparison) -> tree.Term:
        """A term with its aggregates replaced by their results."""
        match term:
            case tree.Aggregate():
                found.append(self.aggregate(term, tree.Variable.computed(next(self.resolver.fresh)), origin))
                return found[-1].result
            case tree.Arithmetic(operator=operator, operands=operands):
                return self.resolver.arithmetic(operator, tuple(self.without(each, found, origin) for each in operands))
            case _:
                return self.resolver.term(term)

    def aggregate(self, written: tree.Aggregate, result: tree.Variable, origin: tree.Comparison) -> Aggregate:
        scope = self.scopes[id(written)]
        resolver = replace(self.resolver, names=self.names(scope), points={})
        return Aggregate(
            fold=written.fold,
            folded=tuple(map(resolver.term, written.folded)),
            body=tuple(element for given in written.body for element in resolver.elements(given)),
            groups=tuple(map(tree.Variable, scope.groups)),
            result=result,
            given=scope.given.union(name for name in scope.groups if name in self.outside),
            may_be_empty=self.outside.issuperset(scope.groups),
            level=None if written.level is None else resolver.level(written.level),
            origin=origin,
            written=written,
        )

    def names(self, scope: Scope) -> dict[str, str]:
        """New names for local variables that another aggregate also uses, because they are different variables."""
        names = {name: self.unused(name) for name in scope.local if name in self.local}
        self.local.update(scope.local)
        return names

    def unused(self, name: str) -> str:
        fresh = next(other for i in count(2) if (other := f"{name}{i}") not in self.taken)
        self.taken.add(fresh)
        return fresh


def _one_negation(literal: tree.Literal) -> tuple[tree.Modality, bool, bool]:
    """The laws ``⊞ □ ¬a = not ⊞ ◇ a``, ``⊞ ◇ ¬a = not ⊞ □ a`` and ``⊞ ◇≤n a = not ⊞ ◇≥(n+1) a``.

    Only ``⊞ @T ¬a`` keeps its inner negation.
    """
    match literal.modality:
        case tree.Times(sign=sign):
            return literal.modality, literal.negated != (sign == "<="), False
        case tree.At():
            return literal.modality, literal.negated, literal.negated_inside
        case "always" if literal.negated_inside:
            return "sometime", not literal.negated, False
        case "sometime" if literal.negated_inside:
            return "always", not literal.negated, False
        case "now" | "always" | "sometime":
            return literal.modality, literal.negated != literal.negated_inside, False
        case _:
            assert_never(literal.modality)


def _rule_text(program: Program, rule: tree.Rule) -> str:
    """The source text of a rule, on one line."""
    text = source_text(program.rows, rule.span)
    return text or write_statement(rule, "readable", program.prefixes)
