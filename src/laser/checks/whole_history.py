"""Without a window, a time may be anywhere in the past."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.windows import TimeWindow

__all__ = ["whole_history"]


def whole_history(subject: Subject) -> Iterator[Diagnostic]:
    """A body ``@T a`` without a window over an input: all of its facts are kept forever."""
    for rule, literal in subject.literals:
        at = literal.modality
        if isinstance(at, tree.At) and literal.window is None and literal.atom.predicate in subject.streamed:
            yield Diagnostic(
                "whole-history",
                f"this keeps the whole history of `{literal.atom.predicate}`",
                literal.span,
                "without a window, the time may be anywhere in the past, so no fact can be forgotten",
                _hint(subject, rule, literal, at),
                "warning",
            )


def _hint(subject: Subject, rule: tree.Rule, literal: tree.Literal, at: tree.At) -> str:
    time = subject.term_text(at.time)
    text = f"{subject.atom_text(literal.atom)} at {time} in "
    for other in rule.literals:
        if other.window is not None and other.modality == at and not other.negated and _is_timed(other.window):
            window = subject.window_text(other.window)
            return f"`{subject.literal_text(other)}` already limits `{time}` to {window}: write `{text}{window}`"
    return f"limit how far back it looks, as in `{text}[1 h]`"


def _is_timed(window: tree.Window) -> bool:
    return issubclass(window.kind, TimeWindow)
