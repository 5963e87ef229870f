"""``#show`` is only for derived predicates."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.known_predicates import KnownPredicates
from laser.checks.subject import Subject
from laser.errors import Diagnostic, Span
from laser.phrases import listed
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["not_derived", "show_unknown"]


def show_unknown(subject: Subject) -> Iterator[Diagnostic]:
    """A ``#show`` for a predicate that no rule derives."""
    for predicate, place, near in not_derived(subject, tree.ShowDirective):
        yield Diagnostic(
            "show-unknown",
            f"`{predicate}` is shown, but no rule derives it",
            place,
            "the output contains only derived atoms, not inputs or background data",
            near or _hint(subject, predicate),
            "warning",
        )


def not_derived(
    subject: Subject, kind: type[tree.ShowDirective | tree.RecordDirective]
) -> Iterator[tuple[Predicate, Span | None, str | None]]:
    """The predicates that these directives list but no rule derives, each with its place and a hint."""
    known = KnownPredicates(subject.derived)
    for directive in subject.program.statements:
        if isinstance(directive, kind):
            for predicate in directive.predicates:
                if predicate not in subject.derived:
                    near = known.meant_by(predicate.name)
                    hint = f"did you mean {listed(near, 'or')}?" if near else None
                    yield predicate, _place(subject, directive.span, predicate), hint


def _place(subject: Subject, span: Span | None, predicate: Predicate) -> Span | None:
    """The place of the predicate if the directive is on one line, or else the place of the directive."""
    if span is None or span.line != span.end_line:
        return span
    at = subject.rows[span.line - 1].find(str(predicate), span.column - 1)
    return span if at < 0 else Span(span.line, at + 1, span.line, at + 1 + len(str(predicate)))


def _hint(subject: Subject, predicate: Predicate) -> str:
    if predicate in subject.read or predicate in subject.background:
        return f"to show it, derive it from `{predicate.name}` under another name"
    return f"add a rule that derives `{predicate}`, or remove it here"
