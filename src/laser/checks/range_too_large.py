"""Ranges are written out, so they must end some time."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["range_too_large"]

MOST_FACTS_OF_A_RANGE = 10_000_000


def range_too_large(subject: Subject) -> Iterator[Diagnostic]:
    """A fact whose ranges stand for more facts than anyone can keep."""
    for fact in subject.program.facts:
        size = prod(_length(subject, term) for term in fact.atom.args if isinstance(term, tree.Range))
        if size > MOST_FACTS_OF_A_RANGE:
            yield Diagnostic(
                "range-too-large",
                f"this stands for {size} facts",
                fact.span,
                f"every fact of a range is kept: there may be {MOST_FACTS_OF_A_RANGE} of them",
                "compare instead of listing, as in `X >= 1, X <= 100` in a body",
            )


def _length(subject: Subject, term: tree.Range) -> int:
    low, high = subject.value(term.low), subject.value(term.high)
    return max(0, high - low + 1) if isinstance(low, int) and isinstance(high, int) else 1
