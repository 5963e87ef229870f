"""What the operators of the language do with values; None where they are not defined.

Arithmetic is over numbers, order is within one type of values. What lies outside is no error in a running stream: the rule
instance does not fire (specification, section 1), so every function here is total.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from laser.values.number import NUMBER, number
from laser.values.registry import Value, type_of

__all__ = ["COMPARISONS", "HUGE", "OPERATORS", "apply", "compare", "is_number"]

HUGE = 2**1024
"""Integers from here on are given up, as decimals overflow there: squaring in a loop would eat all memory."""

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": lambda a, b=None: -a if b is None else a - b,
    "*": operator.mul,
    "/": lambda a, b: a // b if type(a) is int and type(b) is int and a % b == 0 else a / b,
    "div": operator.floordiv,
    "mod": operator.mod,
    "abs": abs,
    "min": min,
    "max": max,
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


def apply(symbol: str, *values: Value) -> Value | None:
    """The value of an operation, or None for a string, a division by zero or an overflow.

    >>> apply("/", 7, 2), apply("/", 6, 2), apply("mod", 7, 0), apply("+", "a", 1)
    (3.5, 3, None, None)
    """
    if not all(map(is_number, values)):
        return None
    try:
        result = OPERATORS[symbol](*values)
    except (ZeroDivisionError, OverflowError):
        return None
    if type(result) is int:
        return result if -HUGE < result < HUGE else None
    return number(result) if math.isfinite(result) else None


def compare(symbol: str, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds, or None for an order between values of different types.

    >>> compare("<", 1, 2.5), compare("=", 1, "1"), compare("<", 1, "a")
    (True, False, None)
    """
    if symbol not in ("=", "!=") and type_of(left) is not type_of(right):
        return None
    return COMPARISONS[symbol](left, right)
