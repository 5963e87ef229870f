"""Rows that lie ahead of the clock: a year that is wrong must neither end a stream nor stretch a history in silence."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from laser import LaserError
from laser.cli import main
from laser.spark import reason

RULE = "hot(M) :- temp(M, V) in [3], V > 100."
NOW = datetime.now(UTC).replace(microsecond=0)


def at(**ahead):
    return (NOW + timedelta(**ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")


def readings(spark, *rows):
    return spark.createDataFrame(list(rows), "ts string, machine string, value long")


def test_a_stream_rejects_rows_more_than_a_day_ahead(spark, tmp_path):
    (tmp_path / "rules.lars").write_text(RULE, "utf-8")
    (tmp_path / "in").mkdir()
    rows = [at(hours=-2), "2099-01-01T00:00:00Z", at(hours=-1), at(hours=20), at(hours=30)]
    lines = [f"{ts},m{i},120" for i, ts in enumerate(rows)]
    for number, line in enumerate(lines):
        (tmp_path / "in" / f"{number}.csv").write_text(f"ts,machine,value\n{line}\n", "utf-8")
    flags = [
        "--program",
        tmp_path / "rules.lars",
        "--input",
        f"temp={tmp_path}/in",
        "--input-format",
        "csv",
        "--time",
        "ts",
    ]
    flags += ["--schema", "temp=ts timestamp,machine string,value long", "--follow", "--every", "once"]
    flags += ["--checkpoint", tmp_path / "state", "-o", tmp_path / "out", "--format", "jsonl"]
    flags += ["--rejects", tmp_path / "rejects.jsonl"]
    result = CliRunner().invoke(main, ["run", *map(str, flags)], prog_name="laser")
    assert result.exit_code == 0, result.output
    assert "2 rejected" in result.output
    rejected = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text("utf-8").splitlines()]
    assert {row["reason"] for row in rejected} == {"ts is more than 1 d ahead of the clock"}
    assert sorted(json.loads(row["row"])["machine"] for row in rejected) == ["m1", "m4"]
    told = [line for file in (tmp_path / "out").rglob("*.json") for line in file.read_text("utf-8").splitlines()]
    begun = {json.loads(line)["machine"] for line in told if json.loads(line)["holds"]}
    assert {"m0", "m2"} <= begun <= {"m0", "m2", "m3"}  # m3 is the last, for which nothing later came


def test_a_batch_accepts_rows_ahead_with_a_warning_unless_a_limit_is_set(spark, caplog):
    table = readings(spark, (at(hours=-1), "m1", 120), ("2099-01-01T00:00:00Z", "m2", 120))
    with caplog.at_level(logging.WARNING, "laser"):
        answers = reason(RULE, {"temp": table}, time="ts")
    assert sorted(row["machine"] for row in answers["hot"].collect()) == ["m1", "m2"]
    assert "the last row is dated 2099-01-01T00:00:00Z, which is ahead of the clock" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, "laser"):
        limited = reason(RULE, {"temp": table}, time="ts", max_ahead="2 h")
        reason(RULE, {"temp": table}, time="ts", until=at(hours=1))
    assert [row["machine"] for row in limited["hot"].collect()] == ["m1"]
    assert [row["reason"] for row in limited.rejects.collect()] == ["ts is more than 2 h ahead of the clock"]
    assert not caplog.text


def test_the_limit_is_exact(spark):
    table = readings(spark, (at(hours=-1), "m1", 120), (at(hours=5), "m2", 120), (at(hours=9), "m3", 120))
    for limit, found in [("0 s", ["m1"]), (7 * 3600, ["m1", "m2"]), ("off", ["m1", "m2", "m3"])]:
        answers = reason(RULE, {"temp": table}, time="ts", max_ahead=limit)
        assert sorted(row["machine"] for row in answers["hot"].collect()) == found


def test_max_ahead_needs_dates(spark):
    table = spark.createDataFrame([(10**12, "m1", 120)], "t long, machine string, value long")
    with pytest.raises(
        LaserError, match=r"max_ahead compares times with the clock, .* those of input temp are numbers"
    ):
        reason(RULE, {"temp": table}, time="t", max_ahead="1 d")
    with pytest.raises(LaserError, match="max_ahead cannot be negative"):
        reason(RULE, {"temp": readings(spark, (at(), "m1", 1))}, time="ts", max_ahead=-1)
