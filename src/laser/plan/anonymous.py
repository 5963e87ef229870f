"""A variable that occurs only once is treated as ``_``, because its value does not matter."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from laser.rules.body import At, BodyElement, ExtendedAtom, Modality
from laser.rules.rule import Rule
from laser.syntax.tree import Term, Variable

__all__ = ["anonymise"]


def anonymise(rule: Rule) -> Rule:
    """The same rule with ``_`` for every variable that occurs only once, in a positive atom."""
    counts = Counter(variable.name for variable in rule.variables())

    def opened(term: Term) -> Term:
        lonely = isinstance(term, Variable) and counts[term.name] == 1 and not term.is_anonymous
        return Variable.anonymous(term.name) if lonely and isinstance(term, Variable) else term

    def modality(given: Modality) -> Modality:
        return At(opened(given.time)) if isinstance(given, At) else given

    def element(given: BodyElement) -> BodyElement:
        if not isinstance(given, ExtendedAtom) or given.negated:
            return given
        args = given.args if given.negated_inside else tuple(map(opened, given.args))
        return replace(given, args=args, modality=modality(given.modality))

    return replace(rule, body=tuple(map(element, rule.body)))
