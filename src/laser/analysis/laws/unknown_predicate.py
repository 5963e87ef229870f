"""What a body asks about should come from somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from laser.analysis.subject import Subject
from laser.analysis.words import closest, is_slip, listed
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.terms import Predicate

__all__ = ["unknown_predicate"]


def unknown_predicate(subject: Subject) -> Iterator[Diagnostic]:
    """A body predicate that nothing streams in or derives; where inputs are not known, one that looks misspelt."""
    given = subject.derived | subject.background | (subject.inputs or frozenset())
    first: dict[Predicate, tree.AtomPattern] = {}
    for _, literal in subject.literals:
        first.setdefault(literal.atom.predicate, literal.atom)
    for predicate, atom in first.items():
        if predicate not in given:
            yield from (_misspelt if subject.inputs is None else _unknown)(atom, given)


def _unknown(atom: tree.AtomPattern, given: frozenset[Predicate]) -> Iterator[Diagnostic]:
    message = f"nothing streams in or derives `{atom.predicate}`"
    note = "such an atom never holds, and its negation always does"
    yield Diagnostic("unknown-predicate", message, atom.span, note, _hint(atom.predicate, given), "warning")


def _hint(predicate: Predicate, given: frozenset[Predicate]) -> str:
    namesakes = sorted(other for other in given if other.name == predicate.name)
    if namesakes:
        return f"did you mean {listed(namesakes, 'or')}?"
    guess = closest(predicate.name, sorted(other.name for other in given))
    return f"did you mean `{guess}`?" if guess else f"stream it in, or add a rule or a fact for `{predicate}`"


def _misspelt(atom: tree.AtomPattern, given: frozenset[Predicate]) -> Iterator[Diagnostic]:
    """Any predicate may stream in, but one that is a slip away from a derived one seldom does."""
    near = sorted(p.name for p in given if p.arity == len(atom.args) and is_slip(atom.name, p.name))
    if near:
        message = f"no rule or fact gives `{atom.predicate}`, and its name is very near to `{near[0]}`"
        note = "a predicate that nothing in the program gives must stream in"
        yield Diagnostic("unknown-predicate", message, atom.span, note, f"did you mean `{near[0]}`?", "warning")
