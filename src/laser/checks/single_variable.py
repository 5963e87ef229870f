"""A variable joins two places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from laser.checks.bindings import bound_variables
from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import is_slip
from laser.syntax import tree
from laser.syntax.terms import variables

__all__ = ["single_variable"]


def single_variable(subject: Subject) -> Iterator[Diagnostic]:
    """A variable that occurs once in its rule and does not begin with ``_``; a rule with unsafe ones has other worries."""
    for rule in subject.rules:
        bound = bound_variables(rule)
        occurrences = list(variables(rule.terms()))
        counts = Counter(variable.name for variable in occurrences)
        if counts.keys() - bound - {"_"}:
            continue
        for variable in occurrences:
            name = variable.name
            if counts[name] == 1 and not name.startswith("_"):
                yield Diagnostic(
                    "single-variable",
                    f"`{name}` occurs only here",
                    variable.span,
                    "a variable that occurs once matches anything and joins nothing, as `_` does",
                    _hint(subject, rule, variable, counts),
                    "warning",
                )


def _hint(subject: Subject, rule: tree.Rule, variable: tree.Variable, counts: Counter[str]) -> str:
    name = variable.name
    near = [other for other in counts if other != name and _is_near(name, other)]
    if near:
        return f"did you mean `{near[0]}`?"
    for literal in rule.literals:
        if isinstance(literal.modality, tree.At) and literal.modality.time is variable and not literal.negated_inside:
            window = f" in {subject.window_text(literal.window)}" if literal.window else " in [n]"
            return f"if the time does not matter, write `{subject.atom_text(literal.atom)}{window}`"
    return f"write `_`, or `_{name}` to keep the name"


def _is_near(name: str, other: str) -> bool:
    return name.lower() == other.lower() or is_slip(name, other)
