"""Every predicate in a body should come from the stream, a rule or a fact."""

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
    """A body predicate that no input, rule or fact provides; if the inputs are not known, one that looks misspelt."""
    inputs = subject.inputs if subject.inputs is not None else frozenset(subject.program.inputs) or None
    given = subject.derived | subject.background | (inputs or frozenset())
    open_ones = [literals[0].atom for predicate, literals in subject.readers.items() if predicate not in given]
    return _misspelt(open_ones, given) if inputs is None else _unknown(open_ones, given, subject)


def _unknown(atoms: list[tree.AtomPattern], given: frozenset[Predicate], subject: Subject) -> Iterator[Diagnostic]:
    known = KnownPredicates(given)
    # A name that occurs only in the inputs may be misspelt there instead.
    unread = given - subject.read - subject.derived - subject.background
    for atom in atoms:
        near = known.meant_by(atom.name)
        message = f"no input, rule or fact provides `{atom.predicate}`"
        note = "such an atom never holds, and its negation always does"
        hint = _hint(atom.predicate, near, unread.issuperset(near))
        yield Diagnostic("unknown-predicate", message, atom.span, note, hint, "warning")


def _hint(predicate: Predicate, near: list[Predicate], is_unread: bool) -> str:
    if not near:
        return f"add `{predicate}` to the inputs, or add a rule or a fact for it"
    reverse = f" Or is that input meant to be `{predicate}`?" if is_unread else ""
    return f"did you mean {listed(near, 'or')}?{reverse}"


def _misspelt(atoms: list[tree.AtomPattern], given: frozenset[Predicate]) -> Iterator[Diagnostic]:
    """Any predicate may stream in, but a name one typing error away from a derived one is probably misspelt."""
    arities = {len(atom.args) for atom in atoms}
    slips = {arity: Names(p.name for p in given if p.arity == arity) for arity in arities}
    for atom in atoms:
        for name in slips[len(atom.args)].near(atom.name)[:1]:
            message = f"no rule or fact provides `{atom.predicate}`, and its name is very close to `{name}`"
            note = "a predicate that nothing in the program provides must come from the stream"
            yield Diagnostic("unknown-predicate", message, atom.span, note, f"did you mean `{name}`?", "warning")
