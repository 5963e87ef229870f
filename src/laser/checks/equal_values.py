"""An aggregate works on a set, so equal values count once."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["equal_values"]

NOTE = "an aggregate works on a set of tuples, and equal tuples count once"


def equal_values(subject: Subject) -> Iterator[Diagnostic]:
    """``avg(V : temp(M, V) in [1 h])``, in which equal readings count once."""
    for aggregate in (aggregate for rule in subject.rules for aggregate in rule.aggregates):
        literal = _folded_alone(aggregate)
        if literal is not None:
            message = f"equal values of `{subject.term_text(aggregate.folded[0])}` in the window count only once"
            hint = _hint(subject, aggregate, literal)
            yield Diagnostic("equal-values", message, aggregate.span, NOTE, hint, "warning")


def _folded_alone(aggregate: tree.Aggregate) -> tree.Literal | None:
    """The atom with a window that binds the only variable of the tuple."""
    first, *others = aggregate.folded
    if others or not aggregate.fold.of_numbers or not isinstance(first, tree.Variable):
        return None
    return next((e for e in aggregate.literals if e.window and e.is_positive and first in e.atom.args), None)


def _hint(subject: Subject, aggregate: tree.Aggregate, literal: tree.Literal) -> str:
    time = literal.modality.time if isinstance(literal.modality, tree.At) else tree.Variable("T")
    assert literal.window is not None
    atom = f"{subject.atom_text(literal.atom)} at {subject.term_text(time)} in {subject.window_text(literal.window)}"
    level = "" if aggregate.level is None else f"{subject.term_text(aggregate.level)}; "
    value, name = subject.term_text(aggregate.folded[0]), aggregate.fold.value
    return f"to count every reading, add its time to the tuple: `{name}({level}{value}, {subject.term_text(time)} : {atom})`"
