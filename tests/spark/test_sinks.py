"""Sinks by name: what is refused, and what a function of the user's and a format of Spark's are given."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner

from laser.cli import main
from laser.errors import LaserError
from laser.pipeline import Sink, read_pipeline
from laser.spark import KafkaSink, PostgresSink, await_termination, reason
from laser.spark.checkpoint import Checkpoint
from laser.spark.kafka_sink import _messages
from laser.spark.named_sinks import read_sinks
from laser.spark.postgres_sink import _check_names, _type
from laser.spark.sink import Changes
from laser.spark.sinks import LinesOnce

PIPELINE = """
program = "rules.lars"
follow = true
every = "once"
flush = "last"
checkpoint = "state"

[inputs.temp]
path = "in"
format = "csv"
time = "t"

[sinks.mine]
call = "laser_test_sink:take"
predicates = ["hot"]

[sinks.files]
format = "jsonl"
path = "files"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[sinks]\na = 3", "sinks.a = 3 is not a table"),
        ("[sinks.a]\npath = 'x'", "sinks.a needs a format"),
        ("[sinks.a]\nformat = 'kafka'\ntopic = 'x'", "there is no setting sinks.a.topic"),
        ("[sinks.a]\nformat = 'kafka'\noptions = {topic = 'x'}", 'sinks.a needs the option "kafka.bootstrap.servers"'),
        ("[sinks.a]\nformat = 'postgresql'", 'sinks.a needs the option "url"'),
        ("[sinks.a]\nformat = 'postgresql'\noptions = {url = 'u', table = 'x'}", "PostgreSQL has no option table"),
        ("[sinks.a]\ncall = 'no_such_module:f'", "No module named 'no_such_module'"),
        ("[sinks.a]\ncall = 'json:__name__'", "is not a function"),
    ],
)
def test_the_error_of_an_invalid_sink_says_what_is_missing(text, message):
    with pytest.raises(LaserError) as caught:
        read_sinks(read_pipeline("p.toml", text).sinks)
    assert message in str(caught.value)


def test_sinks_are_what_the_file_says():
    options = {"kafka.bootstrap.servers": "b:9092", "topic": "changes", "kafka.acks": "all"}
    postgres = Sink("postgresql", options={"url": "postgresql://h/d", "schema": "plant"}, predicates=("hot",))
    assert read_sinks({"k": Sink("kafka", options=options), "p": postgres}) == [
        (KafkaSink("b:9092", "changes", {"kafka.acks": "all"}), ()),
        (PostgresSink("postgresql://h/d", "plant"), ("hot",)),
    ]


def test_sinks_need_a_stream():
    text = 'program = "r"\n[inputs]\ntemp = "in"\n[sinks.a]\nformat = "console"\n'
    with pytest.raises(LaserError, match="sinks work only with --follow"):
        read_pipeline("p.toml", text).checked()


