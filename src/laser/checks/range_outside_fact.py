"""Ranges are allowed only in facts. The parser already checks this; this check is for programs built in code."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.terms import subterms

__all__ = ["range_outside_fact"]


def range_outside_fact(subject: Subject) -> Iterator[Diagnostic]:
    """A range in a rule."""
    for term in (part for rule in subject.rules for outer in rule.terms() for part in subterms(outer)):
        if isinstance(term, tree.Range):
            text = subject.term_text(term)
            yield Diagnostic(
                "range-outside-fact",
                f"the range `{text}` is not allowed in a rule",
                term.span,
                "ranges are allowed only in facts, where they stand for one fact per value",
                f"list the values as facts, `value({text}).`, and join with `value(X)`",
            )
