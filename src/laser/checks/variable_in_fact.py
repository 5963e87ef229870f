"""Facts must not contain variables."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.syntax.terms import variables

__all__ = ["variable_in_fact"]

NOTE = "a fact has no body that could bind a variable"


def variable_in_fact(subject: Subject) -> Iterator[Diagnostic]:
    """A variable in a fact, or in an ``@T`` head without a body."""
    for fact in subject.program.facts:
        yield from map(_finding, variables(fact.atom.args))
    for rule in subject.rules:
        if not rule.body:
            yield from map(_finding, variables(rule.terms()))


def _finding(variable: tree.Variable) -> Diagnostic:
    message = f"a fact cannot contain a variable, but `{variable.name}` is one"
    return Diagnostic("variable-in-fact", message, variable.span, NOTE, _hint(variable.name))


def _hint(name: str) -> str:
    if name.startswith("_"):
        return "write a value instead"
    lower = name[0].lower() + name[1:]
    return f'names that begin with an upper-case letter are variables: write `{lower}` or `"{name}"` for a value'
