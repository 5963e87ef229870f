"""Which variables of a rule, as it is written, have a value once its body is matched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from laser.syntax import tree
from laser.syntax.terms import variables

__all__ = ["bound_variables"]


def bound_variables(rule: tree.Rule, given: Iterable[str] = ()) -> set[str]:
    """The variables that have a value once the body is matched, by atoms or by assignments from what they bind."""
    bound = {name for literal in rule.literals for name in literal.binds()}.union(given)
    pending = [(c.left, c.right) for c in rule.comparisons if c.operator == "="]
    while assigned := {name for sides in pending for name in _assigned(*sides, bound)} - bound:
        bound |= assigned
    return bound


def _assigned(left: tree.Term, right: tree.Term, bound: set[str]) -> Iterator[str]:
    for target, value in ((left, right), (right, left)):
        known = all(variable.name in bound for variable in variables([value]))
        if isinstance(target, tree.Variable) and target.name != "_" and known:
            yield target.name
