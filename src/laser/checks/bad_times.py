"""A number of time points must be a whole number."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.values import Value, write_value

__all__ = ["bad_times"]

NOTE = "`at least n times` needs a whole number of 1 or more, `at most n times` one of 0 or more"


def bad_times(subject: Subject) -> Iterator[Diagnostic]:
    """A number of times that is not a whole number, or too small to be useful."""
    for literal, times in subject.counts:
        value = subject.value(times.number)
        message = None if value is None else _fault(times, value)
        if message is not None:
            yield Diagnostic("bad-times", message, literal.span, NOTE, _hint(times))


def _fault(times: tree.Times, value: Value) -> str | None:
    name = f"`{times.number.name}` = " if isinstance(times.number, tree.ConstantName) else ""
    text = name + write_value(value)
    if not isinstance(value, int):
        return f"the number of times must be a whole number, not {text}"
    if times.sign == ">=" and value < 1:
        return f"the number after `at least` must be 1 or more, not {text}"
    return f"the number after `at most` must be 0 or more, not {text}" if value < 0 else None


def _hint(times: tree.Times) -> str:
    if isinstance(times.number, tree.ConstantName):
        return f"change the constant, as in `#const {times.number.name} = 3.`"
    return "write `at least 1 times`" if times.sign == ">=" else "write `at most 0 times`"
