"""Infers the static type of every argument: given types flow through the rules, and the uses of variables add the rest.

Types are inferred before anything runs, because a class of values cannot distinguish a time point from a number, and a table
needs its columns before it has rows. A position about which nothing is known has no type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from laser.errors import LaserError
from laser.rules.body import Comparison
from laser.rules.rule import ResolvedProgram, Rule
from laser.rules.uses import find_uses
from laser.rules.worklist import follow
from laser.syntax import tree
from laser.syntax.terms import subterms
from laser.values import Predicate, static_type_of, write_value
from laser.values.fold import Fold
from laser.values.functions import FUNCTIONS
from laser.values.operations import COMPARISONS
from laser.values.static_type import ANY, DURATION, INTEGER, NUMBER, STRING, TIME, StaticType, join

__all__ = [
    "ClashError",
    "Given",
    "argument_types",
    "computed_type",
    "mismatches",
    "misplaced_arguments",
    "settled_types",
]

Given: TypeAlias = Mapping[Predicate, Sequence[StaticType]]
"""The types of the arguments that stream in."""
Known: TypeAlias = StaticType | None


class ClashError(LaserError):
    """Two types flow into one place, and only ``any`` contains the values of both."""

    def __init__(self, one: StaticType, other: StaticType, place: str) -> None:
        self.one, self.other, self.place = one, other, place
        super().__init__(f"the types {one} and {other} are mixed in {place}")


def argument_types(program: ResolvedProgram, given: Given, mixed: bool = False) -> dict[Predicate, tuple[Known, ...]]:
    """The types of the arguments of every predicate.

    If two types without a common type meet, the argument has the type ``any`` if ``mixed``; otherwise ClashError is raised.

    >>> from laser.checks.accept import accept
    >>> from laser.checks.load import parse
    >>> program = accept(parse("hot(V, W) :- temp(V), W = V / 2. old(T) :- age(A) at T, A > 9."))
    >>> for predicate, types in sorted(argument_types(program, {Predicate("temp", 1): [INTEGER]}).items()):
    ...     print(predicate, *types)
    age/1 number
    hot/2 integer number
    old/1 integer
    temp/1 integer
    """
    flow = _Flow(program, mixed)
    for predicate, types in given.items():
        flow.give(predicate, types, "input")
    for atom in program.background:
        flow.give(atom.signature, list(map(static_type_of, atom.args)), "background data")
    flow.settle()
    uses = find_uses(program)
    return {predicate: flow.of(predicate, uses.get(predicate)) for predicate in {**flow.types, **uses}}


def mismatches(program: ResolvedProgram, given: Given) -> Iterator[tuple[Comparison, StaticType, StaticType]]:
    """The comparisons of a time or a duration with a value of another type, with both types."""
    flow = _settled(program, given)
    for rule in program.rules:
        variables = flow.variables(rule)
        for test in rule.comparisons:
            left, right = (flow.term(side, variables) for side in test.terms)
            if test.operator not in COMPARISONS:
                left, right = next((side for side in (left, right) if side and _are_apart(side, STRING)), None), STRING
            if test.origin is not None and left and right and _are_apart(left, right):
                yield test, left, right


def misplaced_arguments(program: ResolvedProgram, given: Given) -> Iterator[tuple[tree.Arithmetic, int, StaticType]]:
    """The function calls where exactly one of the expected type and the argument is a time or a duration."""
    flow = _settled(program, given)
    for rule in program.rules:
        variables = flow.variables(rule)
        inner = (term for aggregate in rule.aggregates for term in aggregate.inner_terms)
        for term in (part for outer in (*rule.terms(), *inner) for part in subterms(outer)):
            if isinstance(term, tree.Arithmetic) and term.operator in FUNCTIONS:
                for place, operand in enumerate(term.operands[: FUNCTIONS[term.operator].most]):
                    kind, wanted = flow.term(operand, variables), FUNCTIONS[term.operator].argument(place)
                    if kind is not None and _are_apart(kind, wanted):
                        yield term, place, kind


def settled_types(program: ResolvedProgram, given: Given) -> Mapping[Predicate, Sequence[Known]]:
    """The types of the arguments that are known for certain; None where values may have any type."""
    return _settled(program, given).types


def _settled(program: ResolvedProgram, given: Given) -> _Flow:
    """The types of a program that are known for certain."""
    flow = _Flow(program, mixed=True, strict=True)
    for predicate, types in given.items():
        flow.give(predicate, types, "input")
    for atom in program.background:
        flow.give(atom.signature, list(map(static_type_of, atom.args)), "background data")
    flow.settle()
    return flow


def _are_apart(one: StaticType, other: StaticType) -> bool:
    timed = any(each.fits(kind) for each in (one, other) for kind in (TIME, DURATION))
    return timed and ANY not in (one, other) and join(one, other) is None


@dataclass
class _Flow:
    program: ResolvedProgram
    mixed: bool
    strict: bool = False
    """Whether an operand of unknown type makes the result unknown; otherwise it is assumed to be a number."""
    types: dict[Predicate, list[Known]] = field(default_factory=dict)

    def of(self, predicate: Predicate, used: Sequence[Known] | None) -> tuple[Known, ...]:
        """The types that flow into a predicate; if there are none, the types of its uses."""
        flowing = self.types.get(predicate, [None] * predicate.arity)
        return tuple(one or other for one, other in zip(flowing, used or flowing, strict=True))

    def give(self, predicate: Predicate, types: Sequence[Known], source: str) -> bool:
        """Let types flow into a predicate; returns whether anything changed."""
        known = self.types.setdefault(predicate, [None] * predicate.arity)
        pairs = enumerate(zip(known, types, strict=True), 1)
        joined = [self._join(one, other, f"argument {i} of {predicate} ({source})") for i, (one, other) in pairs]
        self.types[predicate] = joined
        return joined != known

    def _join(self, one: Known, other: Known, place: str) -> Known:
        """The type of a place into which both flow."""
        if one is None or other is None:
            return one or other
        common = join(one, other)
        if common is None and not self.mixed:
            raise ClashError(one, other, place)
        return common or ANY

    def _meet(self, one: Known, other: Known, place: str) -> Known:
        """The type of a variable that is bound in two places: only values of both types can match."""
        if one is None or other is None:
            return one or other
        if ANY in (one, other):
            return other if one == ANY else one
        return self._join(one, other, place)

    def settle(self) -> None:
        """Apply the rules until nothing changes."""
        follow(self.program.rules, _read, self._flow)

    def _flow(self, rule: Rule) -> list[Predicate]:
        return [rule.predicate] if self.give(rule.predicate, self._head(rule), f"rule `{rule.text}`") else []

    def _head(self, rule: Rule) -> list[Known]:
        variables = self.variables(rule)
        return [self.term(term, variables) for term in rule.args]

    def variables(self, rule: Rule) -> dict[str, Known]:
        found: dict[str, Known] = {}
        place = f"the rule `{rule.text}`"
        for term, known in self._bindings(rule):
            if isinstance(term, tree.Variable):
                found[term.name] = self._meet(found.get(term.name), known, f"variable {term.name} of {place}")
            elif isinstance(term, tree.Constant):
                self._meet(static_type_of(term.value), known, f"{write_value(term.value)} of {place}")
        for _ in rule.body:  # an assignment may use a variable that a later one assigns
            for test in (*rule.comparisons, *(test for each in rule.aggregates for test in each.comparisons)):
                if test.operator == "=":
                    self._assign(test.left, test.right, found)
                    self._assign(test.right, test.left, found)
            for aggregate in rule.aggregates:
                folded = self.term(aggregate.folded[0], found)
                if found.get(aggregate.result.name) is None:
                    found[aggregate.result.name] = _folded(aggregate.fold, folded)
        return found

    def _bindings(self, rule: Rule) -> Iterator[tuple[tree.Term, Known]]:
        """The terms of positive atoms with the types of their positions."""
        for atom in rule.atoms:
            if atom.time is not None and not atom.negated:
                yield atom.time, INTEGER if isinstance(atom.time, tree.Variable) else None
            if atom.is_positive:
                yield from zip(atom.args, self.types.get(atom.predicate, [None] * len(atom.args)), strict=True)

    def _assign(self, target: tree.Term, source: tree.Term, found: dict[str, Known]) -> None:
        if isinstance(target, tree.Variable) and found.get(target.name) is None:
            found[target.name] = self.term(source, found)

    def term(self, term: tree.Term, found: Mapping[str, Known]) -> Known:
        match term:
            case tree.Variable(name=name):
                return found.get(name)
            case tree.Constant(value=value):
                return static_type_of(value)
            case tree.Arithmetic(operator=operator, operands=operands):
                known = [self.term(operand, found) for operand in operands]
                return None if self.strict and None in known else computed_type(operator, known)
            case _:
                return None


def _read(rule: Rule) -> list[Predicate]:
    return [atom.predicate for atom in rule.atoms]


def _folded(fold: Fold, folded: Known) -> Known:
    """The type of the result of an aggregate."""
    match fold:
        case Fold.COUNT:
            return INTEGER
        case Fold.SUM:
            return INTEGER if folded is not None and folded.fits(INTEGER) else NUMBER
        case Fold.AVG | Fold.MEDIAN | Fold.QUANTILE | Fold.STDEV:
            return NUMBER
        case Fold.MIN | Fold.MAX:
            return folded
        case _:
            assert_never(fold)


def computed_type(operator: str, operands: Sequence[Known]) -> StaticType:
    """The type of the result of an operation.

    >>> print(computed_type("-", [TIME, TIME]), computed_type("/", [DURATION, INTEGER]), computed_type("+", [INTEGER, None]))
    duration duration integer
    """
    known = [one for one in operands[:2] if one]
    times, durations = ([one.fits(kind) for one in known].count(True) for kind in (TIME, DURATION))
    match operator:
        case "instant":
            return TIME
        case "point":
            return INTEGER
        case name if name in FUNCTIONS:
            return FUNCTIONS[name].gives(operands)
        case "-" if times == 2:
            return DURATION
        case "/" | "div" if durations == 2:
            return INTEGER if operator == "div" else NUMBER
        case _:
            return TIME if times else DURATION if durations else _number(operator, known)


def _number(operator: str, operands: Sequence[StaticType]) -> StaticType:
    return INTEGER if operator != "/" and all(one.fits(INTEGER) for one in operands) else NUMBER
