"""Infers types from uses: an argument that is compared with a number, or used in arithmetic, is a number.

A use is weaker evidence than a column (the stream may differ), so it counts only if nothing else is known. Uses pass through
rules in both directions: from a comparison to the arguments of the body, and on to the rules that derive them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TypeAlias

from laser.rules.body import Aggregate
from laser.rules.rule import ResolvedProgram, Rule
from laser.rules.worklist import follow
from laser.syntax import tree
from laser.syntax.terms import subterms
from laser.values import Duration, Predicate, Time, static_type_of
from laser.values.fold import Fold
from laser.values.functions import FUNCTIONS
from laser.values.operations import COMPARISONS
from laser.values.static_type import ANY, INTEGER, NUMBER, STRING, TIME, StaticType

__all__ = ["find_uses"]

Position: TypeAlias = tuple[Predicate, int]
Types: TypeAlias = set[StaticType]


def find_uses(program: ResolvedProgram) -> dict[Predicate, list[StaticType | None]]:
    """The types that arguments are used as; None if no use is known, or if uses contradict each other.

    >>> from laser.checks.accept import accept
    >>> from laser.checks.load import parse
    >>> program = accept(parse("hot(M) :- limit(M, L), temp(M, V), V > L. warm(M) :- temp(M, V), V > 20."))
    >>> for predicate, uses in sorted(find_uses(program).items()):
    ...     print(predicate, *uses)
    hot/1 None
    limit/2 None number
    temp/2 None number
    warm/1 None
    """
    found: dict[Position, Types] = defaultdict(set)
    follow(program.rules, _predicates, partial(_follow, found))
    predicates = {predicate for rule in program.rules for predicate in _predicates(rule)}
    return {p: [_only(found[p, i]) for i in range(p.arity)] for p in predicates}


def _only(types: Types) -> StaticType | None:
    return next(iter(types)) if len(types) == 1 else None


def _follow(found: dict[Position, Types], rule: Rule) -> set[Predicate]:
    """Combine the uses in a rule; returns the predicates for which something changed."""
    variables: dict[str, Types] = defaultdict(set)
    places = [(term.name, place) for term, place in _places(rule) if isinstance(term, tree.Variable)]
    for name, place in places:
        variables[name] |= found[place]
    for _ in rule.body:  # one comparison may provide what another needs
        for variable, term in _compared(rule):
            variables[variable.name] |= _types(term, variables)
    changed = {place[0] for name, place in places if not variables[name] <= found[place]}
    for name, place in places:
        found[place] |= variables[name]
    return changed


def _predicates(rule: Rule) -> Iterator[Predicate]:
    return (predicate for predicate, _ in _atoms(rule))


def _places(rule: Rule) -> Iterator[tuple[tree.Term, Position]]:
    for predicate, args in _atoms(rule):
        for position, term in enumerate(args):
            yield term, (predicate, position)


def _atoms(rule: Rule) -> Iterator[tuple[Predicate, tuple[tree.Term, ...]]]:
    yield rule.predicate, rule.args
    yield from ((atom.predicate, atom.args) for atom in rule.atoms)


def _compared(rule: Rule) -> Iterator[tuple[tree.Variable, tree.Term]]:
    """Variables with terms of the same type: what they are compared with, or a number if they are used in arithmetic.

    ``X != 5`` implies nothing, because it also holds for strings.
    """
    for test in (*rule.comparisons, *(test for each in rule.aggregates for test in each.comparisons)):
        if test.operator not in COMPARISONS:
            yield from ((side, _EXAMPLES[STRING]) for side in test.terms if isinstance(side, tree.Variable))
            continue
        for one, other in ((test.left, test.right), (test.right, test.left)):
            if isinstance(one, tree.Variable) and test.operator != "!=":
                yield one, other
    for aggregate in rule.aggregates:
        yield from _folded(aggregate)
    for outer in (*rule.terms(), *(term for each in rule.aggregates for term in each.inner_terms)):
        for term in subterms(outer):
            if isinstance(term, tree.Arithmetic):
                yield from _operands(term)


def _operands(term: tree.Arithmetic) -> Iterator[tuple[tree.Variable, tree.Term]]:
    """The variables that are used in arithmetic or in functions, which have typed arguments."""
    function = FUNCTIONS.get(term.operator)
    for place, part in enumerate(term.operands):
        wanted = ANY if function is None else function.argument(place)
        if isinstance(part, tree.Variable) and wanted in _EXAMPLES:
            yield part, _EXAMPLES[wanted]
        elif isinstance(part, tree.Variable) and (function is None or function.keeps_type) and _counts(term):
            yield part, term


_EXAMPLES: dict[StaticType, tree.Term] = {
    STRING: tree.Constant(""),
    NUMBER: tree.Constant(0.5),
    INTEGER: tree.Constant(0.5),
    TIME: tree.Constant(Time(0)),
}
"""For each type, a term of that type."""


def _counts(term: tree.Arithmetic) -> bool:
    """Whether a term works only with numbers. A sum with a third operand, the tick, may also involve times."""
    values = [part.value for part in term.operands if isinstance(part, tree.Constant)]
    return len(term.operands) < 3 and not any(isinstance(value, Time | Duration) for value in values)


def _folded(aggregate: Aggregate) -> Iterator[tuple[tree.Variable, tree.Term]]:
    """What an aggregate implies for its values and its result: numbers, unless the result is one of the values."""
    number, (first, *_) = tree.Constant(0.5), aggregate.folded
    extreme = aggregate.fold in (Fold.MIN, Fold.MAX)
    yield aggregate.result, first if extreme else number
    if isinstance(first, tree.Variable) and aggregate.fold is not Fold.COUNT:
        yield first, aggregate.result if extreme else number


def _types(term: tree.Term, variables: Mapping[str, Types]) -> Types:
    match term:
        case tree.Variable(name=name):
            return variables.get(name, set())
        case tree.Arithmetic(operator=operator) if operator in FUNCTIONS and not FUNCTIONS[operator].keeps_type:
            *_, widest = FUNCTIONS[operator].gives([None] * len(term.operands)).widening()
            return {widest}
        case tree.Arithmetic():
            return {NUMBER} if _counts(term) else set()
        case tree.Constant(value=value):
            *_, widest = static_type_of(value).widening()
            return {widest} - {ANY}
        case _:
            return set()
