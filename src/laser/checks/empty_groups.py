"""An aggregate that binds its own groups does not see empty groups."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import listed
from laser.rules.scopes import Scope, bound_outside, scopes
from laser.syntax import tree
from laser.values.operations import compare

__all__ = ["empty_groups"]

_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def empty_groups(subject: Subject) -> Iterator[Diagnostic]:
    """``count(C : car(C, S) in [5 min]) < 3`` without another atom for S: 0 is below 3, but the count is never 0."""
    for rule in subject.rules:
        outside = bound_outside(rule)
        for scope in scopes(rule):
            open_groups = [name for name in scope.groups if name not in outside]
            if open_groups and _could_be_empty(subject, rule, scope):
                yield _finding(open_groups, scope)


def _finding(groups: list[str], scope: Scope) -> Diagnostic:
    names = listed(groups)
    return Diagnostic(
        "empty-groups",
        f"this {scope.aggregate.fold.value} is never 0, because no other atom lists the values of {names}",
        scope.aggregate.span,
        "an aggregate that binds its own group variables finds only groups with at least one tuple",
        f"add an atom that lists the values of {names}, such as `station({', '.join(groups)})`",
        "warning",
    )


def _could_be_empty(subject: Subject, rule: tree.Rule, scope: Scope) -> bool:
    """Whether a comparison of the result with a value would hold for the empty set."""
    nothing = scope.aggregate.fold.of_nothing
    results: list[tree.Term] = [scope.aggregate]
    for test in rule.comparisons:
        if test.operator == "=" and scope.aggregate in test.terms:
            results += [term for term in test.terms if isinstance(term, tree.Variable)]
    for test in rule.comparisons:
        for one, other, sign in (
            (test.left, test.right, test.operator),
            (test.right, test.left, _FLIPPED.get(test.operator, test.operator)),
        ):
            value = subject.value(other)
            if one in results and nothing is not None and value is not None and compare(sign, nothing, value):
                return True
    return False
