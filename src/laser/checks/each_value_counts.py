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
    for literal, _ in subject.counts:
        if any(isinstance(term, tree.Variable) and term.name == "_" for term in literal.atom.args):
            message = f"in `{subject.literal_text(literal)}` the same value must occur each time"
            yield Diagnostic("each-value-counts", message, literal.span, NOTE, _hint(subject, literal), "warning")


def _hint(subject: Subject, literal: tree.Literal) -> str:
    """A predicate without the value, which can be counted whatever the value was."""
    named = [arg for arg in literal.atom.args if not (isinstance(arg, tree.Variable) and arg.name == "_")]
    head = subject.atom_text(tree.AtomPattern("seen", tuple(named)))
    window = subject.window_text(literal.window) if literal.window else "[n]"
    rule = f"@T {head} :- {subject.atom_text(literal.atom)} at T in {window}."
    return f"to count the times whatever the value, count `{head}` with the rule `{rule}`"
