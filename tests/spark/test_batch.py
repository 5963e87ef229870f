"""Static DataFrames through Spark."""

from __future__ import annotations

from datetime import datetime

import pytest

from laser import LaserError, parse
from laser.spark import Input, reason
from laser.values import Atom
from tests.cases_reader import EXAMPLES
from tests.spark.rooms import Setting, atom_of

COOLING = (EXAMPLES / "cooling.lars").read_text("utf-8")
READINGS = [
    (t, f"m{m}", (40, 120, 160, 1)[(t // 7 + m) % 4]) for t in range(5, 65) for m in range(4) if (t * 7 + m) % 11 > 1
]


@pytest.fixture(scope="module")
def readings(spark):
    return spark.createDataFrame(READINGS, "t int, machine string, v int").repartition(3)


def told(answers, name, args=None):
    """The answers of one predicate, spread over their time points."""
    frame = answers[name]
    return {
        (time, Atom(name, row[:-2] if args is None else row[:args]))
        for row in map(tuple, frame.collect())
        for time in range(row[-2], row[-1] + 1)
    }


def agree(answers, reference):
    """All predicates at once, from the one table that they are selected from."""
    job = answers.prepared.job
    found = {time: set() for time in reference}
    for row in answers.table.collect():
        for time in range(row["since"], row["until"] + 1):
            found[time].add(atom_of(job, row))
    return found == {time: set(atoms) for time, atoms in reference.items()}


def test_a_lifted_program_agrees_with_the_reference_for_each_key_and_cut(readings):
    rows = [(t, Atom("temp", (m, v))) for t, m, v in READINGS]
    reference = Setting(parse(COOLING), rows, 5, 80).lifted_reference()
    for buckets, slices in ((1, 1), (3, 4)):
        answers = reason(COOLING, {"temp": readings}, time="t", key="machine", until=80, buckets=buckets, slices=slices)
        assert agree(answers, reference)
        answers.unpersist()
    assert dict(answers["veryHot"].dtypes) == {"machine": "string", "t": "bigint", "since": "bigint", "until": "bigint"}


def test_a_key_of_the_program_and_background_tables(spark, readings):
    program = "hot(M, R) :- temp(M, V) in [3], V > 100, room(M, R). idle(M) :- room(M, _), not temp(M, _) in [1]."
    rooms = [("m0", "a"), ("m2", "b"), ("m9", "c")]
    rows = [(t, Atom("temp", (m, v))) for t, m, v in READINGS]
    run = {"background": [("room", *room) for room in rooms]}
    reference = Setting(parse(program), rows, 5, 70, run).reference()
    table = spark.createDataFrame(rooms, "machine string, room string")
    answers = reason(program, {"temp": readings}, time="t", background={"room": table}, until=70, buckets=3)
    assert agree(answers, reference)
    assert answers["hot"].columns == ["machine", "room", "since", "until"]
    assert "argument 1 of temp/2" in answers.cut


def test_tuple_windows_in_slices_keep_the_order_of_arrival(spark):
    program = (
        "last(X) :- a(X) in [2 #]. was(X, T) :- a(X) at T in [3 #], not b(X) in [1 #]. few :- a(_) always in [4 #]."
    )
    rows = [(t, "ab"[(t * i) % 3 % 2], (t * 3 + i) % 5) for t in range(0, 40, 2) for i in range(t % 4)]
    reference = Setting(parse(program), [(t, Atom(p, (x,))) for t, p, x in rows], 0, 44).reference()
    numbered = [(t, p, x, n) for n, (t, p, x) in enumerate(rows)]
    frame = spark.createDataFrame(numbered, "t long, p string, x long, n long").repartition(4)
    inputs = {p: Input(frame.where(f"p = '{p}'"), ["x"]) for p in "ab"}
    for slices in (1, 5):
        answers = reason(program, inputs, time="t", order="n", start=0, until=44, slices=slices)
        assert agree(answers, reference)


def test_dates_are_ticks_and_come_back_as_dates(spark):
    rows = [(datetime(2026, 1, 1, 0, 0, s), "x", 1.5) for s in (1, 2, 9)]
    frame = spark.createDataFrame(rows, "ts timestamp, k string, v double")
    answers = reason("seen(K, V, T) :- a(K, V) at T in [4 s].", {"a": frame}, time="ts", tick="2 s")
    assert dict(answers["seen"].dtypes) == {
        "k": "string",
        "v": "double",
        "t": "timestamp",
        "since": "timestamp",
        "until": "timestamp",
    }
    found = sorted(
        answers["seen"].selectExpr("unix_seconds(t)", "unix_seconds(since)", "unix_seconds(until)").collect()
    )
    base = int(datetime(2026, 1, 1).timestamp()) // 2 * 2
    zero = min(row[0] for row in found)
    assert [(a - zero, b - zero, c - zero) for a, b, c in map(tuple, found)] == [(0, 0, 4), (2, 2, 6), (8, 8, 8)]
    assert (zero - base) % 2 == 0


def test_malformed_rows_are_left_out_and_reported(spark):
    rows = [(1, "x", 1.0), (None, "y", 1.0), (2, None, 1.0), (3, "z", float("nan")), (-1, "x", 1.0)]
    frame = spark.createDataFrame(rows, "t int, k string, v double")
    answers = reason("q(K, V) :- a(K, V) in [1].", {"a": frame}, time="t")
    assert [tuple(row) for row in answers["q"].collect()] == [("x", 1.0, 1, 1)]
    reasons = sorted(row["reason"] for row in answers.rejects.collect())
    assert reasons == ["k is missing", "t is -1, which is negative", "t is missing", "v is not a finite number"]


def test_an_answer_is_the_input_of_the_next_program(readings):
    first = reason("hot(M) :- temp(M, V), V > 100.", {"temp": readings}, time="t")
    second = reason("long(M) :- hot(M) always in [3].", {"hot": first["hot"]}, start=5, until=64)
    whole = reason(
        "@T hot(M) :- temp(M, V) at T in [3], V > 100. long(M) :- hot(M) always in [3].", {"temp": readings}, time="t"
    )
    assert told(second, "long") == told(whole, "long") != set()


def test_invalid_requests_are_refused_before_anything_runs(spark, readings):
    def refusal(program, inputs=None, **options):
        with pytest.raises(LaserError) as caught:
            reason(program, inputs or {"temp": readings}, **{"time": "t", **options})
        return str(caught.value)

    assert "values of the types string and int would be in argument 1 of x/1" in refusal(
        "x(A) :- temp(A, _). x(B) :- temp(_, B)."
    )
    assert "name the columns to use" in refusal("x(A) :- temp(A).")
    assert "which column is the time" in refusal("x(A) :- temp(A, _).", time=None)
    assert "no column when" in refusal("x(A) :- temp(A, _).", time="when")
    assert "cannot be divided by v" in refusal("x(A) :- temp(A, _).", key="v")
    assert "no input of the program has the key column plant" in refusal("x(A) :- temp(A, _).", key="plant")
    assert "reads none of the inputs" in refusal("x(A) :- other(A).")
    array = spark.sql("SELECT 1 AS t, array(1) AS v")
    assert "cannot be an argument" in refusal("x(A) :- a(A).", {"a": array})


def test_mixed_columns_are_text_in_the_notation_of_programs(spark):
    frame = spark.createDataFrame([(1, "<http://e.org/a>"), (2, '"two words"'), (3, "7")], "t int, v string")
    program = "q(V) :- a(V). q(V) :- a(V), V = 7. n(W) :- a(V), W = V + 1."
    answers = reason(program, {"a": Input(frame, ["v"], "t", terms=frozenset({"v"}))}, mixed=True, start=1, until=3)
    assert sorted(row[0] for row in answers["q"].collect()) == ['"two words"', "7", "<http://e.org/a>"]
    assert [tuple(row) for row in answers["n"].collect()] == [(8.0, 3, 3)]


@pytest.mark.parametrize("engine", ["auto", "reasoner"])
def test_times_without_a_zone_are_in_the_zone_of_the_session(spark, engine):
    rows = [("2026-03-02T20:59:59Z", "a"), ("2026-03-02T21:00:00Z", "b"), ("2026-03-02T22:00:00Z", "c")]
    jobs = spark.createDataFrame(rows, "ts string, job string")
    program = "late(J) :- job(J) at T in [0], T >= 2026-03-02T22:00."
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        for name, late in (("Europe/Vienna", {"b", "c"}), ("UTC", {"c"})):
            spark.conf.set("spark.sql.session.timeZone", name)
            answers = reason(program, {"job": jobs}, time="ts", engine=engine)
            assert {row.job for row in answers["late"].collect()} == late
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
