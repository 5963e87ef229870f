"""``#record`` is only for derived predicates."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.show_unknown import not_derived
from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["record_unknown"]


def record_unknown(subject: Subject) -> Iterator[Diagnostic]:
    """A ``#record`` for a predicate that no rule derives."""
    for predicate, place, near in not_derived(subject, tree.RecordDirective):
        yield Diagnostic(
            "record-unknown",
            f"`{predicate}` is recorded, but no rule derives it",
            place,
            "`#record` remembers what rules derive; facts of the stream do not need it, because windows see them anyway",
            near or "remove it here, or add a rule for it",
            "warning",
        )
