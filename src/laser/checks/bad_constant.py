"""A constant must have a value."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic, FactError
from laser.syntax import tree
from laser.syntax.program import to_constant
from laser.syntax.terms import subterms

__all__ = ["bad_constant"]

NOTE = "a constant has one value, such as a number or a string; it may be computed from constants declared before it"


def bad_constant(subject: Subject) -> Iterator[Diagnostic]:
    """A ``#const`` with a variable, a range or an expression without a value, or whose override is not a value."""
    known: set[str] = set()
    for directive in subject.directives:
        finding = _override(subject, directive) or _value(subject, directive, known)
        if finding:
            yield finding
        known.add(directive.name)


def _override(subject: Subject, directive: tree.ConstDirective) -> Diagnostic | None:
    if directive.name not in subject.overrides:
        return None
    try:
        to_constant(subject.overrides[directive.name])
    except FactError as error:
        message = f"the run gives `{directive.name}` something that is not a value: {error}"
        return Diagnostic("bad-constant", message, directive.span, NOTE, "give it a number or a string")
    return None


def _value(subject: Subject, directive: tree.ConstDirective, known: set[str]) -> Diagnostic | None:
    for part in subterms(directive.value):
        match part:
            case tree.Variable(name=name):
                hint = f'a name that begins with an upper-case letter is a variable: for a string, write `"{name}"`'
                return _finding(
                    directive, part, f"the value of `{directive.name}` contains the variable `{name}`", hint
                )
            case tree.Range():
                hint = f"declare each end of the range as a constant: `#const first = {subject.term_text(part.low)}.`"
                return _finding(directive, part, f"the value of `{directive.name}` is a range", hint)
            case tree.ConstantName(name=name) if name not in known:
                itself = name == directive.name
                hint = (
                    "give it a value that does not use itself"
                    if itself
                    else f"move `#const {name}` above `#const {directive.name}`"
                )
                message = f"the value of `{directive.name}` uses `{name}` before it is declared"
                return _finding(directive, part, message, hint)
    if directive.name in subject.overrides or subject.value(directive.value) is not None:
        return None
    text = subject.term_text(directive.value)
    hint = "write the value itself, or an expression that has a value"
    return _finding(directive, directive.value, f"the value of `{directive.name}`, `{text}`, cannot be computed", hint)


def _finding(directive: tree.ConstDirective, term: tree.Term, message: str, hint: str) -> Diagnostic:
    return Diagnostic("bad-constant", message, term.span or directive.span, NOTE, hint)
