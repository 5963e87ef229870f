"""The second argument of ``matches`` must be a valid regular expression."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.values import texts

__all__ = ["bad_expression"]


def bad_expression(subject: Subject) -> Iterator[Diagnostic]:
    """An expression that is known before the run and that RE2 cannot read. LaserError if the package is not installed."""
    for rule in subject.rules:
        inner = (test for aggregate in rule.aggregates for test in aggregate.comparisons)
        for test in (*rule.comparisons, *inner):
            if test.operator.removeprefix(texts.NOT) == "matches":
                yield from _finding(subject, test)


def _finding(subject: Subject, test: tree.Comparison) -> Iterator[Diagnostic]:
    expression = subject.value(test.right)
    reason = texts.bad_expression(expression if isinstance(expression, str) else "")
    if reason:
        yield Diagnostic(
            "bad-expression",
            f"`{subject.term_text(test.right)}` is not a regular expression: {reason}",
            test.right.span,
            "`matches` uses the syntax of RE2, without backreferences and lookaround",
            r"to match a special character itself, escape it; in a string, a backslash is written twice: `\\.`, `\\(`",
        )
