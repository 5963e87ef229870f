"""What cannot run is refused in one clear sentence, before any data are read."""

from __future__ import annotations

import pytest

from laser import LaserError
from laser.spark import Input, reason

RULE = "hot(M) :- temp(M, V) in [3], V > 100."


@pytest.fixture(scope="module")
def readings(spark):
    return spark.createDataFrame([(1, "m1", 120)], "t long, machine string, value long")


def refusal(program, inputs, **options):
    with pytest.raises(LaserError) as caught:
        reason(program, inputs, **{"time": "t", **options})
    return str(caught.value)


def test_two_columns_of_one_name_are_refused(readings):
    twice = readings.selectExpr("t", "machine", "value", "value + 1 AS value")
    assert refusal(RULE, {"temp": twice}) == "input temp: two columns are called value; rename or drop one of them"
    named = Input(twice, args=["machine", "value"])
    assert "two columns are called value" in refusal(RULE, {"temp": named})
    room = readings.selectExpr("machine", "machine")
    assert "background room: two columns are called machine" in refusal(
        RULE, {"temp": readings}, background={"room": room}
    )


def test_names_that_differ_only_in_case_clash_unless_spark_is_case_sensitive(spark, readings):
    rows = readings.selectExpr("t", "machine", "value", "value AS Value")
    assert "Spark takes the columns value and Value for one" in refusal(RULE, {"temp": rows})
    strict = spark.newSession()
    strict.conf.set("spark.sql.caseSensitive", "true")
    table = strict.createDataFrame([(1, "m1", 120, 130)], "t long, machine string, value long, Value long")
    answers = reason(RULE, {"temp": Input(table, args=["machine", "Value"])}, time="t")
    assert [tuple(row) for row in answers["hot"].collect()] == [("m1", 1, 1)]


def test_answers_have_names_that_differ_in_more_than_case(spark, readings):
    other = spark.createDataFrame([(1, "m2")], "t long, MACHINE string")
    answers = reason("both(A, B) :- temp(A, _), other(B).", {"temp": readings, "other": other}, time="t")
    assert answers["both"].columns == ["machine", "MACHINE_", "since", "until"]
    keyed = spark.createDataFrame([(1, "m2", 3)], "t long, Since string, v long")
    lifted = reason("seen(V) :- temp(V).", {"temp": keyed}, time="t", key="Since")
    assert lifted["seen"].columns == ["Since_", "v", "since", "until"]


def test_inputs_of_which_the_program_reads_none_are_refused(spark, readings):
    stream = spark.readStream.format("rate").load().selectExpr("value AS t", "'m1' AS machine", "value")
    for table in (readings, stream):
        assert refusal(RULE, {"tmp": table}).startswith("the program reads none of the inputs tmp:")
