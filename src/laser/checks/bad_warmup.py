"""A program has at most one warm-up, which must be a whole number of ticks."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.rules.resolve import whole_size
from laser.syntax import tree
from laser.values import Duration

__all__ = ["bad_warmup"]

NOTE = "a warm-up begins with the timeline and lasts a whole number of ticks, given as a number or as a duration"


def bad_warmup(subject: Subject) -> Iterator[Diagnostic]:
    """A second ``#warmup``, or one that is negative, not a number, or not a whole number of ticks."""
    given = [s for s in subject.program.statements if isinstance(s, tree.WarmupDirective)]
    for second in given[1:]:
        line = given[0].span.line if given[0].span else 0
        note = f"the first warm-up is on line {line}" if line else None
        yield Diagnostic("bad-warmup", "the warm-up is set twice", second.span, note, "remove one of the two")
    for directive in given[:1]:
        fault = _fault(subject, directive.size)
        if fault is not None:
            yield Diagnostic("bad-warmup", fault, directive.span, NOTE, "write a duration such as `#warmup 5 min.`")


def _fault(subject: Subject, size: tree.Size) -> str | None:
    value = subject.value(size.term)
    text = subject.size_text(size)
    if value is None:
        return None  # the constant has no value, which another check reports
    if not isinstance(value, int | float | Duration):
        return f"{text} is not a duration"
    if (value.micros if isinstance(value, Duration) else value) < 0:
        return f"a warm-up must be 0 or more, not {text}"
    if size.unit is None and isinstance(value, float):
        return f"{text} is not a whole number of ticks"
    if subject.tick is not None and whole_size(size, subject.values, subject.tick) is None:
        return f"{text} is not a whole number of ticks of {subject.tick}"
    return None
