"""Which variables of a rule, as it is written, have a value once its body is matched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from laser.rules.graph import closure
from laser.syntax import tree
from laser.syntax.terms import variables

__all__ = ["bound_variables"]


def bound_variables(rule: tree.Rule, given: Iterable[str] = ()) -> set[str]:
    """The variables that have a value once the body is matched, by atoms or by assignments from what they bind."""
    by_atoms = (name for literal in rule.literals for name in literal.binds())
    return closure(_assignments(rule), chain(by_atoms, given))


def _assignments(rule: tree.Rule) -> Iterator[tuple[set[str], str]]:
    """The variables that an assignment needs, and the one to which it gives a value."""
    for test in rule.comparisons:
        if test.operator == "=":
            for target, value in ((test.left, test.right), (test.right, test.left)):
                if isinstance(target, tree.Variable) and target.name != "_":
                    yield {variable.name for variable in variables([value])}, target.name
