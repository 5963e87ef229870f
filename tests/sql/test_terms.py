"""Arithmetic and comparisons in SQL are those of the language, value by value; what is not defined is NULL or not true."""

import itertools

import duckdb
import pytest

from laser.rules.body import Comparison
from laser.sql.facts import arrow_table, decoder, kinds_of
from laser.sql.kinds import Kind
from laser.sql.refusal import NotLowered
from laser.sql.terms import Expression, compare, evaluate
from laser.syntax.tree import Arithmetic, Constant, Variable
from laser.values import Iri
from laser.values.functions import FUNCTIONS
from laser.values.operations import COMPARISONS
from laser.values.operations import apply as right_value
from laser.values.operations import compare as right_truth
from laser.values.texts import TESTS, negated
from tests.values.test_functions import CALLS

WHOLE = [0, 1, -1, 2, 3, -3, 7, -7, 10, 1000003]
BROKEN = [0.5, -0.5, 1.5, 0.1, 2.7, -7.25, 0.001, 12345.125]
TEXTS = ["", "a", "B", "é", "\U0001f600", "\uffff", "1", "two words"]
IRIS = [Iri("http://a/"), Iri("http://b/")]


def rows(values: list) -> tuple[object, Kind]:
    """All pairs of some values, as a table."""
    pairs = list(itertools.product(values, values))
    kinds = kinds_of([values])
    assert kinds is not None
    columns = {name: ([pair[i] for pair in pairs], kinds[0]) for i, name in enumerate(("x", "y"))}
    return arrow_table(columns), kinds[0]


@pytest.mark.parametrize("values", [WHOLE, WHOLE + BROKEN, TEXTS, IRIS, [*WHOLE, *BROKEN, *TEXTS, *IRIS]], ids=len)
def test_operations_give_what_the_language_says(values: list) -> None:
    table, kind = rows(values)
    bound = {"X": Expression("x", kind), "Y": Expression("y", kind)}
    connection = duckdb.connect()
    connection.register("pairs", table)
    for operator in ("+", "-", "*", "/", "div", "mod", "min", "max", "abs", "neg"):
        operands = (Variable("X"),) if operator in ("abs", "neg") else (Variable("X"), Variable("Y"))
        symbol = "-" if operator == "neg" else operator
        term = evaluate(Arithmetic(symbol, operands), bound)
        found = connection.sql(f"select {term.sql} from pairs").fetchall()
        decode = decoder(term.kind) or (lambda value: value)
        pairs = itertools.product(values, values)
        for (x, y), (value,) in zip(pairs, found, strict=True):
            right = right_value(symbol, *((x,) if len(operands) == 1 else (x, y)))
            assert (None if value is None else decode(value)) == right, f"{x} {operator} {y}"


@pytest.mark.parametrize("values", [WHOLE, WHOLE + BROKEN, TEXTS, IRIS, [*WHOLE, *BROKEN, *TEXTS, *IRIS]], ids=len)
def test_comparisons_hold_where_the_language_says(values: list) -> None:
    table, kind = rows(values)
    bound = {"X": Expression("x", kind), "Y": Expression("y", kind)}
    connection = duckdb.connect()
    connection.register("pairs", table)
    for operator in COMPARISONS:
        sql = compare(Comparison(operator, Variable("X"), Variable("Y")), bound)
        found = connection.sql(f"select {sql} from pairs").fetchall()
        for (x, y), (value,) in zip(itertools.product(values, values), found, strict=True):
            assert (value or False) == (right_truth(operator, x, y) or False), f"{x!r} {operator} {y!r}"


LOWERED = [(name, count) for name, count in CALLS if FUNCTIONS[name].sql is not None and count < 3]


@pytest.mark.parametrize(("name", "count"), LOWERED)
@pytest.mark.parametrize("values", [WHOLE, WHOLE + BROKEN, TEXTS, IRIS, [*WHOLE, *BROKEN, *TEXTS, *IRIS]], ids=len)
def test_functions_give_what_the_language_says(name: str, count: int, values: list) -> None:
    table, kind = rows(values)
    bound = {"X": Expression("x", kind), "Y": Expression("y", kind)}
    connection = duckdb.connect()
    connection.register("pairs", table)
    try:
        term = evaluate(Arithmetic(name, (Variable("X"), Variable("Y"))[:count]), bound)
    except NotLowered:
        assert name == "concat"  # of what is not a text, which SQL writes in another way
        return
    found = connection.sql(f"select {term.sql} from pairs").fetchall()
    decode = decoder(term.kind) or (lambda value: value)
    for pair, (value,) in zip(itertools.product(values, values), found, strict=True):
        assert (None if value is None else decode(value)) == right_value(name, *pair[:count]), f"{name}{pair}"


@pytest.mark.parametrize("values", [WHOLE, [*TEXTS, "a\x00b", "é1", "two"], IRIS, [*WHOLE, *TEXTS, *IRIS]], ids=len)
def test_string_tests_hold_where_the_language_says(values: list) -> None:
    table, kind = rows(values)
    bound = {"X": Expression("x", kind), "Y": Expression("y", kind)}
    connection = duckdb.connect()
    connection.register("pairs", table)
    for name in (symbol for test in TESTS if TESTS[test].sql for symbol in (test, negated(test))):
        sql = compare(Comparison(name, Variable("X"), Variable("Y")), bound)
        found = connection.sql(f"select {sql} from pairs").fetchall()
        for (x, y), (value,) in zip(itertools.product(values, values), found, strict=True):
            assert (value or False) == (right_truth(name, x, y) or False), f"{name}({x!r}, {y!r})"


@pytest.mark.parametrize("name", [name for name, each in FUNCTIONS.items() if each.sql is None])
def test_operations_that_differ_in_sql_are_refused_by_name(name: str) -> None:
    if name not in ("abs", "min", "max"):  # those are written out
        with pytest.raises(NotLowered, match=f"the function {name}"):
            evaluate(Arithmetic(name, (Constant("a"),)), {})
    with pytest.raises(NotLowered, match="the test matches"):
        compare(Comparison("not matches", Constant("a"), Constant("a")), {})


@pytest.mark.parametrize("left", [1, 1.5, "a", Iri("http://a/")], ids=str)
@pytest.mark.parametrize("right", [1, 2, 1.5, "a", "b", Iri("http://a/")], ids=str)
def test_comparisons_of_different_kinds_agree_with_the_language(left: object, right: object) -> None:
    for operator in COMPARISONS:
        sql = compare(Comparison(operator, Constant(left), Constant(right)), {})  # type: ignore[arg-type]
        ((found,),) = duckdb.sql(f"select {sql}").fetchall()
        assert (found or False) == (right_truth(operator, left, right) or False), f"{left!r} {operator} {right!r}"  # type: ignore[arg-type]


def test_numbers_that_are_not_exact_stop_the_query() -> None:
    one, two = Expression("9223372036854775807", Kind.INTEGER), Expression("cast(9e15 as double)", Kind.NUMBER)
    bound = {"X": one, "Y": two}
    for term in (Arithmetic("+", (Variable("X"), Constant(1))), Arithmetic("*", (Variable("Y"), Constant(3)))):
        with pytest.raises(duckdb.Error):
            duckdb.sql(f"select {evaluate(term, bound).sql}").fetchall()
    with pytest.raises(duckdb.Error, match="exact"):
        duckdb.sql(f"select {compare(Comparison('=', Variable('X'), Variable('Y')), bound)}").fetchall()
