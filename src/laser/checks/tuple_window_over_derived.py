"""Tuple windows count facts of the stream, not derived atoms."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.windows import TupleWindow

__all__ = ["tuple_window_over_derived"]

NOTE = "a tuple window counts the facts of the data stream, which do not include derived atoms"


def tuple_window_over_derived(subject: Subject) -> Iterator[Diagnostic]:
    """A tuple window over a predicate that rules derive."""
    for _, literal in subject.literals:
        window = literal.window
        if window is not None and issubclass(window.kind, TupleWindow) and literal.atom.predicate in subject.derived:
            message = (
                f"a tuple window cannot count `{literal.atom.predicate}`, which a rule derives{_line(subject, literal)}"
            )
            yield Diagnostic("tuple-window-over-derived", message, literal.span, NOTE, _hint(subject, literal, window))


def _line(subject: Subject, literal: tree.Literal) -> str:
    span = subject.first_rule[literal.atom.predicate].span
    return f" (line {span.line})" if span else ""


def _hint(subject: Subject, literal: tree.Literal, window: tree.Window) -> str:
    atom = subject.atom_text(literal.atom)
    size = subject.term_text(window.sizes[0].term)
    return f"use a time window, as in `{atom} in [{size}]`, or apply the tuple window to the facts that `{atom}` is derived from"
