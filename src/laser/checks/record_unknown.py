"""``#record`` remembers what is derived."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.show_unknown import not_derived
from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["record_unknown"]


def record_unknown(subject: Subject) -> Iterator[Diagnostic]:
    """A ``#record`` of a predicate that no rule derives."""
    for predicate, place, near in not_derived(subject, tree.RecordDirective):
        yield Diagnostic(
            "record-unknown",
            f"`{predicate}` is recorded, but no rule derives it",
            place,
            "a record keeps what rules derive; facts of the stream are there for every window anyway",
            near or "remove it here, or add a rule for it",
            "warning",
        )
