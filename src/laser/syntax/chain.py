"""Joins several programs into one: each program reads the answers of the programs before it as facts."""

from __future__ import annotations

from collections.abc import Sequence

from laser.errors import LaserError
from laser.syntax.program import Program
from laser.syntax.tree import RecordDirective, ShowDirective
from laser.values import Predicate

__all__ = ["chain"]


def chain(programs: Sequence[Program]) -> Program:
    """One program with the meaning of the chain, in which each program reads the output of the programs before it.

    Answers at earlier time points are remembered, so that the windows of a later program see them.

    >>> from laser.checks.load import parse
    >>> print(chain([parse("hot(M) :- temp(M, V) in [3], V > 90."), parse("long(M) :- hot(M) always in [5].")]))
    hot(M) :- temp(M, V) in [3], V > 90.
    long(M) :- hot(M) always in [5].
    #record hot/1.
    #show hot/1, long/1.
    """
    if not programs:
        raise LaserError("there is no program: a chain needs at least one")
    if len(programs) == 1:
        return programs[0]
    remembered: set[Predicate] = set()
    for i, program in enumerate(programs):
        for before in programs[:i]:
            remembered |= _taken_over(before, program)
    statements = [s for program in programs for s in program.statements if not isinstance(s, ShowDirective)]
    records = [RecordDirective(tuple(sorted(remembered)))] if remembered else []
    shown = sorted(predicate for program in programs for predicate in _output(program))
    name = " and ".join(dict.fromkeys(program.name for program in programs if program.name)) or programs[0].name
    return Program((*statements, *records, ShowDirective(tuple(shown))), name=name)


def _taken_over(before: Program, program: Program) -> set[Predicate]:
    """The predicates that a program reads from the output of an earlier program."""
    derived = {rule.head.predicate for rule in before.rules}
    both = sorted(derived & {rule.head.predicate for rule in program.rules})
    if both:
        raise LaserError(f"two programs of a chain derive {both[0]}: rename it in one of them")
    read = derived & {literal.atom.predicate for rule in program.rules for literal in rule.all_literals}
    hidden = sorted(read - _output(before))
    if hidden:
        raise LaserError(
            f"a program of a chain reads {hidden[0]}, which an earlier one derives but does not show: add it to its #show"
        )
    dated = sorted(
        rule.head.predicate for rule in before.rules if rule.time is not None and rule.head.predicate in read
    )
    if dated:
        raise LaserError(
            f"a program of a chain reads {dated[0]}, which an earlier one derives for other times (`at T` in a head): "
            "only what it derives for the present is passed on, so add a rule that derives it for the present"
        )
    return read


def _output(program: Program) -> set[Predicate]:
    derived = {rule.head.predicate for rule in program.rules}
    return derived if program.shown is None else derived & program.shown
