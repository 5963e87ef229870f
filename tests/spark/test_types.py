"""Every type that a column can have: kept exactly, or refused with a sentence, whatever the zone and the number of parts."""

from __future__ import annotations

import re
from functools import partial, reduce

import pytest
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark import await_termination, reason

VALUES = {
    "tinyint": ["-128", "0", "127"],
    "smallint": ["-32768", "7"],
    "int": ["-2147483648", "7"],
    "bigint": ["-9223372036854775808", "9007199254740993", "9007199254740992", "9223372036854775807"],
    "float": ["0.1", "-2.5", "1.0E10"],
    "double": ["0.1", "-0.30000000000000004", "1.0E300", "3.0"],
    "decimal(10,0)": ["1234567890", "-1"],
    "decimal(20,0)": ["9007199254740993", "9007199254740992", "99999999999999999999", "-99999999999999999999"],
    "decimal(38,0)": ["9000000000000000000", "9000000000000000001", "12345678901234567890123456789012345678"],
    "decimal(10,2)": ["0.10", "0.20", "99999999.99"],
    "decimal(15,5)": ["1234567890.12345", "-0.00001"],
    "string": ["''", "'1'", "'007'", "'2026-03-29T00:00:00Z'", "'true'"],
    "varchar(10)": ["'a b'"],
    "boolean": ["true", "false"],
    "date": ["'2026-03-29'", "'1969-12-31'", "'0001-01-03'"],
    "timestamp": ["'2026-03-29T00:30:00.250Z'", "'2026-03-29T00:30:00.750Z'", "'1969-12-31T23:59:59.5Z'", "'2026-10-25T00:30:00Z'", "'2026-10-25T01:30:00Z'"],
    "timestamp_ntz": ["'2026-03-29 03:30:00.000001'", "'2026-10-25 02:30:00'", "'1960-01-01 00:00:00'"],
    "interval day to second": ["'0 00:01:30.000001'", "'-1 00:00:00.5'"],
}  # fmt: skip
PROGRAM = "\n".join(f"q{i}(X) :- a{i}(X) in [5], b{i}(X) in [5], c{i}(X)." for i in range(len(VALUES)))
NOW = "timestamp'2026-03-29T00:00:00Z'"


LONG = pytest.mark.long


@pytest.fixture(params=["UTC", "Asia/Tokyo", "Europe/Berlin"])
def zone(spark, request):
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", request.param)
    yield request.param
    spark.conf.set("spark.sql.session.timeZone", before)


def frame(spark, kind: str) -> DataFrame:
    rows = ", ".join(f"({value})" for value in VALUES[kind])
    literal = "CAST(v AS string)" if kind != "string" else "v"
    return spark.sql(f"SELECT CAST({literal} AS {kind}) AS x, {NOW} AS ts FROM VALUES {rows} AS t(v)")


def texts(frames: dict[int, DataFrame]) -> set[tuple[int, str]]:
    """All values as text, which tells every two of a type apart; local times do not tell the hour that comes twice."""
    parts = [each.select(F.lit(i).alias("i"), text_of(each, "x").alias("x")) for i, each in frames.items()]
    return {tuple(row) for row in reduce(DataFrame.union, parts).collect()}


def text_of(table: DataFrame, column: str) -> Column:
    instant = F.unix_micros(column) if dict(table.dtypes)[column] == "timestamp" else F.col(column)
    return instant.cast("string")


@pytest.mark.parametrize(
    "zone", [pytest.param("UTC", marks=LONG), pytest.param("Asia/Tokyo", marks=LONG), "Europe/Berlin"], indirect=True
)
def test_a_value_comes_back_as_it_was_in_every_zone_and_every_part(spark, zone):
    """As an argument of two inputs that are joined on it, as the key, and in background data."""
    frames = {i: frame(spark, kind) for i, kind in enumerate(VALUES)}
    inputs = {f"{name}{i}": each for i, each in frames.items() for name in "ab"}
    background = {f"c{i}": each.select("x") for i, each in frames.items()}
    expected = texts(frames)
    assert len(expected) == sum(map(len, VALUES.values()))
    for buckets, slices in {"UTC": [(1, 1), (7, 2)], "Asia/Tokyo": [(2, 2)], "Europe/Berlin": [(7, 1)]}[zone]:
        answers = reason(PROGRAM, inputs, time="ts", background=background, buckets=buckets, slices=slices)
        assert "by key" in answers.cut
        assert texts({i: answers[f"q{i}"] for i in frames}) == expected
        for i, each in frames.items():
            assert dict(answers[f"q{i}"].dtypes)["x"] == dict(each.dtypes)["x"].replace("varchar(10)", "string")


