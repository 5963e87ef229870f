"""Windows have sizes that make sense."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.values import Value, write_value
from laser.windows import SizeRule, TupleWindow

__all__ = ["window_size"]

TIME = "a time window [n] is the present and the n ticks before it: n is a whole number from 0 on, or a duration"
BLOCK = "the length of a block is a whole number of ticks from 1 on, or a duration"
TUPLE = "a tuple window [n #] is the last n facts of the stream: n is a whole number from 1 on"


def window_size(subject: Subject) -> Iterator[Diagnostic]:
    """A size below the least that a window may have, one that is no number, or no whole number without a unit; or a wrong order."""
    for window in subject.windows:
        yield from _order(subject, window)
        for size, rule in zip(window.sizes, window.kind.SIZES, strict=True):
            value = subject.value(size.term)
            message = None if value is None else _fault(size, value, rule)
            if value is not None and message is not None:
                note = TUPLE if issubclass(window.kind, TupleWindow) else BLOCK if rule.least else TIME
                yield Diagnostic("window-size", message, window.span, note, _hint(size, value, rule))


def _order(subject: Subject, window: tree.Window) -> Iterator[Diagnostic]:
    resolved = subject.window(window)
    if window.kind.ASCENDING and resolved is not None and list(resolved.sizes) != sorted(resolved.sizes):
        text = subject.window_text(window)
        first, last = map(subject.size_text, window.sizes)
        message = f"`{text}` ends before it begins: {first} is more than {last}"
        note = "a window [a .. b ago] is the time points from b ticks ago to a ticks ago, so a is at most b"
        yield Diagnostic("window-size", message, window.span, note, "put the shorter time first")


def _fault(size: tree.Size, value: Value, rule: SizeRule) -> str | None:
    name = f"`{size.term.name}` = " if isinstance(size.term, tree.ConstantName) else ""
    text = name + write_value(value)
    if not isinstance(value, int | float):
        return f"the size of a window is a number, not {text}"
    if value < 0:
        return f"the size of a window is not negative, as {text} is"
    if value < rule.least and rule.of == "facts":
        return f"a tuple window of size {text} is always empty"
    if value < rule.least:
        return f"the size of this window is at least {rule.least}, but {text} is less"
    if size.unit is None and not isinstance(value, int):
        return f"{text} is no whole number of {rule.of}"
    return None


def _hint(size: tree.Size, value: Value, rule: SizeRule) -> str:
    if isinstance(size.term, tree.ConstantName):
        return f"give the constant such a value: `#const {size.term.name} = 30.`"
    if not isinstance(value, int | float):
        return "write a number, as in `[30]` or `[30 s]`"
    unit = " #" if rule.of == "facts" else f" {size.unit}" if size.unit else ""
    if value < 0:
        return f"windows reach into the past by themselves: write `[{-value}{unit}]`"
    if value < rule.least and rule.of == "ticks":
        return f"the shortest block is `{rule.least}`, a single tick"
    if rule.of == "ticks":
        return f"for a duration add a unit, as in `[{value} s]`; for ticks write a whole number"
    if value < rule.least:
        return "the smallest is `[1 #]`, the last fact alone"
    return f"write `[{int(value)} #]` or `[{int(value) + 1} #]`"
