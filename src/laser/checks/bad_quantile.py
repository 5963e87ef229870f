"""The level of a quantile must be between 0 and 1."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax.terms import is_ground

__all__ = ["bad_quantile"]


def bad_quantile(subject: Subject) -> Iterator[Diagnostic]:
    """A level that is not a number from 0 to 1, or that is not known before the program runs."""
    for level in (aggregate.level for rule in subject.rules for aggregate in rule.aggregates):
        if level is None:
            continue
        value = subject.value(level)
        if is_ground(level) and value is None:
            continue  # an unknown constant, which another check reports
        if not (isinstance(value, int | float) and 0 <= value <= 1):
            yield Diagnostic(
                "bad-quantile",
                f"the level of a quantile must be a number from 0 to 1, not `{subject.term_text(level)}`",
                level.span,
                "level 0 is the smallest value, 0.5 the median and 1 the largest; it must be known before the program runs",
                "write, for example, `quantile(0.9; V, T : …)`",
            )
