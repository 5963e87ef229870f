"""Functions that generated code calls for operations other than plain integer arithmetic, and reports of undefined operations."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from laser.phrases import short
from laser.plan.plan import Plan
from laser.values import Value, write_value
from laser.values.functions import FUNCTIONS
from laser.values.operations import COMPARISONS, apply, compare, is_number

__all__ = ["Reports"]

LONGEST_VALUE = 200
"""The longest value in a report, in characters."""

log = logging.getLogger("laser")


class Reports:
    """Reports of rule instances that did not fire because an operation was undefined, once per rule."""

    def __init__(self, silent: bool = False) -> None:
        self.texts: dict[str, str] = {}
        self.silent = silent

    def functions(self, plan: Plan) -> dict[str, Callable[..., Any]]:
        """The functions, for the rules of a plan."""
        texts = [rule.text for rule in plan.rules]

        def order(number: int, symbol: str, left: Value, right: Value) -> bool:
            result = compare(symbol, left, right)
            if result is None and number >= 0 and texts[number] not in self.texts:
                self.add(texts[number], _comparison(symbol, left, right))
            return bool(result)

        def calculate(number: int, symbol: str, *values: Value) -> Value | None:
            result = apply(symbol, *values)
            if result is None and number >= 0 and texts[number] not in self.texts:
                self.add(texts[number], _operation(symbol, values))
            return result

        return {"order": order, "calculate": calculate}

    def add(self, rule: str, operation: str) -> None:
        if rule not in self.texts:
            self.texts[rule] = f"not defined: {operation}, in the rule: {rule} (such instances do not fire)"
            if not self.silent:
                log.warning("%s", self.texts[rule])


def _written(value: Value) -> str:
    return short(write_value(value), LONGEST_VALUE)


def _comparison(symbol: str, left: Value, right: Value) -> str:
    one, other = _written(left), _written(right)
    return f"{one} {symbol} {other}" if symbol in COMPARISONS else f"{symbol}({one}, {other})"


def _operation(symbol: str, values: tuple[Value, ...]) -> str:
    written = list(map(_written, values))
    function = FUNCTIONS.get(symbol)
    if function is not None:
        cure = ", of a number: it needs a date" if function.in_zone and is_number(values[0]) else ""
        return f"{symbol}({', '.join(written[: function.most])}){cure}"
    if len(written) == 1:
        return f"{symbol}({written[0]})"
    return f"{written[0]} {symbol} {written[1]}"
