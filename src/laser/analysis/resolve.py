"""From the program as it is written to the program as it is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, product
from typing import Any, NoReturn, assert_never

from laser.analysis.core import BodyElement, Core, CoreRule, CoreWindow, Extended, Test
from laser.analysis.facts import GivenFact, to_atoms
from laser.arithmetic import apply
from laser.errors import Diagnostic, FactError, ProgramError, Span
from laser.syntax import tree
from laser.syntax.printer import write_statement
from laser.syntax.program import Program
from laser.terms import Atom, Value, to_value
from laser.time import Tick

__all__ = ["constant_values", "resolve"]

MOST_FACTS_OF_A_RANGE = 10_000_000


def resolve(
    program: Program,
    constants: Mapping[str, Any] | None = None,
    tick: str | Tick = Tick(),
    background: Iterable[GivenFact] = (),
) -> Core:
    """The evaluated form of a program, with a run's constants, tick and background data."""
    tick = Tick.parse(tick)
    resolver = _Resolver(program, constant_values(program, constants), tick)
    facts = {atom for fact in program.facts for atom in resolver.facts(fact)}
    return Core(
        rules=tuple(resolver.rule(rule) for rule in program.rules),
        background=frozenset(facts.union(to_atoms(background))),
        shown=program.shown,
        tick=tick,
    )


def constant_values(program: Program, overrides: Mapping[str, Any] | None = None) -> dict[str, Value]:
    """The value of each ``#const`` of a program, as the run overrides it."""
    overrides = dict(overrides or {})
    values: dict[str, Value] = {}
    for name, directive in program.constants.items():
        if name in overrides:
            values[name] = _override(name, overrides.pop(name))
        else:
            resolver = _Resolver(program, values, Tick())
            values[name] = resolver.ground(directive.value)
    for name in overrides:
        _refuse(
            program,
            "unknown-constant",
            f"the program has no constant `{name}`",
            None,
            note="only what `#const` names can be overridden",
            hint=f"the constants are: {', '.join(program.constants) or 'none'}",
        )
    return values


def _override(name: str, value: Any) -> Value:
    try:
        return to_value(value)
    except FactError as error:
        raise FactError(f"constant {name}: {error}") from None


def _refuse(
    program: Program, code: str, message: str, span: Span | None, note: str | None = None, hint: str | None = None
) -> NoReturn:
    raise ProgramError([Diagnostic(code, message, span, note, hint)], program.source, program.name)


