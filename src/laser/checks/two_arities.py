"""A name should have one arity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import count, listed
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["two_arities"]


def two_arities(subject: Subject) -> Iterator[Diagnostic]:
    """A name with two arities. If one of them is an unknown predicate, another check reports that instead."""
    places = _places(subject)
    arities: dict[str, list[Predicate]] = defaultdict(list)
    for predicate in places:
        arities[predicate.name].append(predicate)
    for predicates in arities.values():
        # The arity that is used most often, or first, is assumed to be the intended one.
        usual, *others = sorted(predicates, key=lambda predicate: -len(places[predicate]))
        for other in others:
            if not {other, usual} & subject.unknown:
                yield _finding(places[other][0], usual, places[usual][0])


def _places(subject: Subject) -> dict[Predicate, list[tree.AtomPattern]]:
    """The places of each predicate, in the order of the text."""
    places: dict[Predicate, list[tree.AtomPattern]] = defaultdict(list)
    for statement in subject.program.statements:
        match statement:
            case tree.Fact(atom=atom):
                places[atom.predicate].append(atom)
            case tree.Rule():
                _add(statement, places)
            case tree.Alternatives(rules=rules):
                for rule in rules:
                    _add(rule, places)
    return places


def _add(rule: tree.Rule, places: dict[Predicate, list[tree.AtomPattern]]) -> None:
    for atom in (rule.head, *(literal.atom for literal in rule.all_literals)):
        places[atom.predicate].append(atom)


def _finding(atom: tree.AtomPattern, usual: Predicate, first: tree.AtomPattern) -> Diagnostic:
    line = f" on line {first.span.line}" if first.span else ""
    return Diagnostic(
        "two-arities",
        f"`{atom.name}` has {count(len(atom.args), 'argument')} here and {usual.arity}{line}",
        atom.span,
        f"a predicate is a name with a number of arguments: {listed([atom.predicate, usual])} are unrelated",
        _hint(atom, usual),
        "warning",
    )


def _hint(atom: tree.AtomPattern, usual: Predicate) -> str:
    missing = usual.arity - len(atom.args)
    if missing > 0:
        blanks = ", ".join(["_"] * usual.arity)
        return f"add {count(missing, 'argument')} here (`{atom.name}({blanks})` matches any), or rename one of the two"
    return f"remove {count(-missing, 'argument')} here, or rename one of the two"
