"""A range that counts downwards stands for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.bad_range import fact_ranges
from laser.checks.subject import Subject
from laser.errors import Diagnostic

__all__ = ["empty_range"]


def empty_range(subject: Subject) -> Iterator[Diagnostic]:
    """A range whose end lies before its beginning."""
    for term in fact_ranges(subject):
        low, high = subject.value(term.low), subject.value(term.high)
        if isinstance(low, int) and isinstance(high, int) and high < low:
            yield Diagnostic(
                "empty-range",
                f"the range `{subject.term_text(term)}` is empty, and the fact says nothing",
                term.span,
                "a range counts upwards, from its first number to its last",
                f"did you mean `{subject.term_text(term.high)}..{subject.term_text(term.low)}`?",
                "warning",
            )