def test_a_function_and_a_format_receive_the_changes_of_each_micro_batch(spark, tmp_path, monkeypatch):
    (tmp_path / "laser_test_sink.py").write_text(
        "taken = []\ndef take(changes, batch):\n"
        "    taken.extend((batch, name, *row) for name, rows in changes.items() for row in rows.collect())\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("t,machine,value\n1,m1,95\n2,m1,20\n5,m2,99\n", "utf-8")
    (tmp_path / "rules.lars").write_text(
        "hot(M) :- temp(M, V), V > 90. seen :- temp(_, _). never :- temp(_, V), V > 200.\n", "utf-8"
    )
    (tmp_path / "run.toml").write_text(PIPELINE, "utf-8")
    result = CliRunner().invoke(main, ["run", str(tmp_path / "run.toml")], prog_name="laser")
    assert result.exit_code == 0, result.output
    taken = sys.modules["laser_test_sink"].taken
    assert sorted(row[1:] for row in taken) == [
        ("hot", "m1", 1, True), ("hot", "m1", 2, False), ("hot", "m2", 5, True),
    ]  # fmt: skip
    lines = [
        json.loads(line)
        for file in (tmp_path / "files" / "hot").glob("*.json")
        for line in file.read_text("utf-8").splitlines()
    ]
    assert sorted((row["batch"], row["machine"], row["time"], row["holds"]) for row in lines) == sorted(
        (batch, *row) for batch, _, *row in taken
    )
    assert list((tmp_path / "files" / "seen").glob("*.json"))
    assert not (tmp_path / "files" / "never").exists(), "what did not change is not written"
    (tmp_path / "other.toml").write_text(PIPELINE.replace('["hot"]', '["cold"]').replace('"state"', '"other"'), "utf-8")
    result = CliRunner().invoke(main, ["run", str(tmp_path / "other.toml")], prog_name="laser")
    assert result.exit_code == 1
    assert "sinks.mine: the program does not derive cold; it derives hot, never, seen" in result.output


def test_a_message_has_the_change_and_its_key_the_predicate_and_the_key(spark):
    rows = spark.sql("SELECT 'm1' AS machine, 1.5D AS v, timestamp'2026-01-01T00:00:00Z' AS time, true AS holds")
    (row,) = _messages(Changes("hot", rows, "machine")).collect()
    assert json.loads(row["key"]) == {"predicate": "hot", "machine": "m1"}
    change = {"predicate": "hot", "machine": "m1", "v": 1.5, "time": "2026-01-01T00:00:00.000Z", "holds": True}
    assert json.loads(row["value"]) == change
    (row,) = _messages(Changes("hot", rows, None)).collect()
    assert json.loads(row["key"]) == {"predicate": "hot"}


def test_the_writer_of_answers_is_for_a_query_in_python(spark, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.json").write_text('{"t": 1, "x": 5}\n{"t": 9, "x": 7}\n', "utf-8")
    stream = spark.readStream.schema("t long, x long").json(str(tmp_path / "in"))
    answers = reason("q(X) :- p(X). r(X) :- p(X), X > 9.", {"p": stream}, time="t", buckets=1)
    taken = []

    class Taker:
        def write(self, changes, batch):
            taken.append((batch.query, {each.predicate: (each.key, each.is_empty) for each in changes}))

    writer = answers.table.writeStream.foreachBatch(answers.writer(Taker()))
    query = writer.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True).start()
    await_termination(query)
    told = {key: value for _, found in taken for key, value in found.items() if not value[1]}
    assert told == {"q": ("x", False)}
    assert {name for name, _ in taken} == {str(query.id)}


def test_columns_have_types_of_postgresql_and_tables_names_of_their_own():
    kinds = ["tinyint", "int", "bigint", "double", "decimal(10,2)", "string", "timestamp", "date", "boolean"]
    assert list(map(_type, kinds)) == [
        "smallint", "integer", "bigint", "double precision", "numeric(10,2)", "text", "timestamptz", "date", "boolean",
    ]  # fmt: skip
    with pytest.raises(LaserError, match="two predicates would share the table a_changes"):
        _check_names(["a", "a_changes", "a_changes", "a_changes_changes"])
    with pytest.raises(LaserError, match="which has at most 63 bytes"):
        _check_names(["ä" * 32])


def test_lines_of_a_repeated_micro_batch_are_written_once(spark, tmp_path):
    lines = LinesOnce(str(tmp_path / "late.jsonl"), Checkpoint(spark, str(tmp_path / "state")), "late")

    def rows(*numbers):
        return spark.createDataFrame([(n,) for n in numbers], "n int").coalesce(1)

    lines.write(rows(1, 2), 0)
    lines.write(rows(3), 4)
    with open(tmp_path / "late.jsonl", "a", encoding="utf-8") as file:
        file.write('{"n": ')  # a run that was killed while it wrote
    for _ in range(2):
        lines.write(rows(3, 5), 4)
        lines.write(rows(), 5)
    found = [json.loads(line)["n"] for line in (tmp_path / "late.jsonl").read_text("utf-8").splitlines()]
    assert found == [1, 2, 3, 5]
