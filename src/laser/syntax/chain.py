"""Several programs as one: each takes the answers of those before it as facts."""

from __future__ import annotations

from collections.abc import Sequence

from laser.errors import LaserError
from laser.syntax.program import Program
from laser.syntax.tree import RecordDirective, ShowDirective
from laser.values import Predicate

__all__ = ["chain"]


def chain(programs: Sequence[Program]) -> Program:
    """One program that says what all of them say, if each is given the output of those before it, at every time point at which it holds.

    What an answer was at an earlier time point is remembered, so that the windows of a later program see it.

    >>> from laser.checks.load import parse
    >>> print(chain([parse("hot(M) :- temp(M, V) in [3], V > 90."), parse("long(M) :- hot(M) always in [5].")]))
    hot(M) :- temp(M, V) in [3], V > 90.
    long(M) :- hot(M) always in [5].
    #record hot/1.
    #show hot/1, long/1.
    """
    if not programs:
        raise LaserError("there is no program")
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
    """What a program reads of the output of one before it."""
    derived = {rule.head.predicate for rule in before.rules}
    both = sorted(derived & {rule.head.predicate for rule in program.rules})
    if both:
        raise LaserError(f"two programs of a chain derive {both[0]}: rename it in one of them")
    read = derived & {literal.atom.predicate for rule in program.rules for literal in rule.all_literals}
    hidden = sorted(read - _output(before))
    if hidden:
        raise LaserError(f"a program of a chain reads {hidden[0]}, which one before it derives and does not show")
    dated = sorted(
        rule.head.predicate for rule in before.rules if rule.time is not None and rule.head.predicate in read
    )
    if dated:
        raise LaserError(
            f"a program of a chain reads {dated[0]}, which one before it derives for other times (`at T` in a head): "
            "its answers are what it derives for the present, so give it a rule that says what is meant"
        )
    return read


def _output(program: Program) -> set[Predicate]:
    derived = {rule.head.predicate for rule in program.rules}
    return derived if program.shown is None else derived & program.shown
