"""Terms, comparisons and assignments as Python source.

The common case, integers, runs inline; everything else calls the functions of ``laser.values.operations``, which return None
for an undefined operation. The rule instance then does not fire, and the operation is reported.
"""

from __future__ import annotations

from collections.abc import Callable

from laser.engine.codegen.names import variable_name
from laser.rules.body import Comparison
from laser.syntax.terms import variables
from laser.syntax.tree import Arithmetic, Constant, Term, Variable
from laser.values import Value, write_code
from laser.values.operations import is_number

__all__ = ["Expressions"]

SMALL = 2**62
"""Integers below this are added inline; larger ones take the general way, which checks their size."""

_PYTHON = {"=": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Expressions:
    """Writes tests and terms of one function, line by line, with the variables that are bound so far.

    If ``silent``, undefined operations are not reported, because another function already did.
    """

    def __init__(self, rule: int, bound: dict[str, str], line: Callable[[str], None], silent: bool) -> None:
        self.rule, self.bound, self.line = (-1 if silent else rule), bound, line
        self.count = 0

    def literal(self, value: Value) -> str:
        return write_code(value)

    def is_bound(self, term: Term) -> bool:
        return all(variable.name in self.bound for variable in variables((term,)))

    def test(self, test: Comparison) -> None:
        """A filter, or an assignment if one side is an unbound variable."""
        if not self.is_bound(test.left):
            self.assign(test.left, test.right)
        elif not self.is_bound(test.right):
            self.assign(test.right, test.left)
        else:
            self.filter(test.operator, test.left, test.right)

    def assign(self, variable: Term, term: Term) -> None:
        assert isinstance(variable, Variable)
        name = variable_name(variable.name)
        self.line(f"{name} = {self.value(term)}")
        self.bound[variable.name] = name

    def filter(self, operator: str, left: Term, right: Term) -> None:
        a, b, symbol = self.value(left), self.value(right), _PYTHON.get(operator)
        if symbol is None:  # a test of strings
            self.line(f"if not order({self.rule}, {operator!r}, {a}, {b}): continue")
            return
        if operator in ("=", "!="):
            self.line(f"if not {a} {symbol} {b}: continue")
            return
        simple = f"{a}.__class__ is {b}.__class__"
        if _is_integer(right):
            simple = f"{a}.__class__ is int"
        elif _is_integer(left):
            simple = f"{b}.__class__ is int"
        self.line(f"if not ({a} {symbol} {b} if {simple} else order({self.rule}, {operator!r}, {a}, {b})): continue")

    def value(self, term: Term) -> str:
        """An expression for a term. Arithmetic becomes a line of its own that skips the rule instance if the result is undefined."""
        match term:
            case Variable(name=name):
                return self.bound[name]
            case Constant(value=value):
                return (
                    f"({self.literal(value)})" if is_number(value) else self.literal(value)
                )  # 1.__class__ is not valid Python
            case Arithmetic(operator=operator, operands=operands):
                return self.arithmetic(operator, operands)
            case _:
                raise AssertionError(f"{term} should have been resolved before compilation")

    def arithmetic(self, operator: str, operands: tuple[Term, ...]) -> str:
        values = [self.value(operand) for operand in operands]
        name = f"e{self.count}"
        self.count += 1
        general = f"calculate({self.rule}, {operator!r}, {', '.join(values)})"
        if operator in ("+", "-") and len(values) >= 2 and _is_integer(operands[1]):
            small = f"{values[0]}.__class__ is int and -{SMALL} < {values[0]} < {SMALL}"
            general = f"{values[0]} {operator} {values[1]} if {small} else {general}"
        self.line(f"{name} = {general}")
        self.line(f"if {name} is None: continue")
        return name


def _is_integer(term: Term) -> bool:
    """Whether a term is a small integer: adding it cannot make numbers grow fast."""
    return isinstance(term, Constant) and type(term.value) is int and abs(term.value) < 2**32
