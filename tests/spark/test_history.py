"""Histories by SQL on Spark: the same answers as the reasoner's, which programs it refuses, and what reaches the files."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from laser import LaserError
from laser.spark import Input, reason
from laser.spark.size import estimated_rows
from tests.spark.test_batch import COOLING, READINGS

PROGRAMS = {
    "hot": "hot(M) :- temp(M, V) in [3], V > 100.",
    "still": "still(M) :- temp(M, _) in [9], not temp(M, _) in [1].",
    "pairs": "pair(M, N) :- temp(M, V) in [2], temp(N, V) in [1], M != N.",
    "rooms": "room(m0, 1). room(m1, 2). idle(M, R) :- room(M, R), not temp(M, _) in [2].",
    "arithmetic": "half(M, W) :- temp(M, V), W = V / 2. next(M, V + 1) :- temp(M, V) in [1], V mod 2 = 0.",
    "later": "@(T + 2) seen(M) :- temp(M, V) at T in [4], V >= 120. #warmup 5.",
    "groups": "many(N) :- N = count(M : temp(M, _) in [2]). top(M, X) :- X = max(V : temp(M, V) in [3]).",
    "always": "@T hot(M) :- temp(M, V) at T in [9], V > 1. a(M) :- hot(M) always in [each 2]. b(M) :- hot(M) always in [this 2].",
    "means": "mean(M, A) :- A = avg(V, T : temp(M, V) at T in [3]), A > 50. all(S) :- S = sum(V, M : temp(M, V) in [1]).",
}

FEW = ("still", "later", "groups", "always")


@pytest.fixture(scope="module")
def readings(spark):
    return spark.createDataFrame(READINGS, "t int, machine string, v int").repartition(3)


def rows_of(answers, name):
    return sorted(map(tuple, answers[name].collect()))


@pytest.mark.parametrize(
    "program",
    [pytest.param(text, marks=() if name in FEW else pytest.mark.long, id=name) for name, text in PROGRAMS.items()],
)
def test_sql_and_the_reasoner_agree(readings, program):
    ways = {e: reason(program, {"temp": readings}, time="t", until=70, engine=e) for e in ("sql", "reasoner", "auto")}
    assert ways["sql"].cut == ways["auto"].cut == "SQL over intervals, not divided by key"
    for name in ways["sql"]:
        assert ways["sql"][name].dtypes == ways["reasoner"][name].dtypes
        assert rows_of(ways["sql"], name) == rows_of(ways["reasoner"], name) != []


@pytest.mark.parametrize("rule", [pytest.param("", marks=pytest.mark.long), "quiet :- not temp(_) in [1]."])
def test_a_lifted_program_has_the_same_answers_by_sql(spark, readings, rule):
    limits = spark.createDataFrame([("m0", 50), ("m9", 10)], "machine string, low int")
    options = {"time": "t", "key": "machine", "until": 80, "background": {"limit": limits}}
    program = COOLING + rule + "low :- limit(L), temp(V), V < L. lost :- limit(L), not temp(_) in [3]."
    sql, reasoner = (reason(program, {"temp": readings}, engine=engine, **options) for engine in ("sql", "reasoner"))
    for name in reasoner:
        assert rows_of(sql, name) == rows_of(reasoner, name), name


def test_types_come_back_and_dates_are_ticks(spark):
    rows = [(datetime(2026, 1, 1, 0, 0, s), "ä'{}", s / 4, True, s, -0.0) for s in (1, 2, 9)]
    frame = spark.createDataFrame(rows, "ts timestamp, k string, v double, b boolean, n smallint, z double")
    frame = frame.selectExpr("ts", "k", "CAST(v AS decimal(10,2)) v", "b", "n", "z")
    program = 'seen(K, V, B, N, Z) :- a(K, V, B, N, Z) in [4 s], V < 2.5, K = "ä\'{}".'
    sql, reasoner = (reason(program, {"a": frame}, time="ts", tick="2 s", engine=e) for e in ("sql", "reasoner"))
    assert sql["seen"].dtypes == reasoner["seen"].dtypes
    assert str(rows_of(sql, "seen")) == str(rows_of(reasoner, "seen")) != "[]"


def test_malformed_rows_are_rejected_by_sql_too(spark):
    rows = [(1, "x", 1.0), (None, "y", 1.0), (2, None, 1.0), (3, "z", float("nan")), (-1, "x", 1.0)]
    frame = spark.createDataFrame(rows, "t int, k string, v double")
    answers = reason("q(K, V) :- a(K, V) in [1].", {"a": frame}, time="t", engine="sql")
    assert rows_of(answers, "q") == [("x", 1.0, 1, 1)]
    assert answers.rejects.count() == 4


RECURSIVE = """
link(X, Y) :- edge(X, Y, V) in [9], V > 2.
reach(X, Y) :- link(X, Y).
reach(X, Z) :- reach(X, Y), link(Y, Z).
near(X, Y) :- reach(X, Y), not link(X, Y).
hub(X, N) :- N = count(Y : reach(X, Y)), N > 3.
"""


@pytest.mark.parametrize("nodes", ["int", "string"])
def test_sql_and_the_reasoner_take_turns_below_and_above_a_recursion(spark, monkeypatch, nodes):
    monkeypatch.setattr("laser.spark.history.ROWS_A_STATEMENT", 0)
    monkeypatch.setattr("laser.spark.history.LARGEST_SHARE", 2)
    edges = [(t, (t * 7 + i) % 9, (t * 5 + 3 * i) % 9, (t + i) % 7) for t in range(90) for i in range(2)]
    edge = spark.createDataFrame(edges, "t int, x int, y int, v int")
    edge = edge.selectExpr("t", f"cast(x as {nodes}) x", f"cast(y as {nodes}) y", "v")
    turns, reasoner = (reason(RECURSIVE, {"edge": edge}, time="t", engine=e) for e in ("auto", "reasoner"))
    assert turns.cut == (
        "SQL for `hub/2`, `link/2` and `near/2`; the reasoner for `reach/2`: recursion through reach/2; 4 slices of time"
    )
    for name in reasoner:
        assert turns[name].dtypes == reasoner[name].dtypes
        assert rows_of(turns, name) == rows_of(reasoner, name) != [], name


def test_a_recursion_over_most_of_the_facts_is_left_to_the_reasoner_with_all_the_rest(spark, monkeypatch):
    monkeypatch.setattr("laser.spark.history.ROWS_A_STATEMENT", 0)
    columns = "t int, x int, y int, v int"
    same = spark.createDataFrame([(t, t % 5, t % 5 + 1, t % 10) for t in range(100)], columns)
    few = reason(RECURSIVE, {"edge": same}, time="t")
    assert few.cut.startswith("SQL for `hub/2`, `link/2` and `near/2`; the reasoner for `reach/2`")
    other = spark.createDataFrame([(t, t, t + 1, t % 10) for t in range(100)], columns)
    many = reason(RECURSIVE, {"edge": other}, time="t")
    assert many.cut.endswith(
        "; not by SQL: recursion through reach/2, which would read 70 intervals of 70 facts that can matter"
    )


@pytest.mark.parametrize(
    ("rules", "why"),
    {
        "n(X) :- a(X, _) in [2]. n(X + 1) :- n(X), X < 9.": "a number may be too large to be exact in SQL, in the rule",
        "n(X) :- a(X, _) in [2]. n(Y) :- n(X), a(X, Y) in [2 #].": "the tuple window [2 #]",
        "n(X) :- a(X, _). n(Y) :- n(X), t(X, Y). t(1, 2). t(1, x).": "with values of several types or IRIs",
    }.items(),
)
def test_a_recursion_whose_values_spark_cannot_know_before_is_left_to_the_reasoner(spark, monkeypatch, rules, why):
    monkeypatch.setattr("laser.spark.history.ROWS_A_STATEMENT", 0)
    frame = spark.createDataFrame([(t, t % 5, t % 3) for t in range(20)], "t int, x bigint, y bigint")
    answers, reasoner = (reason(rules, {"a": frame}, time="t", mixed=True, engine=e) for e in ("auto", "reasoner"))
    assert "; not by SQL: " in answers.cut
    assert why in answers.cut
    assert rows_of(answers, "n") == rows_of(reasoner, "n") != []


def test_programs_that_sql_cannot_run_are_refused_by_name_or_left_to_the_reasoner(spark, readings):
    closure = "near(M, N) :- temp(M, V) in [1], temp(N, V) in [1]. near(M, O) :- near(M, N), near(N, O)."
    refused = {
        closure: "recursion through near/2",
        "last(M) :- temp(M, _) in [2 #].": "the tuple window [2 #]",
        "mid(X) :- X = median(V : temp(_, V) in [1]).": "aggregate (median)",
        "long(M) :- temp(M, _), length(M) > 1.": "the function length",
    }
    for program, reason_why in refused.items():
        with pytest.raises(LaserError, match=re.escape(reason_why)):
            reason(program, {"temp": readings}, time="t", engine="sql")
        by_turns = "recursion" in reason_why
        assert "not by SQL: " in (cut := reason(program, {"temp": readings}, time="t").cut) or by_turns, cut
    with pytest.raises(LaserError, match="parts for the reasoner"):
        reason(PROGRAMS["hot"], {"temp": readings}, time="t", engine="sql", buckets=2)
    with pytest.raises(LaserError, match="no engine 'fast'"):
        reason(PROGRAMS["hot"], {"temp": readings}, time="t", engine="fast")


@pytest.mark.parametrize("value", [2**62, -(2**62)])
def test_numbers_that_may_overflow_go_to_the_reasoner_and_sql_names_the_rule(spark, value):
    frame = spark.createDataFrame([(1, value)], "t int, v bigint")
    program = "big(W) :- a(V), W = V * 4. same(V) :- a(V)."
    with pytest.raises(
        LaserError, match=re.escape("too large to be exact in SQL, in the rule `big(W) :- a(V), W = V * 4.`")
    ):
        reason(program, {"a": frame}, time="t", engine="sql")
    assert "not by SQL: a number may be too large" in reason(program, {"a": frame}, time="t").cut
    doubles = "big(V) :- a(V), V > 0.5."
    with pytest.raises(LaserError, match="a/1 has such numbers"):
        reason(doubles, {"a": frame}, time="t", engine="sql")


def test_small_inputs_are_left_to_the_reasoner_unless_sql_is_requested(spark, readings, tmp_path):
    readings.write.parquet(str(tmp_path / "in"))
    table = spark.read.parquet(str(tmp_path / "in"))
    ways = {e: reason(PROGRAMS["hot"], {"temp": table}, time="t", engine=e) for e in ("auto", "sql")}
    assert re.search(
        r"; not by SQL: with about [\d,]+ rows, planning \d+ statements? would take longer", ways["auto"].cut
    )
    assert ways["sql"].cut == "SQL over intervals, not divided by key"
    assert rows_of(ways["auto"], "hot") == rows_of(ways["sql"], "hot") != []


def test_the_size_of_tables_is_estimated_before_anything_runs(spark, readings):
    local = spark.sql("SELECT * FROM VALUES (1, 'a'), (2, 'b'), (3, 'c') AS rows(t, machine)")
    assert estimated_rows([local]) == 3
    assert estimated_rows([local, local]) == 6
    assert estimated_rows([spark.range(1_000_000)]) > 1_000_000
    assert estimated_rows([readings]) > 10**12  # nothing is known of it


def test_filters_on_values_and_times_are_pushed_to_the_files(spark, readings, tmp_path, capsys):
    readings.selectExpr("t", "machine", "v", "v AS other").write.parquet(str(tmp_path / "in"))
    table = Input(spark.read.parquet(str(tmp_path / "in")), ["machine", "v"], "t")
    answers = reason("hot(V) :- temp(m1, V) in [3], V > 100.", {"temp": table}, start=10, until=60, engine="sql")
    spark.conf.set("spark.sql.maxMetadataStringLength", "2000")  # else the list is cut
    answers["hot"].explain()
    spark.conf.unset("spark.sql.maxMetadataStringLength")
    plan = capsys.readouterr().out
    pushed, schema = (re.search(rf"{name}: (.*)", plan)[1] for name in ("PushedFilters", "ReadSchema"))
    for wanted in ("EqualTo(machine,m1)", "GreaterThan(v,100)", "GreaterThanOrEqual(t,10)", "LessThan(t,61)"):
        assert wanted in pushed
    assert "other" not in schema
