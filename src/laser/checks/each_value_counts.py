"""What is counted is one atom, with one value in every place."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["each_value_counts"]

NOTE = "like `always`, a count is about one and the same atom: each value that `_` can take counts for itself"


def each_value_counts(subject: Subject) -> Iterator[Diagnostic]:
    """``_`` in an atom whose time points are counted: seldom is one and the same value meant."""
    for literal, times in subject.counts:
        if any(isinstance(term, tree.Variable) and term.name == "_" for term in literal.atom.args):
            message = f"in `{subject.literal_text(literal)}` the same value must occur each time"
            yield Diagnostic(
                "each-value-counts", message, literal.span, NOTE, _hint(subject, literal, times), "warning"
            )


def _hint(subject: Subject, literal: tree.Literal, times: tree.Times) -> str:
    """The count of the time points, whatever the value was."""
    window = subject.window_text(literal.window) if literal.window else "[n]"
    count = f"count(T : {subject.atom_text(literal.atom)} at T in {window})"
    return f"to count the times whatever the value, write `{count} {times.sign} {subject.term_text(times.number)}`"
