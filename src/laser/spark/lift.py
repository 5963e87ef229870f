"""Lifting: a program about one thing becomes a program about many, each with its own key."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from laser.syntax import tree
from laser.syntax.program import Program
from laser.values import Predicate
from laser.windows import LastOf

__all__ = ["SEEN", "counts_keys", "lift"]

SEEN = "laser_seen"
"""The fact that a key arrived for the first time."""
KNOWN = "laser_known"
"""The keys seen so far."""

_KEY = "LaserKey"


def lift(program: Program, kept: Collection[Predicate]) -> Program:
    """Add a key to every predicate except those in ``kept``, which are the same for all keys.

    >>> from laser.checks.load import parse
    >>> print(lift(parse("freeze :- not alarm. alarm :- temp(V) in [3], V > 90."), ()))
    freeze(LaserKey) :- laser_known(LaserKey), not alarm(LaserKey).
    alarm(LaserKey) :- temp(LaserKey, V) in [3], V > 90.
    laser_known(LaserKey) :- laser_seen(LaserKey) at _.
    #show alarm/1, freeze/1.

    A window that counts facts counts separately for each key.

    >>> print(next(iter(lift(parse("q :- temp(V) in [last 3], V > 90."), ()).rules)).body[0].window.per)
    (Variable(name='LaserKey'),)
    """
    rules = [_rule(rule, kept) for rule in program.rules]
    rewritten = (tree.Rule, tree.Alternatives, tree.ShowDirective, tree.RecordDirective)
    others = [s for s in program.statements if not isinstance(s, rewritten)]
    key = tree.Variable(_KEY)
    known = tree.Rule(tree.AtomPattern(KNOWN, (key,)), None, (_seen(key),))
    shown = program.shown if program.shown is not None else {rule.head.predicate for rule in program.rules}
    wider = sorted(Predicate(p.name, p.arity + 1) for p in shown)
    recorded = tuple(sorted(Predicate(p.name, p.arity + 1) for p in program.recorded))
    records = [tree.RecordDirective(recorded)] if recorded else []
    return Program((*others, *records, *rules, known, tree.ShowDirective(tuple(wider))), name=program.name)


def counts_keys(lifted: Program) -> bool:
    """Whether a lifted program depends on the set of keys; most rules get their key from a fact."""
    return any(literal.atom.name == KNOWN for rule in lifted.rules for literal in rule.literals)


def _seen(key: tree.Term) -> tree.Literal:
    return tree.Literal(tree.AtomPattern(SEEN, (key,)), tree.At(tree.Variable("_")))


def _rule(rule: tree.Rule, kept: Collection[Predicate]) -> tree.Rule:
    body = tuple(_element(element, kept) for element in rule.body)
    if not any(_binds(element, kept) for element in rule.body):
        body = (tree.Literal(tree.AtomPattern(KNOWN, (tree.Variable(_KEY),))), *body)
    return tree.Rule(_atom(rule.head), rule.time, body, rule.span, rule.alternative)


def _binds(element: tree.BodyElement, kept: Collection[Predicate]) -> bool:
    """Whether an element of a body binds the key of the rule."""
    return isinstance(element, tree.Literal) and element.is_positive and element.atom.predicate not in kept


def _element(element: tree.BodyElement, kept: Collection[Predicate]) -> tree.BodyElement:
    if isinstance(element, tree.Comparison):
        return replace(element, left=_term(element.left, kept), right=_term(element.right, kept))
    if element.atom.predicate in kept:
        return element
    window = element.window if element.window is None else _window(element.window)
    return tree.Literal(
        _atom(element.atom), element.modality, window, element.negated, element.negated_inside, element.span
    )


def _window(window: tree.Window) -> tree.Window:
    """A window that counts facts counts separately for each key."""
    return replace(window, per=(tree.Variable(_KEY), *window.per)) if window.kind is LastOf else window


def _term(term: tree.Term, kept: Collection[Predicate]) -> tree.Term:
    """The key is also in the body of an aggregate, so that it is one of its groups."""
    match term:
        case tree.Aggregate(body=body):
            return replace(term, body=tuple(_element(element, kept) for element in body))
        case tree.Arithmetic(operands=operands):
            return replace(term, operands=tuple(_term(operand, kept) for operand in operands))
        case _:
            return term


def _atom(atom: tree.AtomPattern) -> tree.AtomPattern:
    return tree.AtomPattern(atom.name, (tree.Variable(_KEY), *atom.args), atom.span)
