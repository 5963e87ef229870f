"""Terms and comparisons as SQL. An undefined result is NULL, or not true, so that the rule instance does not fire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from laser.rules.body import Comparison
from laser.sql.kinds import EXACT, INEXACT, Kind, convert, join, kind_of, literal, number_of, text_of
from laser.sql.refusal import NotLowered
from laser.syntax.tree import Arithmetic, Constant, Term, Variable
from laser.values import static_type
from laser.values.functions import FUNCTIONS
from laser.values.texts import NOT, TESTS

__all__ = ["Bindings", "Expression", "FALSE", "INLINE", "compare", "equal", "evaluate", "time_point"]

FALSE = "false"


class Expression(NamedTuple):
    """SQL with the kind of its values."""

    sql: str
    kind: Kind

    def to(self, kind: Kind) -> str:
        """The same, converted to a wider kind."""
        return convert(self.sql, self.kind, kind)


Bindings = Mapping[str, Expression]


def evaluate(term: Term, bound: Bindings) -> Expression:
    """A term over bound variables; NULL if arithmetic is undefined."""
    match term:
        case Variable(name=name):
            return bound[name]
        case Constant(value=value):
            kind = kind_of(value)
            if kind is None:
                raise NotLowered(f"the value {value!r}, which SQL cannot represent exactly")
            return Expression(literal(value), kind)
        case Arithmetic(operator=operator, operands=operands) if operator not in INLINE:
            return _function(operator, [evaluate(operand, bound) for operand in operands])
        case Arithmetic(operator=operator, operands=operands):
            values = [Expression(*number_of(*evaluate(operand, bound))) for operand in operands]
            return _arithmetic(operator, values)
        case _:
            raise AssertionError(f"{term} should have been resolved before")


def _arithmetic(operator: str, values: list[Expression]) -> Expression:
    """Whole numbers overflow with an error; doubles are stopped when a whole number may no longer be exact."""
    kind = Kind.NUMBER if operator == "/" else join(value.kind for value in values)
    parts = [f"({value.to(kind)})" for value in values]
    match operator, parts:
        case "-", [a]:
            return Expression(f"(- {a})", kind)
        case "abs", [a]:
            return Expression(f"abs({a})", kind)
        case "min" | "max", [a, b]:
            sign = "<=" if operator == "min" else ">="
            return Expression(f"case when {a} {sign} {b} then {a} when {a} is not null then {b} end", kind)
        case "+" | "-" | "*", [a, b]:
            return Expression(_exact(f"({a} {operator} {b})", kind), kind)
        case "/", [a, b]:
            return Expression(_exact(f"({a} / nullif({b}, 0))", kind), kind)
        case "div", [a, b]:
            return Expression(_floor_division(a, b) if kind == Kind.INTEGER else _whole_quotient(a, b), kind)
        case "mod", [a, b]:
            return Expression(_floor_modulo(a, b), kind)
        case _:
            raise NotLowered(f"the function {operator}")


INLINE = frozenset({"+", "-", "*", "/", "div", "mod", "abs", "min", "max"})
"""Numeric operations that are written out here."""


def _function(name: str, values: list[Expression]) -> Expression:
    """A function with exactly equivalent SQL; the reasoner has all others."""
    function = FUNCTIONS.get(name)
    if function is None or function.sql is None:
        raise NotLowered(f"the function {name}")
    args = []
    for place, value in enumerate(values):
        match function.argument(place):
            case static_type.NUMBER:
                args.append(f"({Expression(*number_of(*value)).to(Kind.NUMBER)})")
            case static_type.STRING:
                args.append(f"({text_of(*value)})")
            case _ if value.kind == Kind.STRING:
                args.append(f"({value.sql})")
            case _:
                raise NotLowered(f"the function {name} of a value that is not a string")
    kind = _KINDS[function.gives([None] * len(values))]
    sql = function.sql(args)
    return Expression(_exact(sql, kind) if kind == Kind.NUMBER else sql, kind)


_KINDS = {static_type.STRING: Kind.STRING, static_type.INTEGER: Kind.INTEGER, static_type.NUMBER: Kind.NUMBER}


def _exact(sql: str, kind: Kind) -> str:
    """Below 2**53, doubles represent whole numbers exactly."""
    if kind == Kind.INTEGER:
        return sql
    return f"case when abs({sql}) < {EXACT} then {sql} when {sql} is not null then error('{INEXACT}') end"


def _floor_division(a: str, b: str) -> str:
    """SQL's quotient is truncated towards 0."""
    down = f"{a} % nullif({b}, 0) <> 0 and ({a} < 0) <> ({b} < 0)"
    return f"({a} // nullif({b}, 0) - case when {down} then 1 else 0 end)"


