"""Ranges are expanded into facts, so their size is limited."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["range_too_large"]

MOST_FACTS_OF_A_RANGE = 10_000_000


def range_too_large(subject: Subject) -> Iterator[Diagnostic]:
    """A fact whose ranges stand for too many facts to store."""
    for fact in subject.program.facts:
        size = prod(_length(subject, term) for term in fact.atom.args if isinstance(term, tree.Range))
        if size > MOST_FACTS_OF_A_RANGE:
            yield Diagnostic(
                "range-too-large",
                f"the ranges of this fact stand for {size:,} facts",
                fact.span,
                f"every fact of a range is stored, so a range may stand for at most {MOST_FACTS_OF_A_RANGE:,} facts",
                "instead of a range, compare in a body, as in `X >= 1, X <= 100`",
            )


def _length(subject: Subject, term: tree.Range) -> int:
    low, high = subject.value(term.low), subject.value(term.high)
    return max(0, high - low + 1) if isinstance(low, int) and isinstance(high, int) else 1
