"""The operators of the language applied to values; None if the result is not defined.

Arithmetic works on numbers, times and durations; order comparisons need two values of one type. Anything else is not an error
in a running stream: the rule instance does not fire (specification, section 1), so every function here is total.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from laser.errors import FactError
from laser.values.functions import FUNCTIONS, ask
from laser.values.number import HUGE, NUMBER, number
from laser.values.registry import Value, type_of
from laser.values.texts import holds
from laser.values.time import DURATION, TIME, Duration, Time

__all__ = ["COMPARISONS", "HUGE", "INSTANT", "OPERATORS", "POINT", "apply", "compare", "is_number", "is_signed"]

INSTANT, POINT = "instant", "point"
"""In a run with dates: from a time point to the instant at which it begins, and back; the second operand is the tick.

Programs cannot use them. If no time point begins at an instant, ``point`` returns the instant, which equals no time point.
"""

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": lambda a, b=None: -a if b is None else a - b,
    "*": operator.mul,
    "/": lambda a, b: a // b if type(a) is int and type(b) is int and a % b == 0 else a / b,
    "div": operator.floordiv,
    "mod": operator.mod,
}

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def is_number(value: Value) -> bool:
    return type_of(value) is NUMBER


def is_signed(value: Value) -> bool:
    """Whether a minus before the literal is part of the literal."""
    return type_of(value) in (NUMBER, DURATION)


def apply(symbol: str, *values: Value) -> Value | None:
    """The value of an operation or a function; None outside its domain, for division by zero and for overflow.

    In a run with dates, ``+`` and ``-`` take the tick as a third operand, because a number of ticks may be added to a time.

    >>> apply("/", 7, 2), apply("/", 6, 2), apply("mod", 7, 0), apply("+", "a", 1)
    (3.5, 3, None, None)
    >>> apply("-", Time(90_000_000), Time(0)), apply("*", Duration(60_000_000), 1.5)
    (90 s, 90 s)
    """
    function = FUNCTIONS.get(symbol)
    if function is not None:
        return ask(function, values)  # type: ignore[no-any-return]
    if symbol in _TICKING:
        return _TICKING[symbol](*values)  # type: ignore[no-any-return]
    operands = values[:2]
    if all(map(is_number, operands)):
        return _calculate(symbol, operands)
    try:
        return _CALENDAR[(symbol, *(type_of(value).name for value in operands))](*values)  # type: ignore[no-any-return]
    except (KeyError, ZeroDivisionError, OverflowError, FactError):
        return None


def _calculate(symbol: str, values: tuple[Any, ...]) -> Value | None:
    try:
        result = OPERATORS[symbol](*values)
    except (ZeroDivisionError, OverflowError):
        return None
    if type(result) is int:
        return result if -HUGE < result < HUGE else None
    return number(result) if math.isfinite(result) else None


def compare(symbol: str, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds; None for an order between values of different types, or a test of non-strings.

    >>> compare("<", 1, 2.5), compare("=", 1, "1"), compare("<", 1, "a")
    (True, False, None)
    """
    if symbol not in COMPARISONS:
        return holds(symbol, left, right)
    if symbol not in ("=", "!=") and type_of(left) is not type_of(right):
        return None
    return COMPARISONS[symbol](left, right)


# -- times and durations


def _instant(point: Any, tick: Any) -> Value | None:
    """The instant at which a time point begins; other values are returned unchanged."""
    if type(point) is not int:
        return point  # type: ignore[no-any-return]
    try:
        return Time(point * tick.micros)
    except FactError:
        return None


def _point(instant: Any, tick: Any) -> Value | None:
    if type(instant) is not Time or instant.micros % tick.micros:
        return instant  # type: ignore[no-any-return]
    return instant.micros // tick.micros  # type: ignore[no-any-return]


_TICKING: dict[str, Callable[..., Any]] = {INSTANT: _instant, POINT: _point}


def _later(time: Time, by: Duration, *_: Any) -> Time:
    return Time(time.micros + by.micros)


def _by_ticks(sign: int) -> Callable[..., Time | None]:
    def move(time: Time, ticks: Any, tick: Duration | None = None) -> Time | None:
        return Time(time.micros + sign * ticks * tick.micros) if tick is not None and type(ticks) is int else None

    return move


def _scaled(duration: Duration, by: Any, *_: Any) -> Duration:
    return Duration(round(duration.micros * Fraction(by)))


def _divided(duration: Duration, by: Any, *_: Any) -> Duration:
    return Duration(round(Fraction(duration.micros) / Fraction(by)))


def _ratio(one: Duration, other: Duration, *_: Any) -> Value | None:
    return _calculate("/", (one.micros, other.micros))


_T, _D, _N = TIME.name, DURATION.name, NUMBER.name

_CALENDAR: dict[tuple[str, ...], Callable[..., Any]] = {
    ("+", _T, _D): _later,
    ("+", _D, _T): lambda by, time, *_: _later(time, by),
    ("+", _T, _N): _by_ticks(1),
    ("+", _N, _T): lambda ticks, time, tick=None: _by_ticks(1)(time, ticks, tick),
    ("+", _D, _D): lambda a, b, *_: Duration(a.micros + b.micros),
    ("-", _T, _T): lambda a, b, *_: Duration(a.micros - b.micros),
    ("-", _T, _D): lambda a, b, *_: Time(a.micros - b.micros),
    ("-", _T, _N): _by_ticks(-1),
    ("-", _D, _D): lambda a, b, *_: Duration(a.micros - b.micros),
    ("-", _D): lambda a: Duration(-a.micros),
    ("*", _D, _N): _scaled,
    ("*", _N, _D): lambda by, duration: _scaled(duration, by),
    ("/", _D, _N): _divided,
    ("/", _D, _D): _ratio,
    ("div", _D, _D): lambda a, b: a.micros // b.micros,
    ("mod", _D, _D): lambda a, b: Duration(a.micros % b.micros),
}
"""The operators for times and durations, by the types of their operands."""