def _floor_modulo(a: str, b: str) -> str:
    """The remainder has the sign of the divisor."""
    rest = f"({a} % nullif({b}, 0))"
    return f"({rest} + case when {rest} <> 0 and ({rest} < 0) <> ({b} < 0) then {b} else 0 end)"


def _whole_quotient(a: str, b: str) -> str:
    """Divides doubles as Python does: subtracts the remainder first, so that rounding cannot change the whole number."""
    rest = f"({a} % nullif({b}, 0))"
    down = f"case when {rest} <> 0 and ({rest} < 0) <> ({b} < 0) then 1 else 0 end"
    quotient = f"(({a} - {rest}) / nullif({b}, 0) - {down})"
    whole = f"(floor({quotient}) + case when {quotient} - floor({quotient}) > 0.5 then 1 else 0 end)"
    exact = f"abs({a}) <= {EXACT} and abs({b}) <= {EXACT}"
    return f"case when {exact} then {whole} when {a} is not null and {b} is not null then error('{INEXACT}') end"


def equal(one: Expression, other: Expression) -> str:
    """Whether two values are equal; ``false`` if their kinds show that they never are."""
    if one.kind != other.kind and Kind.ANY not in (one.kind, other.kind) and not _are_numbers(one, other):
        return FALSE
    kind = join((one.kind, other.kind))
    return f"{one.to(kind)} = {other.to(kind)}"


def compare(test: Comparison, bound: Bindings) -> str:
    """A comparison of bound values; the order of values of different types is undefined, and so not true."""
    left, right = evaluate(test.left, bound), evaluate(test.right, bound)
    match test.operator:
        case "=":
            return equal(left, right)
        case "!=":
            same = equal(left, right)
            return f"({left.sql}) is not null and ({right.sql}) is not null" if same == FALSE else f"not ({same})"
        case "<" | "<=" | ">" | ">=":
            return _order(test.operator, left, right)
        case _:
            return _test(test.operator, left, right)


def _test(symbol: str, left: Expression, right: Expression) -> str:
    """A test of strings; for other values, it is NULL, and so is its negation."""
    function = TESTS[symbol.removeprefix(NOT)].sql
    if function is None:
        raise NotLowered(f"the test {symbol.removeprefix(NOT)}")
    found = f"{function}({text_of(*left)}, {text_of(*right)})"
    return f"not {found}" if symbol.startswith(NOT) else found


def _order(operator: str, left: Expression, right: Expression) -> str:
    if equal(left, right) == FALSE:
        return FALSE
    kind = join((left.kind, right.kind))
    a, b = left.to(kind), right.to(kind)
    if kind != Kind.ANY:
        return f"{a} {operator} {b}"
    return f"(({a}).k = ({b}).k and {_lexical(operator, a, b)})"


def _lexical(operator: str, a: str, b: str) -> str:
    """Values of one type: numbers have an empty text, and texts the number 0."""
    strict = operator[0]
    return f"(({a}).n {strict} ({b}).n or (({a}).n = ({b}).n and ({a}).s {operator} ({b}).s))"


def _are_numbers(one: Expression, other: Expression) -> bool:
    return one.kind.is_number and other.kind.is_number


def time_point(value: Expression, first: str, last: str) -> str:
    """The time point of the timeline that a value denotes; NULL if it denotes none."""
    sql, kind = number_of(*value)
    inside = f"({sql}) between {first} and {last}"
    whole = "" if kind == Kind.INTEGER else f" and ({sql}) = floor({sql})"
    return f"case when {inside}{whole} then cast({sql} as bigint) end"
