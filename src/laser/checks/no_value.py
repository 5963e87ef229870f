"""The arguments of a fact must have values."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.terms import is_ground

__all__ = ["no_value"]


def no_value(subject: Subject) -> Iterator[Diagnostic]:
    """An expression without a value in a fact: arithmetic on strings, division by zero, overflow, outside the domain."""
    for fact in subject.program.facts:
        for term in fact.atom.args:
            if isinstance(term, tree.Arithmetic) and is_ground(term) and subject.value(term) is None:
                yield Diagnostic(
                    "no-value",
                    f"`{subject.term_text(term)}` has no value",
                    term.span,
                    "arithmetic needs numbers; a division by zero and a function outside its domain have no value",
                    "write the value itself, in quotes if it is a string",
                )
