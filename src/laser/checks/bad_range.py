"""A range must go from an integer to an integer."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.terms import is_ground
from laser.values import is_name

__all__ = ["bad_range", "fact_ranges"]


def bad_range(subject: Subject) -> Iterator[Diagnostic]:
    """A range with an end that is not an integer."""
    for term in fact_ranges(subject):
        wrong = [end for end in (term.low, term.high) if type(subject.value(end)) is not int]
        if wrong and all(map(is_ground, wrong)):
            yield Diagnostic(
                "bad-range",
                f"a range must {_verb(term, wrong[0])} an integer, not `{subject.term_text(wrong[0])}`",
                wrong[0].span or term.span,
                "a range counts from one integer to another, as in `1..5`",
                _hint(wrong[0]),
            )


def _hint(end: tree.Term) -> str:
    if isinstance(end, tree.Constant) and isinstance(end.value, str) and is_name(end.value):
        return f"if `{end.value}` is meant to be a constant, declare it: `#const {end.value} = 5.`"
    return "write one fact for each value"


def _verb(term: tree.Range, end: tree.Term) -> str:
    return "begin with" if end is term.low else "end with"


def fact_ranges(subject: Subject) -> Iterator[tree.Range]:
    """The ranges that are arguments of facts."""
    return (arg for fact in subject.program.facts for arg in fact.atom.args if isinstance(arg, tree.Range))