@pytest.mark.parametrize("kind", ["float", "decimal(38,0)", "timestamp_ntz", "date"])
def test_a_key_that_the_program_does_not_mention_comes_back_unchanged(spark, kind):
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        lifted = reason("q :- a in [5].", {"a": frame(spark, kind)}, time="ts", key="x", buckets=7)["q"]
        assert texts({0: lifted}) == texts({0: frame(spark, kind)})
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def collect(found, names, rows, batch):
    found.update(map(tuple, rows.select(*[text_of(rows, name) for name in names]).collect()))


def test_a_stream_keeps_values_of_every_type_in_every_bucket(spark, tmp_path, zone):
    if zone != "Europe/Berlin":
        pytest.skip("one zone whose clocks change shows what goes wrong")
    columns = [f"CAST({values[i % len(values)]} AS {kind})" for kind, values in VALUES.items() for i in (0, 1, 2, 3)]
    rows = [columns[i::4] for i in range(4)]
    names = [f"x{i}" for i in range(len(VALUES))]
    selects = [", ".join(f"{cell} AS {name}" for cell, name in zip(row, names, strict=True)) for row in rows]
    table = reduce(DataFrame.union, (spark.sql(f"SELECT {each}, {NOW} AS ts") for each in selects)).coalesce(1)
    table.write.parquet(str(tmp_path / "in"))
    schema = spark.read.parquet(str(tmp_path / "in")).schema
    told = {}
    for buckets in (1, 2):
        stream = spark.readStream.schema(schema).parquet(str(tmp_path / "in"))
        args = ", ".join(name.upper() for name in names)
        place = str(tmp_path / f"state{buckets}")
        answers = reason(
            f"q({args}) :- a({args}) in [5].",
            {"a": stream},
            time="ts",
            key="x4",
            buckets=buckets,
            checkpoint=place,
            flush=True,
        )
        writer = answers["q"].writeStream.foreachBatch(partial(collect, told.setdefault(buckets, set()), names))
        writer = writer.option("checkpointLocation", place).trigger(availableNow=True)
        await_termination(writer.start())
        answers.flush()
        await_termination(writer.start())
    expected = spark.read.parquet(str(tmp_path / "in"))
    assert told[1] == told[2] == {tuple(r) for r in expected.select(*[text_of(expected, n) for n in names]).collect()}


def test_a_local_time_that_the_zone_skips_is_rejected(spark, zone):
    left_out = spark.sql(f"SELECT timestamp_ntz'2026-03-29 02:30:00' AS x, {NOW} AS ts")
    after = spark.sql(f"SELECT timestamp_ntz'2026-03-29 03:30:00' AS x, {NOW} AS ts")
    answers = reason("q(X) :- a(X) in [5].", {"a": left_out.union(after)}, time="ts", buckets=2)
    found = sorted(str(row["x"]) for row in answers["q"].collect())
    reasons = [row["reason"] for row in answers.rejects.collect()]
    if zone == "Europe/Berlin":
        assert found == ["2026-03-29 03:30:00"]
        assert reasons == ["x is a local time that the session's zone leaves out, when clocks are put forward"]
        with pytest.raises(LaserError, match="background c has a row that does not fit: x is 2026-03-29 02:30:00"):
            reason("q(X) :- a(X), c(X).", {"a": after}, time="ts", background={"c": left_out.select("x")})
    else:
        assert (found, reasons) == (["2026-03-29 02:30:00", "2026-03-29 03:30:00"], [])


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("binary('a')", "of type binary cannot be an argument"),
        ("null", "it contains only nulls and has no type"),
        ("array(1)", "cannot be an argument"),
        ("named_struct('a', 1)", "cannot be an argument"),
        ("map('a', 1)", "cannot be an argument"),
        ("CAST(1 AS decimal(20,2))", r"Cast it to decimal\(15,2\), double or string"),
    ],
)
def test_values_that_cannot_be_kept_are_refused_before_anything_runs(spark, expression, says):
    table = spark.sql(f"SELECT {expression} AS x, 1 AS t")
    with pytest.raises(LaserError, match=says):
        reason("q(X) :- a(X) in [5].", {"a": table}, time="t")
    with pytest.raises(LaserError, match=says):
        reason(
            "q(X) :- a(X) in [5], c(X).",
            {"a": spark.sql("SELECT 1 AS x, 1 AS t")},
            time="t",
            background={"c": table.select("x")},
        )


