"""What is derived for the present has no past."""

from __future__ import annotations

from collections.abc import Iterator

from laser.analysis.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree

__all__ = ["no_history"]

NOTE = "every answer is computed anew, from the facts alone: what a rule `{0} :- …` derived at an earlier time is not part of it"


def no_history(subject: Subject) -> Iterator[Diagnostic]:
    """A look into the past of a predicate that rules derive only for the present."""
    for _, literal in subject.literals:
        if literal.atom.predicate in subject.plain and _looks_back(subject, literal):
            name = literal.atom.name
            yield Diagnostic(
                "no-history",
                f"`{subject.literal_text(literal)}` sees `{name}` now and never in the past",
                literal.span,
                NOTE.format(name),
                _hint(subject, literal),
                "warning",
            )


def _looks_back(subject: Subject, literal: tree.Literal) -> bool:
    if literal.window is None:
        return isinstance(literal.modality, tree.At)
    return literal.window.kind == "time" and subject.size(literal.window) != 0


def _hint(subject: Subject, literal: tree.Literal) -> str:
    """How the first rule that derives the predicate would give it a history."""
    rule = subject.first_rule[literal.atom.predicate]
    head = subject.atom_text(rule.head)
    line = f" (line {rule.span.line})" if rule.span else ""
    source = next(subject.needs(rule), None)
    if source is None or isinstance(source.modality, tree.At):
        return f"derive it with `@T {head}` to give it a history{line}"
    window = source.window if source.window and source.modality == "sometime" else literal.window
    size = subject.window_text(window) if window else "[n]"
    return f"derive it with `@T` to give it a history{line}: `@T {head} :- {subject.atom_text(source.atom)} at T in {size}, …`"
