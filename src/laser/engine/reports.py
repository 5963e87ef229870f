"""The functions that generated code calls for what is not plainly integers, and the reports of what was not defined."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from laser.phrases import short
from laser.plan.plan import Plan
from laser.values import Value, write_value
from laser.values.operations import apply, compare

__all__ = ["Reports"]

LONGEST_VALUE = 200
"""Characters of a value in a report."""

log = logging.getLogger("laser")


class Reports:
    """What a run has to say about rule instances that did not fire because an operation was not defined: once a rule."""

    def __init__(self, silent: bool = False) -> None:
        self.texts: dict[str, str] = {}
        self.silent = silent

    def functions(self, plan: Plan) -> dict[str, Callable[..., Any]]:
        """The functions, for the rules of a plan."""
        texts = [rule.text for rule in plan.rules]

        def order(number: int, symbol: str, left: Value, right: Value) -> bool:
            result = compare(symbol, left, right)
            if result is None and number >= 0 and texts[number] not in self.texts:
                self.add(texts[number], f"{_written(left)} {symbol} {_written(right)}")
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


def _operation(symbol: str, values: tuple[Value, ...]) -> str:
    written = list(map(_written, values))
    if symbol in ("abs", "min", "max") or len(written) == 1:
        return f"{symbol}({', '.join(written)})"
    return f"{written[0]} {symbol} {written[1]}"
