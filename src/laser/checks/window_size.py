"""Windows must have valid sizes."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.values import Duration, Value, write_value
from laser.windows import LastOf, SizeRule, Window

__all__ = ["window_size"]

TIME = "a time window [n] covers the present and the n ticks before it; n is a whole number, 0 or more, or a duration"
BLOCK = "the length of a block is a whole number of ticks, 1 or more, or a duration"
TUPLE = "a tuple window [n #] covers the last n facts of the stream; n is a whole number, 1 or more"
BY_KEY = "a tuple window [last n] covers the last n facts of its predicate; n is a whole number, 1 or more"


def window_size(subject: Subject) -> Iterator[Diagnostic]:
    """A size that is too small, not a number, or not a whole number and without a unit; or two sizes in the wrong order."""
    for window in subject.windows:
        yield from _order(subject, window)
        for size, rule in zip(window.sizes, window.kind.SIZES, strict=True):
            value = subject.value(size.term)
            message = None if value is None else _fault(size, value, rule)
            if value is not None and message is not None:
                hint = _hint(window, size, value, rule)
                yield Diagnostic("window-size", message, window.span, _note(window.kind, rule), hint)


def _note(kind: type[Window], rule: SizeRule) -> str:
    if rule.of == "facts":
        return BY_KEY if kind is LastOf else TUPLE
    return BLOCK if rule.least else TIME


def _order(subject: Subject, window: tree.Window) -> Iterator[Diagnostic]:
    resolved = subject.window(window)
    if window.kind.ASCENDING and resolved is not None and list(resolved.sizes) != sorted(resolved.sizes):
        text = subject.window_text(window)
        first, last = map(subject.size_text, window.sizes)
        message = f"`{text}` ends before it begins: {first} is more than {last}"
        note = "a window [a .. b ago] goes from b ticks ago to a ticks ago, so a must be at most b"
        yield Diagnostic("window-size", message, window.span, note, "put the shorter time first")


def _fault(size: tree.Size, value: Value, rule: SizeRule) -> str | None:
    name = f"`{size.term.name}` = " if isinstance(size.term, tree.ConstantName) else ""
    text = name + write_value(value)
    if isinstance(value, Duration) and size.unit is None and rule.of == "ticks":
        return None if value.micros >= rule.least else f"the size of this window must be longer than {text}"
    if not isinstance(value, int | float):
        return f"the size of a window must be a number, not {text}"
    if value < 0:
        return f"the size of a window must be {rule.least} or more, not {text}"
    if value < rule.least and rule.of == "facts":
        return f"a tuple window of size {text} is always empty"
    if value < rule.least:
        return f"the size of this window must be at least {rule.least}, not {text}"
    if size.unit is None and not isinstance(value, int):
        return f"{text} is not a whole number of {rule.of}"
    return None


def _hint(window: tree.Window, size: tree.Size, value: Value, rule: SizeRule) -> str:
    if isinstance(size.term, tree.ConstantName):
        return f"change the constant, as in `#const {size.term.name} = 30.`"
    if not isinstance(value, int | float):
        return "write a number, as in `[30]` or `[30 s]`"
    if value < 0:
        text = f"{-value} {size.unit}" if size.unit else f"{-value}"
        positive = _with_size(window, text) if rule.of == "facts" else f"[{text}]"
        return f"windows already look into the past: write `{positive}`"
    if value < rule.least and rule.of == "ticks":
        return f"the shortest block is `{rule.least}`, a single tick"
    if rule.of == "ticks":
        return f"for a duration add a unit, as in `[{value} s]`; for ticks write a whole number"
    if value < rule.least:
        return f"the smallest is `{_with_size(window, 1)}`, the last fact alone"
    return f"write `{_with_size(window, int(value))}` or `{_with_size(window, int(value) + 1)}`"


def _with_size(window: tree.Window, size: object) -> str:
    """The same tuple window with another size."""
    return window.kind.written([str(size)], False, [key.name for key in window.per])
