"""The arguments of a fact are values."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.terms import is_ground

__all__ = ["no_value"]


def no_value(subject: Subject) -> Iterator[Diagnostic]:
    """Arithmetic or a function in a fact that has no value: over strings, divided by zero, too large, or outside of its domain."""
    for fact in subject.program.facts:
        for term in fact.atom.args:
            if isinstance(term, tree.Arithmetic) and is_ground(term) and subject.value(term) is None:
                yield Diagnostic(
                    "no-value",
                    f"`{subject.term_text(term)}` has no value",
                    term.span,
                    "arithmetic is over numbers, nothing is divided by zero, and a function has no value outside of its domain",
                    "write the value itself, in quotes if it is a text",
                )
