"""The end of a finite stream: what is flushed is answered, as if it had been a table."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from click.testing import CliRunner

from laser import LaserError, StateError
from laser.cli import main
from laser.spark import await_termination, reason
from tests.spark.streams import Told, write_file

RULE = "hot(X) :- temp(X) in [3], X > 100."


def put(place, number, *rows):
    arrays = [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)]
    write_file(pa.table(arrays, ["t", "x"]), place, number)


def changes(told):
    return sorted((row["time"], row["holds"], row["long0"]) for row in told.rows if row["tag"] >= 0)


def test_a_flushed_stream_answers_up_to_the_last_row_closes_its_windows_and_can_continue(spark, tmp_path):
    checkpoint = str(tmp_path / "state")
    told = Told()

    def stream():
        read = spark.readStream.schema("t long, x long").parquet(str(tmp_path / "in"))
        return reason(RULE, {"temp": read}, time="t", lateness=5, buckets=1, checkpoint=checkpoint, flush=True)

    put(tmp_path / "in", 0, (1, 120), (7, 50), (9, 130))
    told.drain(stream().table, checkpoint)
    assert changes(told) == [(1, True, 120)]
    assert stream().flush() == 9
    told.drain(stream().table, checkpoint)
    assert changes(told) == [(1, True, 120), (5, False, 120), (9, True, 130)]
    assert stream().flush("closed") == 13
    told.drain(stream().table, checkpoint)
    assert changes(told)[3:] == [(13, False, 130)]
    put(tmp_path / "in", 1, (13, 140), (14, 150))
    told.drain(stream().table, checkpoint)
    assert [row["note"] for row in told.rows if row["tag"] < 0] == ["temp(140)"]
    assert stream().flush(16) == 16
    told.drain(stream().table, checkpoint)
    assert changes(told)[4:] == [(14, True, 150)]


def test_a_stream_that_cannot_be_flushed_says_why(spark, tmp_path):
    put(tmp_path / "in", 0, (1, 120))
    inputs = {"temp": spark.readStream.schema("t long, x long").parquet(str(tmp_path / "in"))}
    with pytest.raises(LaserError, match="give checkpoint=… too"):
        reason(RULE, inputs, time="t", flush=True)
    plain = reason(RULE, inputs, time="t")
    with pytest.raises(LaserError, match="made with flush=True"):
        plain.flush()
    with pytest.raises(StateError, match="has not had a row yet"):
        reason(RULE, inputs, time="t", flush=True, checkpoint=str(tmp_path / "none")).flush()
    query = plain.table.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "plain"))
    await_termination(query.trigger(availableNow=True).start())
    with pytest.raises(StateError, match="the checkpoint was made without flush"):
        reason(RULE, inputs, time="t", flush=True, checkpoint=str(tmp_path / "plain"))
    endless = reason(
        "q(X) :- temp(X) at T, T < 3.",
        inputs,
        time="t",
        unbounded=True,
        flush=True,
        checkpoint=str(tmp_path / "plain2"),
    )
    query = endless.table.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "plain2"))
    await_termination(query.trigger(availableNow=True).start())
    with pytest.raises(LaserError, match="its windows never close"):
        endless.flush("closed")


def test_laser_run_flushes_a_stream_of_several_inputs(spark, tmp_path):
    (tmp_path / "rules.lars").write_text("both(X) :- a(X) in [5 s], b(X) in [5 s].", "utf-8")
    for name, rows in {"a": [(0, 1), (7, 2), (20, 3)], "b": [(1, 1), (9, 2)]}.items():
        (tmp_path / name).mkdir()
        lines = ["ts,x", *(f"2026-01-01T00:00:{s:02d}Z,{x}" for s, x in rows)]
        (tmp_path / name / "0.csv").write_text("\n".join(lines) + "\n", "utf-8")
    flags = ["--program", tmp_path / "rules.lars", "--input", f"a={tmp_path}/a", "--input", f"b={tmp_path}/b"]
    flags += [
        "--input-format",
        "csv",
        "--time",
        "ts",
        "--follow",
        "--every",
        "once",
        "--checkpoint",
        tmp_path / "state",
    ]
    flags += ["--lateness", "10 s", "-o", tmp_path / "out", "--format", "jsonl"]

    def run(*more):
        return CliRunner().invoke(main, ["run", *map(str, [*flags, *more])], prog_name="laser")

    result = run("--flush", "last")
    assert result.exit_code == 0, result.output
    assert "nothing more will come up to 2026-01-01T00:00:20Z" in result.output
    lines = [line for file in (tmp_path / "out").rglob("*.json") for line in file.read_text("utf-8").splitlines()]
    told = sorted((row["time"][17:19], row["holds"], row["x"]) for row in map(json.loads, lines))
    assert told == [("01", True, 1), ("06", False, 1), ("09", True, 2), ("13", False, 2)]


def test_flush_needs_a_stream_that_ends(tmp_path):
    rules = tmp_path / "rules.lars"
    rules.write_text("q :- a.\n")
    flags = ["--program", str(rules), "--input", "a=a", "--follow", "--checkpoint", "state", "--flush", "last"]
    result = CliRunner().invoke(main, ["run", *flags], prog_name="laser")
    assert result.exit_code == 1
    assert "--every once" in result.output
