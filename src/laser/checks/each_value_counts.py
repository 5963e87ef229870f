"""``at least n times`` counts the time points of a single atom, with fixed values."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["each_value_counts"]

NOTE = "like `always`, a count is about a single atom: the same value of `_` must occur each time"


def each_value_counts(subject: Subject) -> Iterator[Diagnostic]:
    """``_`` in an atom whose time points are counted. This asks for the same value each time, which is rarely intended."""
    for literal, times in subject.counts:
        if any(isinstance(term, tree.Variable) and term.name == "_" for term in literal.atom.args):
            message = f"`{subject.literal_text(literal)}` counts each value of `_` separately"
            yield Diagnostic(
                "each-value-counts", message, literal.span, NOTE, _hint(subject, literal, times), "warning"
            )


def _hint(subject: Subject, literal: tree.Literal, times: tree.Times) -> str:
    """The same count, over all values together."""
    window = subject.window_text(literal.window) if literal.window else "[n]"
    count = f"count(T : {subject.atom_text(literal.atom)} at T in {window})"
    return f"to count time points with any value, write `{count} {times.sign} {subject.term_text(times.number)}`"
