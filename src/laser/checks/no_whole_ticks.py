"""The duration of a window must be a whole number of ticks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from math import gcd

from laser.checks.subject import Subject
from laser.errors import Diagnostic
from laser.syntax import tree
from laser.ticks import UNITS, Tick
from laser.values import Duration

__all__ = ["no_whole_ticks"]


def no_whole_ticks(subject: Subject) -> Iterator[Diagnostic]:
    """A duration that is not a whole number of ticks; finds nothing if the tick is not known yet."""
    tick = subject.tick
    if tick is None:
        return
    for window in subject.windows:
        for size in window.sizes:
            seconds = _seconds(subject, size)
            if seconds is not None and (seconds / tick.seconds).denominator != 1:
                yield Diagnostic(
                    "no-whole-ticks",
                    f"{_text(subject, size)} is not a whole number of ticks of {tick}",
                    window.span,
                    "time is counted in ticks, so a window must last a whole number of them",
                    _hint(subject, tick, seconds),
                )


def _text(subject: Subject, size: tree.Size) -> str:
    return f"{subject.value(size.term)} {size.unit or ''}".rstrip()


def _seconds(subject: Subject, size: tree.Size) -> Fraction | None:
    """The size in seconds, if it is a duration."""
    value = subject.value(size.term)
    if size.unit is None and isinstance(value, Duration):
        return Fraction(value.micros, 1_000_000) if value.micros > 0 else None
    if size.unit is None or not isinstance(value, int | float) or value < 0:
        return None
    return Fraction(str(value)) * UNITS[size.unit]


def _hint(subject: Subject, tick: Tick, seconds: Fraction) -> str:
    """The longest tick that divides every duration of the program, and the nearest duration that fits the tick."""
    sizes = (size for window in subject.windows for size in window.sizes)
    durations = filter(None, (_seconds(subject, size) for size in sizes))
    divisor = Tick(reduce(_common_divisor, durations))
    nearest = Tick(max(1, round(seconds / tick.seconds)) * tick.seconds)
    return f"run it with a tick of {divisor}, or write a duration that fits, such as `[{nearest}]`"


def _common_divisor(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)
