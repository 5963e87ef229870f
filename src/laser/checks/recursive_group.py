"""The groups of an aggregate must be known before the rules that use it run."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.rules.dependencies import components, written_edges
from laser.rules.scopes import Scope, bound_variables, scopes
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["recursive_group"]


def recursive_group(subject: Subject) -> Iterator[Diagnostic]:
    """A group variable that the aggregate does not bind, and that gets its values only from the recursion of the rule."""
    parts = components(written_edges(subject.program, subject.looks_only_back))
    for rule in subject.rules:
        needing = [scope for scope in scopes(rule) if scope.given]
        if needing:
            own = next((part for part in parts if rule.head.predicate in part), frozenset())
            yield from _of_rule(rule, needing, own)


def _of_rule(rule: tree.Rule, needing: list[Scope], own: frozenset[Predicate]) -> Iterator[Diagnostic]:
    body = tuple(e for e in rule.body if not (isinstance(e, tree.Literal) and e.atom.predicate in own))
    if len(body) == len(rule.body):
        return
    outside = bound_variables(tree.Rule(rule.head, rule.time, body))
    for scope in needing:
        for name in sorted(scope.given - outside):
            yield Diagnostic(
                "recursive-group",
                f"this aggregate is grouped by `{name}`, whose values come only from the recursion",
                scope.aggregate.span,
                "an aggregate is computed before the rules that use it, so its groups must be known without them",
                f"add an atom that lists the possible values of `{name}`, here or inside the aggregate",
            )
