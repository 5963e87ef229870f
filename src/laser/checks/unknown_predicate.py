"""What a body asks about should come from somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import Slips, closest, listed
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["unknown_predicate"]


def unknown_predicate(subject: Subject) -> Iterator[Diagnostic]:
    """A body predicate that nothing streams in or derives; where inputs are not known, one that looks misspelt."""
    given = subject.derived | subject.background | (subject.inputs or frozenset())
    open_ones = [literals[0].atom for predicate, literals in subject.readers.items() if predicate not in given]
    return _misspelt(open_ones, given) if subject.inputs is None else _unknown(open_ones, given, subject)


def _unknown(atoms: list[tree.AtomPattern], given: frozenset[Predicate], subject: Subject) -> Iterator[Diagnostic]:
    for atom in atoms:
        message = f"nothing streams in or derives `{atom.predicate}`"
        note = "such an atom never holds, and its negation always does"
        hint = _hint(atom.predicate, given, subject)
        yield Diagnostic("unknown-predicate", message, atom.span, note, hint, "warning")


def _hint(predicate: Predicate, given: frozenset[Predicate], subject: Subject) -> str:
    near = _called(predicate.name, given) or _called(closest(predicate.name, sorted(p.name for p in given)), given)
    if not near:
        return f"stream it in, or add a rule or a fact for `{predicate}`"
    # What nothing but the inputs name may be misspelt there as well as here.
    unread = given - subject.read - subject.derived - subject.background
    reverse = f" Or is that input meant to be `{predicate}`?" if unread.issuperset(near) else ""
    return f"did you mean {listed(near, 'or')}?{reverse}"


def _called(name: str | None, given: frozenset[Predicate]) -> list[Predicate]:
    return sorted(other for other in given if other.name == name)


def _misspelt(atoms: list[tree.AtomPattern], given: frozenset[Predicate]) -> Iterator[Diagnostic]:
    """Any predicate may stream in, but one that is a slip away from a derived one seldom does."""
    arities = {len(atom.args) for atom in atoms}
    slips = {arity: Slips(p.name for p in given if p.arity == arity) for arity in arities}
    for atom in atoms:
        for name in slips[len(atom.args)].near(atom.name)[:1]:
            message = f"no rule or fact gives `{atom.predicate}`, and its name is very near to `{name}`"
            note = "a predicate that nothing in the program gives must stream in"
            yield Diagnostic("unknown-predicate", message, atom.span, note, f"did you mean `{name}`?", "warning")
