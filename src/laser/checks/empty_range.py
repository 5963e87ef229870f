"""A range that counts down is empty."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.bad_range import fact_ranges
from laser.checks.subject import Subject
from laser.errors import Diagnostic

__all__ = ["empty_range"]


def empty_range(subject: Subject) -> Iterator[Diagnostic]:
    """A range whose end is less than its beginning."""
    for term in fact_ranges(subject):
        low, high = subject.value(term.low), subject.value(term.high)
        if isinstance(low, int) and isinstance(high, int) and high < low:
            yield Diagnostic(
                "empty-range",
                f"the range `{subject.term_text(term)}` is empty, so this fact has no effect",
                term.span,
                "a range counts up, from its first number to its last",
                f"did you mean `{subject.term_text(term.high)}..{subject.term_text(term.low)}`?",
                "warning",
            )