@dataclass
class _Resolver:
    program: Program
    constants: Mapping[str, Value]
    tick: Tick
    fresh: Iterator[int] = field(default_factory=count)

    def rule(self, rule: tree.Rule) -> CoreRule:
        return CoreRule(
            predicate=rule.head.predicate,
            args=tuple(map(self.term, rule.head.args)),
            time=None if rule.time is None else self.term(rule.time),
            body=tuple(element for given in rule.body for element in self.elements(given)),
            text=rule_text(self.program, rule),
            origin=rule,
        )

    def elements(self, element: tree.BodyElement) -> Iterator[BodyElement]:
        """An element of a body, after the equations for what it computes: ``a(X + 1)`` is ``V = X + 1, a(V)``."""
        if isinstance(element, tree.Comparison):
            yield Test(element.operator, self.term(element.left), self.term(element.right), element)
            return
        modality, negated, absent = _one_negation(element)
        equations: list[Test] = []
        args = tuple(self.flat(term, equations) for term in element.atom.args)
        time = self.flat(modality.time, equations) if isinstance(modality, tree.At) else None
        yield from equations
        yield Extended(
            predicate=element.atom.predicate,
            args=args,
            modality=modality if isinstance(modality, str) else "at",
            time=time,
            window=None if element.window is None else self.window(element.window),
            negated=negated,
            absent=absent,
            origin=element,
        )

    def flat(self, term: tree.Term, equations: list[Test]) -> tree.Term:
        """A variable or constant for a term; arithmetic is named by an equation."""
        resolved = self.term(term)
        if isinstance(resolved, tree.Arithmetic):
            variable = tree.Variable(f"_={next(self.fresh)}")
            equations.append(Test("=", variable, resolved))
            return variable
        return resolved

    def window(self, window: tree.Window) -> CoreWindow:
        size = self.ground(window.size)
        if isinstance(size, str | tuple):
            _refuse(self.program, "window-size", f"the size of a window is a number, not {size!r}", window.span)
        ticks = size if window.unit is None else self.tick.ticks(size, window.unit)
        if ticks is None:
            _refuse(
                self.program,
                "no-whole-ticks",
                f"{size} {window.unit} is no whole number of ticks of {self.tick}",
                window.span,
                note="a window's duration is counted in ticks",
            )
        if not isinstance(ticks, int) or ticks < (1 if window.kind == "tuple" else 0):
            _refuse(self.program, "window-size", f"{size} is no size of a {window.kind} window", window.span)
        return CoreWindow(window.kind, ticks)

    def term(self, term: tree.Term) -> tree.Term:
        match term:
            case tree.Variable(name="_"):
                return tree.Variable(f"_#{next(self.fresh)}")
            case tree.Variable() | tree.Constant():
                return term
            case tree.ConstantName():
                return tree.Constant(self.constants[term.name])
            case tree.Arithmetic():
                return tree.Arithmetic(term.operator, tuple(map(self.term, term.operands)))
            case tree.Range():
                _refuse(self.program, "range-outside-fact", "a range stands in facts only", term.span)
            case _:
                assert_never(term)

    def ground(self, term: tree.Term) -> Value:
        """The value of a term without variables."""
        match self.term(term):
            case tree.Constant(value=value):
                return value
            case tree.Arithmetic(operator=operator, operands=operands):
                result = apply(operator, *map(self.ground, operands))
                if result is not None:
                    return result
            case _:
                pass
        _refuse(self.program, "bad-constant", "this term has no value", term.span)

    def facts(self, fact: tree.Fact) -> Iterator[Atom]:
        """The ground atoms of a fact: one, or more where it has ranges."""
        values = [self.values(term) for term in fact.atom.args]
        size = 1
        for some in values:
            size *= len(some)
        if size > MOST_FACTS_OF_A_RANGE:
            _refuse(self.program, "range-too-large", f"these ranges stand for {size} facts", fact.span)
        for args in product(*values):
            yield Atom.of((fact.atom.name, *args))

    def values(self, term: tree.Term) -> range | tuple[Value, ...]:
        if not isinstance(term, tree.Range):
            return (self.ground(term),)
        low, high = self.ground(term.low), self.ground(term.high)
        if type(low) is not int or type(high) is not int:
            _refuse(self.program, "bad-range", "a range goes from an integer to an integer", term.span)
        return range(low, high + 1)


def _one_negation(literal: tree.Literal) -> tuple[tree.Modality, bool, bool]:
    """The laws ``⊞ □ ¬a = not ⊞ ◇ a`` and ``⊞ ◇ ¬a = not ⊞ □ a``; only ``⊞ @T ¬a`` keeps its inner negation."""
    if not literal.negated_inside:
        return literal.modality, literal.negated, False
    match literal.modality:
        case "always":
            return "sometime", not literal.negated, False
        case "sometime":
            return "always", not literal.negated, False
        case "now":
            return "now", not literal.negated, False
        case _:
            return literal.modality, literal.negated, True


def rule_text(program: Program, rule: tree.Rule) -> str:
    """The user's own words for a rule, on one line."""
    if rule.span is None:
        return write_statement(rule, "readable", program.prefixes)
    lines = program.source.splitlines()[rule.span.line - 1 : rule.span.end_line]
    if not lines:
        return write_statement(rule, "readable", program.prefixes)
    lines[-1] = lines[-1][: rule.span.end_column - 1]
    lines[0] = lines[0][rule.span.column - 1 :]
    return " ".join(" ".join(lines).split())
