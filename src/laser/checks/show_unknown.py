"""``#show`` chooses among what is derived."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic, Span
from laser.phrases import closest, listed
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["show_unknown"]


def show_unknown(subject: Subject) -> Iterator[Diagnostic]:
    """A ``#show`` of a predicate that no rule derives."""
    for directive in subject.program.statements:
        if isinstance(directive, tree.ShowDirective):
            for predicate in directive.predicates:
                if predicate not in subject.derived:
                    yield _finding(subject, directive, predicate)


def _finding(subject: Subject, directive: tree.ShowDirective, predicate: Predicate) -> Diagnostic:
    return Diagnostic(
        "show-unknown",
        f"`{predicate}` is shown, but no rule derives it",
        _place(subject, directive, predicate),
        "the output lists derived atoms only, not what streams in or is background data",
        _hint(subject, predicate),
        "warning",
    )


def _place(subject: Subject, directive: tree.ShowDirective, predicate: Predicate) -> Span | None:
    """The predicate's own place within a directive of one line, else the directive's."""
    span = directive.span
    if span is None or span.line != span.end_line:
        return span
    at = subject.rows[span.line - 1].find(str(predicate), span.column - 1)
    return span if at < 0 else Span(span.line, at + 1, span.line, at + 1 + len(str(predicate)))


def _hint(subject: Subject, predicate: Predicate) -> str:
    namesakes = sorted(other for other in subject.derived if other.name == predicate.name)
    if namesakes:
        return f"did you mean {listed(namesakes, 'or')}?"
    derived = {str(other): other for other in sorted(subject.derived)}
    guess = closest(predicate.name, [other.name for other in derived.values()])
    if guess:
        return f"did you mean {listed((p for p in derived.values() if p.name == guess), 'or')}?"
    if predicate in subject.read | subject.background:
        return f"to list it, derive it under another name from `{predicate.name}`"
    return f"add a rule that derives `{predicate}`, or drop it here"
