"""Finds the variables of a rule that are instants in a run with dates.

In such a run, the T of ``at T`` is an instant of the calendar, while a time point is still an integer. A variable that occurs
only in ``at`` (and in comparisons of such times with each other) can stay a time point, which costs nothing. A variable whose
value is used elsewhere, as an argument or with a duration, must become an instant.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from laser.syntax import tree
from laser.syntax.terms import variables
from laser.values import Value

__all__ = ["instants"]

Evaluate: TypeAlias = Callable[[tree.Term], Value | None]
"""The value of a term without variables."""


def instants(rule: tree.Rule, evaluate: Evaluate) -> frozenset[str]:
    """The names of the variables that must be instants."""
    literals, tests = rule.all_literals, list(rule.comparisons)
    times = [literal.modality.time for literal in literals if isinstance(literal.modality, tree.At)]
    times += [] if rule.time is None else [rule.time]
    args = [*rule.head.args, *(arg for literal in literals for arg in literal.atom.args)]
    for aggregate in rule.aggregates:
        args += aggregate.folded
        tests += aggregate.comparisons
    timed = {variable.name for variable in variables(times)}
    found = timed & {variable.name for variable in variables(args)}
    while True:
        points = timed - found
        seen = [term for term in times if not _is_point(term, points, evaluate)]
        for test in tests:
            if not all(_is_point(term, points, evaluate) for term in test.terms):
                seen += test.terms
        more = points & {variable.name for variable in variables(seen)}
        if not more:
            return frozenset(found)
        found |= more


def _is_point(term: tree.Term, points: AbstractSet[str], evaluate: Evaluate) -> bool:
    """Whether a term is a time point that some ``at`` binds, or a number of ticks before or after one."""
    match term:
        case tree.Variable(name=name):
            return name in points
        case tree.Arithmetic(operator="+" | "-", operands=(time, ticks)):
            return _is_point(time, points, evaluate) and type(evaluate(ticks)) is int
        case _:
            return False
