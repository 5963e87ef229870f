"""A variable is normally used at least twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import Names
from laser.rules.scopes import bound_variables, scopes
from laser.syntax import tree
from laser.syntax.terms import variables

__all__ = ["single_variable"]


def single_variable(subject: Subject) -> Iterator[Diagnostic]:
    """A variable that occurs once in its rule and does not begin with ``_``; rules with unsafe variables are skipped."""
    for rule in subject.rules:
        bound = bound_variables(rule).union(*(scope.bound_inside(scope.groups) for scope in scopes(rule)))
        occurrences = list(variables(rule.terms()))
        counts = Counter(variable.name for variable in (*occurrences, *rule.keys))
        if counts.keys() - bound - {"_"}:
            continue
        single = [v for v in occurrences if counts[v.name] == 1 and not v.name.startswith("_")]
        if single:
            yield from _findings(subject, rule, single, Names(counts))


def _findings(subject: Subject, rule: tree.Rule, single: list[tree.Variable], names: Names) -> Iterator[Diagnostic]:
    timed = {
        id(e.modality.time): e for e in rule.all_literals if isinstance(e.modality, tree.At) and not e.negated_inside
    }
    for variable in single:
        yield Diagnostic(
            "single-variable",
            f"`{variable.name}` occurs only here",
            variable.span,
            "a variable that occurs once matches any value and joins nothing, like `_`",
            _hint(subject, variable, names, timed.get(id(variable))),
            "warning",
        )


def _hint(subject: Subject, variable: tree.Variable, names: Names, timed: tree.Literal | None) -> str:
    """A likely name, or another way to write the rule; ``timed`` is the literal whose time the variable is."""
    if near := names.same(variable.name) or names.near(variable.name):
        return f"did you mean `{near[0]}`?"
    if timed is not None:
        window = f" in {subject.window_text(timed.window)}" if timed.window else " in [n]"
        return f"if the time does not matter, write `{subject.atom_text(timed.atom)}{window}`"
    return f"write `_`, or `_{variable.name}` to keep the name"
