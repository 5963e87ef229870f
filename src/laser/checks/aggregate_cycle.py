"""What an aggregate groups by must not come from its own result."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.rules.graph import strongly_connected
from laser.rules.scopes import Scope, bound_outside, scopes
from laser.syntax import tree

__all__ = ["aggregate_cycle"]


def aggregate_cycle(subject: Subject) -> Iterator[Diagnostic]:
    """Aggregates of a rule of which each has the result of another one, or its own, as a group."""
    for rule in subject.rules:
        several = scopes(rule)
        feeds = _feeds(rule, several)
        for circle in strongly_connected(feeds):
            if len(circle) > 1 or circle[0] in feeds[circle[0]]:
                first = several[min(circle)].aggregate
                yield Diagnostic(
                    "aggregate-cycle",
                    "this aggregate is grouped by a value that is computed from its own result",
                    first.span,
                    "the result of an aggregate may be a group of another one, but not in a circle",
                    "use another variable within the aggregate, or outside of it",
                )


def _feeds(rule: tree.Rule, several: list[Scope]) -> dict[int, list[int]]:
    """Each aggregate with those that have its result as a group."""
    outside = bound_outside(rule)
    places = {id(scope.aggregate): place for place, scope in enumerate(several)}
    feeds: dict[int, list[int]] = {place: [] for place in places.values()}
    for test in rule.comparisons:
        targets = [term.name for term in test.terms if isinstance(term, tree.Variable)] if test.operator == "=" else []
        for aggregate in test.aggregates:
            readers = [scope for scope in several if any(t in scope.groups for t in targets if t not in outside)]
            feeds[places[id(aggregate)]] += [places[id(scope.aggregate)] for scope in readers]
    return feeds
