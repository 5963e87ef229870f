"""The SQL of a program as people see it."""

import re

import duckdb
import pytest
import sqlglot

from laser.checks.load import parse
from laser.sql.describe import describe

PROGRAM = """
machine(m1).
hot(M) :- temp(M, V) in [5], V > 90.
idle(M) :- machine(M), not temp(M, _) in [5].
@T steam(M) :- temp(M, V) at T in [20], V / 2 >= 50.
alarm(M) :- steam(M) always in [this 3], hot(M).
reach(X, Y) :- edge(X, Y).
reach(X, Z) :- reach(X, Y), edge(Y, Z).
loop(X) :- reach(X, X), hot(_).
"""


def test_each_statement_is_printed_under_its_rule() -> None:
    text = describe(parse(PROGRAM))
    assert "-- hot(M) :- temp(M, V) in [5], V > 90.\n-- output: hot/1\ncreate temporary table" in text
    assert "-- left to the reasoner: reach/2 derived\n--   recursion through reach/2" in text


def test_rules_over_reasoned_predicates_are_sql_again() -> None:
    text = describe(parse(PROGRAM))
    (filled,) = re.findall(
        r"-- output: reach/2\ncreate temporary table (n\d+) \(a1 varchar, a2 varchar, c bigint, h bigint\);", text
    )
    above = text.partition(f"temporary table {filled} (")[2]
    assert f"from {filled} as".upper() in above.upper()
    assert "-- loop(X) :- reach(X, X), hot(_).\n-- output: loop/1" in above


@pytest.mark.parametrize("dialect", ["duckdb", "spark"])
def test_printed_statements_parse_in_their_dialect(dialect: str) -> None:
    statements = sqlglot.parse(describe(parse(PROGRAM), dialect), read=dialect)  # type: ignore[arg-type]
    assert len(statements) > 8
    assert "ERROR('laser" not in describe(parse(PROGRAM), "spark").replace("RAISE_ERROR", "")


def test_duckdb_runs_the_printed_statements() -> None:
    """With numbers in the place of the timeline."""
    text = describe(parse(PROGRAM)).replace("$first", "0").replace("$last", "99")
    with duckdb.connect() as connection:
        connection.execute("create table \"temp/2\" as select 'm1' as a1, 100.5 as a2, 7 as u")
        connection.execute('create table "edge/2" (a1 varchar, a2 varchar, u bigint)')
        connection.execute("create table \"machine/1 background\" as select 'm1' as a1")
        connection.execute(text)
        tables = [name for (name,) in connection.execute("select table_name from duckdb_tables").fetchall()]
        assert any(name.startswith("n") for name in tables)
