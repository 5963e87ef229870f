"""Every variable of a rule must get its values from a positive body atom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import Names
from laser.rules.scopes import Scope, bound_variables, scopes
from laser.syntax import tree
from laser.syntax.terms import is_ground, variables

__all__ = ["unsafe_variable"]

NOTE = "a variable in a head, a comparison, arithmetic or under `not` must get its values from a positive body atom"

AGGREGATE = "{}"
"""The name of the head that stands for the tuple of an aggregate; no predicate has this name."""

Use = tuple[str, tree.Variable]
"""A variable that needs a value, and where it occurs."""


def unsafe_variable(subject: Subject) -> Iterator[Diagnostic]:
    """A variable in a head, a comparison, arithmetic or under ``not`` that no positive body atom binds."""
    for rule in subject.rules:
        if rule.body:
            yield from _of_rule(subject, rule)


def _of_rule(subject: Subject, rule: tree.Rule) -> Iterator[Diagnostic]:
    body = _Body(rule, bound_variables(rule))
    reported = _excused(rule, body.bound)
    yield from _report(subject, body, reported, _uses(rule))
    for scope in scopes(rule):
        inside = _Body(_as_rule(rule, scope), scope.bound_inside(scope.groups))
        yield from _report(subject, inside, inside.bound | reported, _uses(inside.rule))


def _as_rule(rule: tree.Rule, scope: Scope) -> tree.Rule:
    """An aggregate as the rule that collects its tuples."""
    return tree.Rule(tree.AtomPattern(AGGREGATE, scope.aggregate.folded), None, scope.aggregate.body, rule.span)


def _report(subject: Subject, body: _Body, reported: set[str], uses: Iterator[Use]) -> Iterator[Diagnostic]:
    for place, variable in uses:
        if variable.name == "_":
            yield _wildcard(place, variable)
        elif variable.name not in reported:
            reported.add(variable.name)
            where = f" of the alternative `{text}`" if (text := subject.alternative_text(body.rule)) else ""
            message = f"`{variable.name}` {place} is not bound by any positive body atom{where}"
            hint = _hint(subject, body, place, variable)
            yield Diagnostic("unsafe-variable", message, variable.span, NOTE, hint)


def _excused(rule: tree.Rule, bound: set[str]) -> set[str]:
    """The variables that are bound, or would be if the variables that nothing can bind were bound.

    This way only the root of a chain of equations is reported.
    """
    names = {variable.name for variable in variables(rule.outer_terms())}
    sides = [side for test in rule.comparisons if test.operator == "=" for side in (test.left, test.right)]
    bindable = {side.name for side in sides if isinstance(side, tree.Variable)}
    bindable.update(name for literal in rule.literals for name in literal.binds())
    roots = names - bound - bindable - {"_"}
    return bound_variables(rule, roots) - roots


def _uses(rule: tree.Rule) -> Iterator[Use]:
    """The variables that need a value, in the order of the text."""
    head = (*rule.head.args, *(() if rule.time is None else (rule.time,)))
    where = "in an aggregate" if rule.head.name == AGGREGATE else "in the head"
    yield from ((where, variable) for variable in variables(head))
    for element in rule.body:
        if isinstance(element, tree.Comparison):
            sides = (element.left, element.right)
            yield from (("in a comparison", variable) for variable in variables(sides))
        else:
            yield from _uses_of_literal(element)


def _uses_of_literal(literal: tree.Literal) -> Iterator[Use]:
    place = "in arithmetic" if literal.is_positive else "under `not`"
    bound = literal.binds()
    for term in literal.terms:
        inside = isinstance(term, tree.Arithmetic)
        for variable in variables([term]):
            if inside or (variable.name not in bound and variable.name != "_"):
                yield "in arithmetic" if inside else place, variable


def _wildcard(place: str, variable: tree.Variable) -> Diagnostic:
    return Diagnostic(
        "unsafe-variable",
        f"`_` {place} has no value",
        variable.span,
        "each `_` is a separate variable, so nothing else can bind it",
        "give it a name, and use the name in a positive body atom",
    )


@dataclass(frozen=True)
class _Body:
    """What the hints need to know about one rule, computed once."""

    rule: tree.Rule
    bound: set[str]

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each variable occurs."""
        return Counter(variable.name for variable in (*variables(self.rule.terms()), *self.rule.keys))

    @cached_property
    def names(self) -> Names:
        return Names(self.bound)

    @cached_property
    def lonely(self) -> list[str]:
        """The bound variables that occur once and so may be misspelt."""
        return [name for name in self.bound if self.counts[name] == 1 and not name.startswith("_")]

    @cached_property
    def unbound(self) -> list[str]:
        """The other variables that occur once."""
        return [name for name, uses in self.counts.items() if uses == 1 and name not in self.bound]

    @cached_property
    def places(self) -> dict[str, tuple[tree.Literal, tree.Term]]:
        """The first place of each variable among the literals."""
        terms = [(literal, term) for literal in self.rule.literals for term in literal.terms]
        places = ((variable.name, (literal, term)) for literal, term in terms for variable in variables([term]))
        return dict(reversed(list(places)))

    def meant_by(self, name: str) -> str | None:
        """The bound variable that an unbound one probably means."""
        swapped = len(self.lonely) == 1 and self.unbound == [name]
        return self.names.closest(name) or (self.lonely[0] if swapped else None)


def _hint(subject: Subject, body: _Body, place: str, variable: tree.Variable) -> str:
    name = variable.name
    if place == "under `not`" and body.counts[name] == 1:
        return f"write `_` instead of `{name}` to mean none at all, or bind `{name}` with a positive atom"
    if guess := body.meant_by(name):
        return f"did you mean `{guess}`?"
    if variable is body.rule.time:
        return _hint_for_time(subject, body.rule, name)
    return _hint_by_literal(subject, body, name) or f"add a body atom that has `{name}` as an argument"


def _hint_for_time(subject: Subject, rule: tree.Rule, name: str) -> str:
    """Suggest to take the time of a head from an atom that is already in the body."""
    timeless = [literal for literal in subject.needs(rule) if literal.modality in ("now", "sometime")]
    if not timeless:
        return f"bind `{name}` with a body atom `… at {name} in [n]`"
    atom = subject.atom_text(timeless[0].atom)
    window = subject.window_text(timeless[0].window) if timeless[0].window else "[n]"
    return f"take the time from the body: `{atom} at {name} in {window}`"


def _hint_by_literal(subject: Subject, body: _Body, name: str) -> str | None:
    """Why the literal that contains the variable does not bind it."""
    if name not in body.places:
        return None
    literal, term = body.places[name]
    if literal.is_positive:
        return _hint_for_arithmetic(subject, body, name, term)
    text = subject.literal_text(literal)
    return f"`{text}` does not bind `{name}`: add a positive atom that lists its possible values"


def _hint_for_arithmetic(subject: Subject, body: _Body, name: str, term: tree.Term) -> str:
    """``a(X + 1)`` is ``a(N), X = N - 1``."""
    fresh = next((other for other in "NMKIJ" if other not in body.counts), "Other")
    text = subject.term_text(term)
    match term:
        case tree.Arithmetic("+" | "-" as sign, (tree.Variable(), right)) if is_ground(right):
            opposite = "-" if sign == "+" else "+"
            equation = f"{name} = {fresh} {opposite} {subject.term_text(right)}"
        case _:
            equation = f"{name} = …"
    return f"arithmetic in an atom binds nothing: write `{fresh}` instead of `{text}`, and add `{equation}`"
