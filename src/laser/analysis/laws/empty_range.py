"""A range that counts downwards stands for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from laser.analysis.laws.bad_range import fact_ranges
from laser.analysis.subject import Subject, fold
from laser.errors import Diagnostic

__all__ = ["empty_range"]


def empty_range(subject: Subject) -> Iterator[Diagnostic]:
    """A range whose end lies before its beginning."""
    for term in fact_ranges(subject):
        low, high = fold(term.low, subject.values), fold(term.high, subject.values)
        if isinstance(low, int) and isinstance(high, int) and high < low:
            yield Diagnostic(
                "empty-range",
                f"the range `{subject.term_text(term)}` is empty, and the fact says nothing",
                term.span,
                "a range counts upwards, from its first number to its last",
                f"did you mean `{subject.term_text(term.high)}..{subject.term_text(term.low)}`?",
                "warning",
            )
