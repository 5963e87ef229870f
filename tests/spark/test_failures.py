"""What goes wrong in a stream is said in one sentence: before the query starts where possible, and in its first line else."""

from __future__ import annotations

import fcntl
import os
import sys

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyspark.errors import StreamingQueryException

from laser import LaserError, StateError
from laser.cli import main
from laser.spark import await_termination, explain_failure, reason, session
from laser.spark.cluster import ask_workers
from laser.spark.failures import KNOWN
from tests.spark.streams import write_file

RULE = "hot(X) :- temp(X) in [3], X > 100."
OTHER = RULE.replace("100", "101")
FAR = "far(Y) :- temp(X), Y = X * 100000000000000000000."


def put(place, rows, number, kind=None):
    columns = {"t": pa.array([t for t, _ in rows], pa.int64()), "x": pa.array([x for _, x in rows], kind or pa.int64())}
    write_file(pa.table(columns), place, number)


def follow(spark, place):
    return spark.readStream.schema("t long, x long").parquet(str(place))


def start(answers, checkpoint):
    table = answers.table.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    return table.trigger(availableNow=True).start()


@pytest.fixture(scope="module")
def begun(spark, tmp_path_factory):
    """A stream that has been under way, with something new to read."""
    base = tmp_path_factory.mktemp("failures")
    put(base / "in", [(1, 120), (9, 5)], 0)
    await_termination(start(reason(RULE, {"temp": follow(spark, base / "in")}, time="t", buckets=2), base / "state"))
    put(base / "in", [(12, 120)], 1)
    return base


@pytest.mark.parametrize(
    ("program", "buckets", "sentence"),
    [
        (OTHER, 2, "the checkpoint belongs to another program: its rules"),
        (RULE, 3, "the checkpoint was made with 2 buckets, and now there are 3: give buckets=2"),
    ],
)
def test_the_first_line_of_the_error_says_why_a_checkpoint_does_not_fit(spark, begun, program, buckets, sentence):
    inputs = {"temp": follow(spark, begun / "in")}
    query = start(reason(program, inputs, time="t", buckets=buckets), begun / "state")
    with pytest.raises(LaserError) as caught:
        await_termination(query)
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value.__context__, StreamingQueryException)
    assert sentence in str(caught.value.__context__).splitlines()[0]
    assert explain_failure(query) == str(caught.value)
    with pytest.raises(StateError, match=sentence):
        reason(program, inputs, time="t", buckets=buckets, checkpoint=str(begun / "state"))


def test_the_number_of_buckets_is_taken_from_the_checkpoint(spark, begun):
    answers = reason(RULE, {"temp": follow(spark, begun / "in")}, time="t", checkpoint=str(begun / "state"))
    assert answers.prepared.job.partition.buckets == 2
    new = reason(RULE, {"temp": follow(spark, begun / "in")}, time="t", checkpoint=str(begun / "new"), buckets=5)
    assert new.prepared.job.partition.buckets == 5


def test_the_first_line_of_the_error_names_a_value_too_large_for_its_column(spark, begun):
    query = start(reason(FAR, {"temp": follow(spark, begun / "in")}, time="t", buckets=1), begun / "far")
    with pytest.raises(LaserError, match=r"^column y of far/1 is bigint") as caught:
        await_termination(query)
    assert "column y of far/1 is bigint" in str(caught.value.__context__).splitlines()[0]
    table = spark.read.schema("t long, x long").parquet(str(begun / "in"))
    with pytest.raises(Exception, match="Python worker") as raised:
        reason(FAR, {"temp": table}, time="t", buckets=1)["far"].collect()
    assert explain_failure(raised.value) == str(caught.value)
    assert "Traceback" not in str(raised.value)


def test_files_that_cannot_be_read_are_named(spark, tmp_path):
    put(tmp_path / "types", [(13, "ab")], 0, pa.string())
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "0000.parquet").write_bytes(b"PAR1 nothing")
    for name, said in (("types", "Parquet column [x]"), ("broken", "error while reading file")):
        query = start(
            reason(RULE, {"temp": follow(spark, tmp_path / name)}, time="t", buckets=1), tmp_path / "s" / name
        )
        with pytest.raises(LaserError) as caught:
            await_termination(query)
        assert said in str(caught.value)
        assert f"{name}/0000.parquet" in str(caught.value)
        assert len(str(caught.value)) < 300


def test_errors_of_spark_are_reduced_to_their_message():
    line = "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: [A.B_C] It broke.  SQLSTATE: KD001 SQLSTATE: XXKST\nPlan"
    assert explain_failure(Exception(line)) == "It broke."
    worker = "x: Traceback (most recent call last):\n  File a\nValueError: odd\n=== Streaming Query ===\nCurrent: 1"
    assert explain_failure(Exception(worker)) == "a worker failed: ValueError: odd"
    for words, meaning in KNOWN.items():
        assert explain_failure(Exception(f"[X] …\nModuleNotFoundError: {words}\n")) == meaning


def test_answers_of_a_stream_are_not_the_input_of_another_program(spark, begun):
    answers = reason(RULE, {"temp": follow(spark, begun / "in")}, time="t")
    for table in (answers["hot"], answers["hot"].where("holds").selectExpr("time + 0 AS time", "x")):
        with pytest.raises(LaserError, match="input hot comes from the answers of another stream"):
            reason("alarm(X) :- hot(X).", {"hot": table.drop("holds")}, time="time")


BARE = """
import sys
from pathlib import Path
sys.path[:] = [path for path in sys.path if not (Path(path) / "laser" / "__init__.py").exists()]
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in getattr(finder, "__module__", "")]
"""


def test_workers_without_the_package_are_found_before_data_are_read(spark, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(BARE, "utf-8")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path}:$PYTHONPATH exec {sys.executable} "$@"\n', "utf-8")
    python.chmod(0o755)
    assert ask_workers(spark) == spark.sparkContext.defaultParallelism
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    with pytest.raises(LaserError, match="a worker does not have the package laser-reasoner: install"):
        ask_workers(spark.newSession())


def test_spark_connect_is_not_a_master():
    with pytest.raises(LaserError, match=r"sc://host is a server of Spark Connect, .* SparkSession.builder.remote"):
        session("sc://host")


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [("state/laser.lock", "another run uses the checkpoint"), ("out", "another run writes to the output")],
)
def test_a_second_run_on_a_checkpoint_or_an_output_is_refused(tmp_path, lock, sentence):
    (tmp_path / "rules.lars").write_text(RULE, "utf-8")
    (tmp_path / "state").mkdir()
    (tmp_path / "out").mkdir()
    command = ["run", "--program", str(tmp_path / "rules.lars"), "--input", f"temp={tmp_path}/in", "--follow"]
    command += ["--checkpoint", str(tmp_path / "state"), "-o", str(tmp_path / "out")]
    held = os.open(tmp_path / lock, os.O_RDONLY if lock == "out" else os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = CliRunner().invoke(main, command, prog_name="laser")
    finally:
        os.close(held)
    assert result.exit_code == 1
    assert sentence in result.output
    assert "Traceback" not in result.output
    assert not list((tmp_path / "out").iterdir())
