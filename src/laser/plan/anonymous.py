"""A variable that occurs once asks only whether there is something: it is read as ``_``."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from laser.plan.sharing import variables_of
from laser.rules.body import BodyElement, Comparison, ExtendedAtom
from laser.rules.rule import Rule
from laser.syntax.tree import Term, Variable

__all__ = ["is_open", "open_lonely_variables"]


def is_open(term: Term) -> bool:
    """Whether a term is a lone ``_``."""
    return isinstance(term, Variable) and term.name.startswith("_#")


def open_lonely_variables(rule: Rule) -> Rule:
    """The same rule with ``_`` for every variable that only one place of one positive atom mentions."""
    counts = Counter(variable.name for term in _terms(rule) for variable in variables_of(term))

    def opened(term: Term) -> Term:
        lonely = isinstance(term, Variable) and counts[term.name] == 1 and not is_open(term)
        return Variable(f"_#{term.name}") if lonely and isinstance(term, Variable) else term

    def element(given: BodyElement) -> BodyElement:
        if isinstance(given, Comparison) or given.negated:
            return given
        args = given.args if given.absent else tuple(map(opened, given.args))
        return replace(given, args=args, time=None if given.time is None else opened(given.time))

    return replace(rule, body=tuple(map(element, rule.body)))


def _terms(rule: Rule) -> list[Term]:
    terms = [*rule.args, *([] if rule.time is None else [rule.time])]
    for element in rule.body:
        if isinstance(element, ExtendedAtom):
            terms += [*element.args, *([] if element.time is None else [element.time])]
        else:
            terms += [element.left, element.right]
    return terms
