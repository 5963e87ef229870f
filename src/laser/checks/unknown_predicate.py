"""What a body asks about should come from somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.known_predicates import KnownPredicates
from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import Names, listed
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["unknown_predicate"]


def unknown_predicate(subject: Subject) -> Iterator[Diagnostic]:
    """A body predicate that nothing streams in or derives; where inputs are not known, one that looks misspelt."""
    inputs = subject.inputs if subject.inputs is not None else frozenset(subject.program.inputs) or None
    given = subject.derived | subject.background | (inputs or frozenset())
    open_ones = [literals[0].atom for predicate, literals in subject.readers.items() if predicate not in given]
    return _misspelt(open_ones, given) if inputs is None else _unknown(open_ones, given, subject)


def _unknown(atoms: list[tree.AtomPattern], given: frozenset[Predicate], subject: Subject) -> Iterator[Diagnostic]:
    known = KnownPredicates(given)
    # What nothing but the inputs name may be misspelt there as well as here.
    unread = given - subject.read - subject.derived - subject.background
    for atom in atoms:
        near = known.meant_by(atom.name)
        message = f"nothing streams in or derives `{atom.predicate}`"
        note = "such an atom never holds, and its negation always does"
        hint = _hint(atom.predicate, near, unread.issuperset(near))
        yield Diagnostic("unknown-predicate", message, atom.span, note, hint, "warning")


def _hint(predicate: Predicate, near: list[Predicate], is_unread: bool) -> str:
    if not near:
        return f"stream it in, or add a rule or a fact for `{predicate}`"
    reverse = f" Or is that input meant to be `{predicate}`?" if is_unread else ""
    return f"did you mean {listed(near, 'or')}?{reverse}"


def _misspelt(atoms: list[tree.AtomPattern], given: frozenset[Predicate]) -> Iterator[Diagnostic]:
    """Any predicate may stream in, but one that is a slip away from a derived one seldom does."""
    arities = {len(atom.args) for atom in atoms}
    slips = {arity: Names(p.name for p in given if p.arity == arity) for arity in arities}
    for atom in atoms:
        for name in slips[len(atom.args)].near(atom.name)[:1]:
            message = f"no rule or fact gives `{atom.predicate}`, and its name is very near to `{name}`"
            note = "a predicate that nothing in the program gives must stream in"
            yield Diagnostic("unknown-predicate", message, atom.span, note, f"did you mean `{name}`?", "warning")
