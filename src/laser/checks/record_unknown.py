"""``#record`` remembers what is derived."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.known_predicates import KnownPredicates
from laser.checks.show_unknown import place_in_list
from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import listed
from laser.syntax import tree

__all__ = ["record_unknown"]


def record_unknown(subject: Subject) -> Iterator[Diagnostic]:
    """A ``#record`` of a predicate that no rule derives."""
    known = KnownPredicates(subject.derived)
    for directive in subject.program.statements:
        if isinstance(directive, tree.RecordDirective):
            for predicate in directive.predicates:
                if predicate not in subject.derived:
                    near = known.meant_by(predicate.name)
                    yield Diagnostic(
                        "record-unknown",
                        f"`{predicate}` is recorded, but no rule derives it",
                        place_in_list(subject, directive.span, predicate),
                        "a record keeps what rules derive; facts of the stream are there for every window anyway",
                        f"did you mean {listed(near, 'or')}?" if near else "remove it here, or add a rule for it",
                        "warning",
                    )
