"""Messages of a broker as rows, and columns that are computed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from laser.cli import main
from laser.errors import LaserError
from laser.pipeline import Table, read_pipeline
from laser.spark.messages import read_messages
from laser.spark.sources import REASON, ROW
from laser.spark.tables import Uses, read_table

SCHEMA = {"machine": "string", "v": "double", "ts": "timestamp"}


def messages(spark, *texts):
    rows = [(b"k%d" % i, None if text is None else text.encode(), i) for i, text in enumerate(texts)]
    return spark.createDataFrame(rows, "key binary, value binary, offset long")


def found(table):
    return [row.asDict() for row in table.drop("ts").orderBy("offset").collect()]


def test_messages_have_the_columns_of_the_schema_and_those_of_the_broker(spark):
    good = '{"machine": "m1", "v": 1.5, "ts": "2026-01-01T00:00:00Z", "more": []}'
    odd = '{"machine": "m2", "v": "hot", "ts": "2026-01-01T00:00:00Z"}'
    table = read_messages(messages(spark, good, odd, "no", None, '{"machine": "m3"}'), "json", SCHEMA)
    assert table.columns == ["machine", "v", "ts", "key", "offset", REASON, ROW]
    rows = found(table)
    assert rows[0] == {"machine": "m1", "v": 1.5, "key": "k0", "offset": 0, REASON: None, ROW: good}
    assert [row[REASON] for row in rows[1:]] == [
        "v is 'hot', which is not a number", "the message is not JSON", "the message is not JSON", None,
    ]  # fmt: skip
    assert rows[1][ROW] == odd


def test_messages_may_be_csv_or_text(spark):
    rows = found(read_messages(messages(spark, "m1,1.5,2026-01-01", "m2"), "csv", SCHEMA))
    assert [(row["machine"], row["v"]) for row in rows] == [("m1", 1.5), ("m2", None)]
    assert [row["value"] for row in found(read_messages(messages(spark, "a b"), "text", {}))] == ["a b"]


def test_missing_settings_of_messages_are_named(spark):
    with pytest.raises(LaserError, match="which columns do its messages have"):
        read_messages(messages(spark, "x"), "json", {})
    with pytest.raises(LaserError, match="the formats are json, csv, text and avro"):
        read_messages(messages(spark, "x"), "xml", SCHEMA)
    with pytest.raises(LaserError, match="has no column value with messages; its columns are key"):
        read_messages(messages(spark, "x").select("key"), "json", SCHEMA)
    with pytest.raises(
        LaserError, match=r"its connector is missing. Name it as a package \(org.apache.spark:spark-sql-kafka"
    ):
        read_table(spark, Table("", "kafka", options={"subscribe": "a"}), True, Uses())
    with pytest.raises(LaserError, match="Spark does not know the format nothing"):
        read_table(spark, Table("", "nothing"), False, Uses())


def test_columns_may_be_expressions_of_nested_ones_and_the_time_too(spark, tmp_path):
    """As `laser run` reads them; messages in files stand for a broker."""
    texts = [json.dumps({"id": f"m{i}", "payload": {"v": str(90 + i)}, "at": 1767225600 + i}) for i in range(3)]
    messages(spark, *texts, "no").write.parquet(str(tmp_path / "in"))
    (tmp_path / "rules.lars").write_text("hot(M, V) :- temp(M, V), V > 90.\n", "utf-8")
    (tmp_path / "run.toml").write_text(
        'program = "rules.lars"\noutput = "out"\nformat = "jsonl"\nrejects = "rejects.jsonl"\n[inputs.temp]\npath = "in"\nvalue = "json"\n'
        'schema = {id = "string", payload = "struct<v:string>", at = "bigint"}\ntime = "ts"\n'
        'columns = {machine = "upper(id)", value = "cast(payload.v as double)", ts = "timestamp_seconds(at)"}\n',
        "utf-8",
    )
    result = CliRunner().invoke(main, ["run", str(tmp_path / "run.toml")], prog_name="laser")
    assert result.exit_code == 0, result.output
    rows = [
        json.loads(line) for file in (tmp_path / "out").rglob("*.json") for line in file.read_text("utf-8").splitlines()
    ]
    assert sorted((row["machine"], row["value"], row["since"]) for row in rows) == [
        ("M1", 91.0, "2026-01-01T00:00:01.000Z"),
        ("M2", 92.0, "2026-01-01T00:00:02.000Z"),
    ]
    assert [json.loads(line)["row"] for line in (tmp_path / "rejects.jsonl").read_text("utf-8").splitlines()] == ["no"]
    broken = (tmp_path / "run.toml").read_text("utf-8").replace("upper(id)", "upper(name)")
    (tmp_path / "broken.toml").write_text(broken, "utf-8")
    result = CliRunner().invoke(main, ["run", str(tmp_path / "broken.toml"), "--overwrite"], prog_name="laser")
    assert result.exit_code == 1
    assert "the columns of" in result.output
    assert "name" in result.output


def test_declared_inputs_give_the_columns_of_messages(spark, tmp_path):
    messages(spark, '{"machine": "m1", "value": 95, "ts": "2026-01-01T00:00:00Z"}').write.parquet(str(tmp_path / "in"))
    (tmp_path / "rules.lars").write_text(
        "#input temp(machine: string, value: number).\nhot(M) :- temp(M, V), V > 90.\n", "utf-8"
    )
    (tmp_path / "run.toml").write_text(
        'program = "rules.lars"\n[inputs.temp]\npath = "in"\nvalue = "json"\ntime = "ts"\n', "utf-8"
    )
    result = CliRunner().invoke(main, ["run", str(tmp_path / "run.toml")], prog_name="laser")
    assert result.exit_code == 0, result.output
    assert "hot(m1)" in result.output


def test_an_expression_must_be_a_string():
    with pytest.raises(LaserError, match=r"inputs.temp.columns.v = 3 is not a string with an SQL expression"):
        read_pipeline("p.toml", 'program = "r"\n[inputs.temp]\npath = "in"\ncolumns = {v = 3}\n')
