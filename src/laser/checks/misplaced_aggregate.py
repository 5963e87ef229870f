"""An aggregate may stand only in a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.terms import subterms

__all__ = ["misplaced_aggregate"]

Hint: TypeAlias = Callable[[Subject, tree.Aggregate], str]

NOTE = "an aggregate is allowed only in a comparison or an assignment of a body, and not inside another aggregate"


def misplaced_aggregate(subject: Subject) -> Iterator[Diagnostic]:
    """An aggregate in an atom, a head, a fact, a directive or another aggregate."""
    atoms = (literal for _, literal in subject.literals)
    yield from _in(subject, (term for literal in atoms for term in literal.terms), "in an atom", _named)
    heads = ((*rule.head.args, *(() if rule.time is None else (rule.time,))) for rule in subject.rules)
    yield from _in(subject, (term for terms in heads for term in terms), "in a head", _named)
    facts = (term for fact in subject.program.facts for term in fact.atom.args)
    yield from _in(subject, facts, "in a fact", _derived)
    yield from _in(subject, (directive.value for directive in subject.directives), "in a constant", _derived)
    inner = (aggregate for rule in subject.rules for aggregate in rule.aggregates)
    yield from _in(
        subject, (term for aggregate in inner for term in _inside(aggregate)), "in another aggregate", _derived
    )


def _inside(aggregate: tree.Aggregate) -> Iterator[tree.Term]:
    yield from aggregate.folded
    if aggregate.level is not None:
        yield aggregate.level
    for test in aggregate.comparisons:
        yield from test.terms


def _in(subject: Subject, terms: Iterable[tree.Term], place: str, hint: Hint) -> Iterator[Diagnostic]:
    for term in (part for outer in terms for part in subterms(outer)):
        if isinstance(term, tree.Aggregate):
            message = f"an aggregate is not allowed {place}"
            yield Diagnostic("misplaced-aggregate", message, term.span, NOTE, hint(subject, term))


def _named(subject: Subject, term: tree.Aggregate) -> str:
    return f"assign it to a variable in the body, and use the variable here: `N = {subject.term_text(term)}`"


def _derived(subject: Subject, term: tree.Aggregate) -> str:
    return f"compute it in a rule of its own: `total(N) :- N = {subject.term_text(term)}.`"
