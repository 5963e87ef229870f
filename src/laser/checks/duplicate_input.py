"""An input is declared once."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax.tree import InputDirective

__all__ = ["duplicate_input"]


def duplicate_input(subject: Subject) -> Iterator[Diagnostic]:
    """A second ``#input`` for one name: with other types or another number of arguments it contradicts the first."""
    first: dict[str, InputDirective] = {}
    for given in subject.program.statements:
        if isinstance(given, InputDirective):
            known = first.setdefault(given.name, given)
            if known is not given:
                line = known.span.line if known.span else 0
                note = f"the first declaration is on line {line}" if line else None
                message = f"the input '{given.name}' is declared twice"
                yield Diagnostic("duplicate-input", message, given.span, note, "remove one of the two")
