"""A constant has one value."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["duplicate_constant"]


def duplicate_constant(subject: Subject) -> Iterator[Diagnostic]:
    """A second ``#const`` for the same name."""
    first: dict[str, tree.ConstDirective] = {}
    for directive in subject.directives:
        earlier = first.setdefault(directive.name, directive)
        if earlier is not directive:
            line = f", on line {earlier.span.line}" if earlier.span else ""
            yield Diagnostic(
                "duplicate-constant",
                f"`{directive.name}` already has a value{line}",
                directive.span,
                "each constant is declared once; a run can override its value",
                "remove one of the two, or rename this one",
            )