def test_a_time_column_of_every_type_gives_the_same_time_points(spark, zone):
    moments = {
        "timestamp": "timestamp'2026-03-29T02:00:05.9Z'",
        "timestamp_ntz": "CAST(timestamp'2026-03-29T02:00:05.9Z' AS timestamp_ntz)",
        "text with a zone": "'2026-03-29T02:00:05.9Z'",
        "text without one": "replace(CAST(timestamp'2026-03-29T02:00:05.9Z' AS string), ' ', 'T')",
    }
    for expression in moments.values():
        table = spark.sql(f"SELECT 1 AS x, {expression} AS ts")
        (row,) = reason("q(X, T) :- a(X) at T in [1].", {"a": table}, time="ts", until="2026-03-29T02:00:07Z")["q"].selectExpr(
            "unix_micros(since) AS since", "unix_micros(until) AS until", "unix_micros(T) AS t"
        ).collect()  # fmt: skip
        second = 1774749605 * 1_000_000
        assert tuple(row) == (second, second + 1_000_000, second)


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint"])
def test_a_time_may_be_an_integer_of_any_width(spark, kind):
    table = spark.sql(f"SELECT 1 AS x, CAST(7 AS {kind}) AS t")
    assert [tuple(row) for row in reason("q(X) :- a(X) in [1].", {"a": table}, time="t", until=9)["q"].collect()] == [
        (1, 7, 8)
    ]


@pytest.mark.parametrize("kind", ["float", "double", "decimal(10,0)", "boolean", "binary", "array<int>", "void"])
def test_what_is_not_a_time_is_refused(spark, kind):
    table = spark.sql(f"SELECT 1 AS x, CAST(NULL AS {kind}) AS t")
    with pytest.raises(
        LaserError, match=rf"input a: column t of type {re.escape(kind)} is not a time: it must be an integer"
    ):
        reason("q(X) :- a(X) in [1].", {"a": table}, time="t")


def test_a_start_without_a_zone_is_in_the_sessions_zone_as_the_data_are(spark, zone):
    table = spark.sql("SELECT 1 AS x, timestamp_ntz'2026-01-01 00:00:05' AS ts")
    answers = reason(
        "q(X) :- a(X) in [1].", {"a": table}, time="ts", start="2026-01-01T00:00:00", until="2026-01-01T00:00:09"
    )
    (row,) = answers["q"].selectExpr("CAST(since AS string)", "CAST(until AS string)").collect()
    assert tuple(row) == ("2026-01-01 00:00:05", "2026-01-01 00:00:06")


def test_days_are_those_of_the_zone_or_refused(spark, zone):
    table = spark.sql("SELECT 1 AS x, date'2026-01-02' AS day")
    if zone == "UTC":
        (row,) = reason("q(X) :- a(X) in [0].", {"a": table}, time="day", tick="1 d")["q"].collect()
        assert row["since"].isoformat() == "2026-01-02T00:00:00"
    else:
        with pytest.raises(LaserError, match="no time point would begin at midnight there"):
            reason("q(X) :- a(X) in [0].", {"a": table}, time="day", tick="1 d")


def test_instants_of_arguments_are_not_cut_to_the_tick(spark):
    table = spark.sql("SELECT timestamp'2026-01-01T00:59:00Z' AS due, timestamp'2026-01-01T00:10:00Z' AS ts")
    answers = reason("late(D) :- task(D) at T in [1 h], D > T, D - T < 1 h.", {"task": table}, time="ts", tick="1 h")
    assert [row[0].isoformat() for row in answers["late"].collect()] == ["2026-01-01T00:59:00"]
    assert answers["late"].dtypes[0] == ("due", "timestamp")


def test_instants_come_back_as_such_where_times_are_numbers(spark):
    table = spark.sql("SELECT timestamp'2026-01-01T00:59:00.25Z' AS due, 7 AS t")
    answers = reason("q(D) :- task(D) in [1].", {"task": table}, time="t")
    assert answers["q"].dtypes == [("due", "timestamp"), ("since", "bigint"), ("until", "bigint")]
    assert [row[0].isoformat() for row in answers["q"].collect()] == ["2026-01-01T00:59:00.250000"]


def test_odd_times_are_rejected_with_their_text(spark):
    odd = ["12:30", "2026", "soon", "2026-02-30", "1969-12-31T23:59:59.5Z", ""]
    table = spark.createDataFrame(
        [(i, text) for i, text in enumerate([*odd, "2026-01-01T00:00:00Z"])], "x int, ts string"
    )
    answers = reason("q(X) :- a(X) in [1].", {"a": table}, time="ts")
    assert [row["x"] for row in answers["q"].collect()] == [len(odd)]
    reasons = [row["reason"] for row in answers.rejects.collect()]
    assert [text in why for text, why in zip(odd, reasons, strict=True)] == [True] * len(odd)
    assert "lies before 1970" in reasons[4]


def test_intervals_that_end_before_they_begin_are_rejected(spark):
    table = spark.createDataFrame([(1, 3, 5), (2, 5, 3)], "x int, since int, until int")
    answers = reason("q(X) :- a(X).", {"a": table})
    assert [tuple(row) for row in answers["q"].collect()] == [(1, 3, 5)]
    assert [row["reason"] for row in answers.rejects.collect()] == ["until lies before since"]
