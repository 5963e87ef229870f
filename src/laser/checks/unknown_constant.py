"""Only constants that ``#const`` declares can be used or overridden."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.phrases import Names, listed
from laser.syntax import tree
from laser.syntax.terms import subterms

__all__ = ["unknown_constant"]


def unknown_constant(subject: Subject) -> Iterator[Diagnostic]:
    """The override, or the use, of a constant that the program does not declare."""
    names = subject.program.constants
    known = Names(names)
    for name in subject.overrides:
        if name not in names:
            note = "a run can override only constants that `#const` declares"
            message = f"the program has no constant `{name}` to override"
            yield Diagnostic("unknown-constant", message, None, note, _hint(name, known, names))
    for use in _uses(subject):
        if use.name not in names:
            note = "a name used as a number is a constant, which `#const` must declare"
            message = f"there is no constant `{use.name}`"
            yield Diagnostic("unknown-constant", message, use.span, note, _hint(use.name, known, names))


def _uses(subject: Subject) -> Iterator[tree.ConstantName]:
    outer = [term for rule in subject.rules for term in rule.terms()]
    outer += [term for fact in subject.program.facts for term in fact.atom.args]
    outer += [size.term for window in subject.windows for size in window.sizes]
    outer += [times.number for _, times in subject.counts]
    return (term for some in outer for term in subterms(some) if isinstance(term, tree.ConstantName))


def _hint(name: str, known: Names, names: Collection[str]) -> str:
    guess = known.closest(name)
    if guess:
        return f"did you mean `{guess}`?"
    add = f"declare it in the program: `#const {name} = 30.`"
    return f"{add}; the program declares {listed(names)}" if names else add
