"""What the operators of the language do with values; None where they are not defined.

Arithmetic is over numbers, order is within one kind of value. What lies outside is no error in a running stream: the rule
instance does not fire (specification, section 1), so every function here is total.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from laser.values import Iri, Value, number

__all__ = ["COMPARISONS", "OPERATORS", "apply", "compare"]

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
    return isinstance(value, int | float)


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


def kind(value: Value) -> int:
    """Values of one kind can be ordered: numbers, strings, IRIs."""
    return 1 if isinstance(value, str) else 2 if isinstance(value, Iri) else 0


def compare(symbol: str, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds, or None for an order between a number and a string.

    >>> compare("<", 1, 2.5), compare("=", 1, "1"), compare("<", 1, "a")
    (True, False, None)
    """
    if symbol not in ("=", "!=") and kind(left) != kind(right):
        return None
    return COMPARISONS[symbol](left, right)
