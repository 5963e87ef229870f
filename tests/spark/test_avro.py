"""Messages and files in Avro: what is read, what is rejected, and what is said if something is missing."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from laser.errors import LaserError
from laser.pipeline import Table, read_pipeline
from laser.spark import read_messages
from laser.spark.avro import avro_fields
from laser.spark.tables import Uses, read_table
from tests.spark.avro_bytes import double, file, integer, text
from tests.spark.servers import AVRO, MissingServerError, jars

FIRST = 1_767_225_600_000
"""2026-01-01 in milliseconds."""
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}


def schema(**fields):
    return json.dumps(
        {"type": "record", "name": "Reading", "fields": [{"name": n, "type": k} for n, k in fields.items()]}
    )


OLD = schema(machine="string", v="int", ts=MILLIS)
NEW = json.dumps({**json.loads(OLD), "fields": [
    {"name": "machine", "type": "string"}, {"name": "v", "type": "double"}, {"name": "ts", "type": MILLIS},
    {"name": "place", "type": ["null", "string"], "default": None},
]})  # fmt: skip
TEMP = schema(machine="string", v=["null", "double"], ts=MILLIS)
PIPELINE = """
program = "rules.lars"
follow = true
every = "once"
flush = "last"
checkpoint = "state"
time = "ts"
output = "out"
format = "jsonl"
rejects = "rejects.jsonl"

[inputs.temp]
path = "temp"
format = "parquet"
value = "avro"
avro_schema = "temp.avsc"

[inputs.level]
path = "level"
format = "parquet"
value = "avro"
avro_schemas = {7 = "old.avsc", 8 = '''NEW'''}
columns = ["machine", "v"]

[inputs.file]
path = "file"
format = "avro"
columns = ["machine", "v"]

[spark]
"spark.jars" = "JARS"
"""


def reading(machine, second):
    return text(machine), integer(FIRST + 1000 * second)


def temp(machine, second, v):
    name, time = reading(machine, second)
    return name + (integer(0) if v is None else integer(1) + double(v)) + time


def numbered(number, message):
    return b"\0" + number.to_bytes(4, "big") + message


def old(machine, second, v):
    name, time = reading(machine, second)
    return name + integer(v) + time


def new(machine, second, v):
    name, time = reading(machine, second)
    return name + double(v) + time + integer(1) + text("hall")


def write_messages(place, *messages):
    place.mkdir()
    pq.write_table(pa.table({"value": pa.array(messages, pa.binary())}), place / "0.parquet")


@pytest.fixture(scope="module")
def connector():
    try:
        return ",".join(map(str, jars("avro", AVRO, alone=True)))
    except MissingServerError as missing:
        pytest.skip(str(missing))


def test_a_stream_reads_avro_by_one_schema_by_numbered_ones_and_from_files_and_rejects_what_is_broken(
    connector, tmp_path
):
    huge = integer(2**31 - 20)  # as the length of a text, this is two gigabytes
    good = temp("m1", 0, 95.0)
    write_messages(
        tmp_path / "temp", good, b"garbage", good[:7], temp("m2", 1, None), huge, b"", None, temp("m3", 9, 99.0)
    )
    write_messages(
        tmp_path / "level", numbered(7, old("m4", 1, 91)), numbered(8, new("m5", 2, 91.5)), numbered(9, old("m6", 3, 99)),
        b"\0\0\0", b"\1" + numbered(7, old("m7", 4, 99))[1:], numbered(8, old("m8", 5, 99)), numbered(7, old("m9", 9, 0)),
    )  # fmt: skip
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "0.avro").write_bytes(file(OLD, [old("m10", 3, 92), old("m11", 9, 10)]))
    (tmp_path / "temp.avsc").write_text(TEMP, "utf-8")
    (tmp_path / "old.avsc").write_text(OLD, "utf-8")
    (tmp_path / "rules.lars").write_text(
        "hot(M, V) :- temp(M, V), V > 90. hot(M, V) :- level(M, V), V > 90. hot(M, V) :- file(M, V), V > 90.\n", "utf-8"
    )
    (tmp_path / "run.toml").write_text(PIPELINE.replace("NEW", NEW).replace("JARS", connector), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "laser", "run", str(tmp_path / "run.toml"), "--master", "local[2]"],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [
        json.loads(line) for each in (tmp_path / "out").rglob("*.json") for line in each.read_text("utf-8").splitlines()
    ]
    assert {(row["machine"], row["v"], row["time"][17:19]) for row in rows if row["holds"]} == {
        ("m1", 95.0, "00"), ("m3", 99.0, "09"), ("m4", 91.0, "01"), ("m5", 91.5, "02"), ("m10", 92.0, "03"),
    }  # fmt: skip
    rejects = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text("utf-8").splitlines()]
    misfit, headless = (
        "the message does not follow its Avro schema",
        "the message does not begin with the number of a schema",
    )
    assert sorted((row["input"], row["reason"]) for row in rejects) == sorted([
        *[("temp", misfit)] * 5, ("temp", "v is missing"), *[("level", headless)] * 2, ("level", misfit),
        ("level", "the message has the schema 9; there are schemas for 7, 8"),
    ])  # fmt: skip
    assert {row["row"] for row in rejects if row["input"] == "temp"} >= {"Z2FyYmFnZQ==", ""}
    (shown,) = (json.loads(row["row"]) for row in rejects if row["reason"] == "v is missing")
    assert shown["machine"] == "m2"


def test_without_the_connector_a_sentence_says_which_package_it_is(spark, tmp_path):
    said = r"its connector is missing. Name it as a package \(org.apache.spark:spark-avro_2.13:4"
    messages = spark.createDataFrame([(b"x",)], "value binary")
    with pytest.raises(LaserError, match=said):
        read_messages(messages, "avro", avro=TEMP)
    (tmp_path / "0.avro").write_bytes(b"")
    for follow in (False, True):
        with pytest.raises(LaserError, match=said):
            read_table(spark, Table(str(tmp_path), "avro"), follow, Uses())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "which schema do its messages have"),
        ({}, "which schema do its messages have"),
        ("nowhere.avsc", "the Avro schema nowhere.avsc cannot be read: No such file"),
        ('{"type": "record"', "its Avro schema is not JSON"),
        ('{"type": "string"}', "its Avro schema is not a record"),
        ('{"type": "record", "fields": []}', "its Avro schema is not a record"),
        ('{"type": "record", "fields": [3]}', "its Avro schema is not a record"),
    ],
)
def test_a_schema_that_says_no_columns_is_refused(given, message):
    with pytest.raises(LaserError) as caught:
        avro_fields("temp", given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (Table("in", "parquet", avro_schema=TEMP), 'an Avro schema is for messages with value = "avro"'),
        (Table("in", "parquet", value="avro", avro_schema=TEMP, schema={"v": "int"}), "leave schema out"),
        (Table("in", "avro", avro_schemas={"7": TEMP}), "files of Avro have one schema"),
    ],
)
def test_settings_of_avro_that_contradict_others_are_refused(spark, table, message):
    with pytest.raises(LaserError) as caught:
        read_table(spark, table, False, Uses())
    assert message in str(caught.value)


def test_a_schema_is_a_file_beside_the_pipeline_or_a_text():
    made = read_pipeline("plant/p.toml", PIPELINE.replace("NEW", NEW)).inputs
    assert made["temp"].avro_schema == "plant/temp.avsc"
    assert made["level"].avro_schemas == {"7": "plant/old.avsc", "8": NEW}
