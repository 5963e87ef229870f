"""Windows have a size that makes sense."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.values import Value, write_value

__all__ = ["window_size"]

TIME = "a time window [n] is the present and the n ticks before it: n is a whole number from 0 on, or a duration"
TUPLE = "a tuple window [n #] is the last n facts of the stream: n is a whole number from 1 on"


def window_size(subject: Subject) -> Iterator[Diagnostic]:
    """A tuple window below 1, a time window below 0, or a size that is no number, or no whole number without a unit."""
    for window in subject.windows:
        size = subject.size(window)
        message = None if size is None else _fault(window, size)
        if size is not None and message is not None:
            note = TIME if window.kind == "time" else TUPLE
            yield Diagnostic("window-size", message, window.span, note, _hint(window, size))


def _fault(window: tree.Window, size: Value) -> str | None:
    name = f"`{window.size.name}` = " if isinstance(window.size, tree.ConstantName) else ""
    text = name + write_value(size)
    if not isinstance(size, int | float):
        return f"the size of a window is a number, not {text}"
    if size < 0:
        return f"the size of a window is not negative, as {text} is"
    if window.kind == "tuple" and size == 0:
        return f"a tuple window of size {text} is always empty"
    if window.unit is None and not isinstance(size, int):
        return f"{text} is no whole number of {'facts' if window.kind == 'tuple' else 'ticks'}"
    return None


def _hint(window: tree.Window, size: Value) -> str:
    if isinstance(window.size, tree.ConstantName):
        return f"give the constant such a value: `#const {window.size.name} = 30.`"
    if not isinstance(size, int | float):
        return "write a number, as in `[30]` or `[30 s]`"
    unit = " #" if window.kind == "tuple" else f" {window.unit}" if window.unit else ""
    if size < 0:
        return f"windows reach into the past by themselves: write `[{-size}{unit}]`"
    if window.kind == "time":
        return f"for a duration add a unit, as in `[{size} s]`; for ticks write a whole number"
    return (
        "the smallest is `[1 #]`, the last fact alone"
        if size < 1
        else f"write `[{int(size)} #]` or `[{int(size) + 1} #]`"
    )
