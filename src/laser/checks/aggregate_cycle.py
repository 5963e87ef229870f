"""An aggregate must not be grouped by a value that comes from its own result."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.rules.graph import strongly_connected
from laser.rules.scopes import Scope, bound_outside, scopes
from laser.syntax import tree

__all__ = ["aggregate_cycle"]


def aggregate_cycle(subject: Subject) -> Iterator[Diagnostic]:
    """Aggregates of one rule that are grouped by each other's results in a cycle, or by their own result."""
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
                    "an aggregate may be grouped by the result of another aggregate, but not in a cycle",
                    "use different variables inside and outside the aggregate",
                )


def _feeds(rule: tree.Rule, several: list[Scope]) -> dict[int, list[int]]:
    """For each aggregate, the aggregates that are grouped by its result."""
    outside = bound_outside(rule)
    places = {id(scope.aggregate): place for place, scope in enumerate(several)}
    feeds: dict[int, list[int]] = {place: [] for place in places.values()}
    for test in rule.comparisons:
        targets = [term.name for term in test.terms if isinstance(term, tree.Variable)] if test.operator == "=" else []
        for aggregate in test.aggregates:
            readers = [scope for scope in several if any(t in scope.groups for t in targets if t not in outside)]
            feeds[places[id(aggregate)]] += [places[id(scope.aggregate)] for scope in readers]
    return feeds
