"""Finds which variables of a rule belong to which aggregate, and which variables are bound once a body is matched.

A variable of an aggregate that also occurs outside it (other aggregates do not count) is a group; the others are local.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from laser.rules.graph import closure
from laser.syntax import tree
from laser.syntax.terms import variables

__all__ = ["Scope", "bound_outside", "bound_variables", "scopes"]

Implication = tuple[set[str], str]
"""Variables that need a value, and the variable that gets a value from them."""


NESTED = "#"
"""Stands for an aggregate inside another one, which is refused: it never has a value."""


class Scope:
    """An aggregate of a rule with the roles of its variables. In sets of names, its ``mark`` stands for it."""

    def __init__(self, aggregate: tree.Aggregate, outer: Iterable[str], number: int) -> None:
        self.aggregate = aggregate
        self.mark = f"#{number}"
        inner = dict.fromkeys(v.name for v in variables(aggregate.terms()) if v.name != "_")
        self.groups = tuple(name for name in inner if name in outer)
        self.local = tuple(name for name in inner if name not in outer)
        by_body = self.bound_inside(())
        self.given = frozenset(name for name in self.groups if name not in by_body)
        """The groups that its body cannot bind, so that the rest of the rule must."""

    def bound_inside(self, given: Iterable[str]) -> set[str]:
        """The variables that are bound once its body is matched, if the given ones are bound."""
        return closure(chain(_bindings(self.aggregate.literals), _assignments(self.aggregate.comparisons, {})), given)


def scopes(rule: tree.Rule) -> list[Scope]:
    """The aggregates of a rule, in the order of the text."""
    if not rule.aggregates:
        return []
    outer = {variable.name for variable in variables(rule.outer_terms())} - {"_"}
    return [Scope(aggregate, outer, number) for number, aggregate in enumerate(rule.aggregates)]


def bound_outside(rule: tree.Rule) -> set[str]:
    """The variables that atoms of the body bind, directly or through assignments, without the aggregates."""
    tests = [test for test in rule.comparisons if not test.aggregates]
    return closure(chain(_bindings(rule.literals), _assignments(tests, {})), ())


def bound_variables(rule: tree.Rule, given: Iterable[str] = ()) -> set[str]:
    """The variables that are bound once the body is matched: by atoms, by aggregates, or by assignments from them."""
    several = scopes(rule)
    marks = {id(scope.aggregate): scope.mark for scope in several}
    by_aggregates = [(set(scope.given), name) for scope in several for name in (*scope.groups, scope.mark)]
    by_tests = _assignments(rule.comparisons, marks)
    found = closure(chain(_bindings(rule.literals), by_aggregates, by_tests), given)
    return found.difference(marks.values())


def _bindings(literals: Iterable[tree.Literal]) -> Iterator[Implication]:
    """What literals bind; ``⊞ @T ¬ a(X)`` binds T once X has a value, so it never binds a T that is also an argument."""
    for literal in literals:
        needs = set() if literal.is_positive else {v.name for v in variables(literal.atom.args)} - {"_"}
        yield from ((needs, name) for name in literal.binds())


def _assignments(tests: Iterable[tree.Comparison], marks: dict[int, str]) -> Iterator[Implication]:
    """The variables and aggregates that an assignment needs, and the variable that it binds."""
    for test in tests:
        if test.operator == "=":
            for target, value in ((test.left, test.right), (test.right, test.left)):
                if isinstance(target, tree.Variable) and target.name != "_":
                    needs = {variable.name for variable in variables([value])}
                    yield needs.union(_marks(value, marks)), target.name


def _marks(value: tree.Term, marks: dict[int, str]) -> Iterator[str]:
    whole = tree.Comparison("=", value, value)
    return (marks.get(id(aggregate), NESTED) for aggregate in whole.aggregates)
