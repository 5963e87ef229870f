"""The groups of an aggregate are known before the rules that use it."""

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
    """A group that its aggregate does not bind, and that the rest of the rule takes from its own recursion alone."""
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
                f"the values of `{name}`, by which this aggregate is grouped, come from the recursion itself",
                scope.aggregate.span,
                "an aggregate is computed before the rules that use it, so its groups must be known without them",
                f"add an atom that lists the candidates for `{name}`, here or within the aggregate",
            )
