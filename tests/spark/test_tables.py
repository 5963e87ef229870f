"""How tables and lines are read, without a session of Spark."""

from __future__ import annotations

import pyarrow as pa
import pytest

from laser.errors import LaserError
from laser.io.formats.text import TEXT
from laser.pipeline import Table
from laser.spark.lines import Reader
from laser.spark.sources import REASON, ROW
from laser.spark.tables import check_table, format_of_table, spark_output_format
from laser.ticks import Tick
from laser.values import Predicate


@pytest.mark.parametrize(
    ("path", "named", "expected"),
    [
        ("in/readings.csv", "", "csv"),
        ("in/readings.csv.gz", "", "csv"),
        ("in/*.jsonl", "", "json"),
        ("in/readings.json.bz2", "", "json"),
        ("in/readings.orc", "", "orc"),
        ("in/", "", "parquet"),
        ("in/a.stream", "", TEXT),
        ("in/", "text", TEXT),
        ("in/a.csv", "jsonl", "json"),
        ("in/a.csv", "json", "json"),
        ("", "kafka", "kafka"),
    ],
)
def test_the_format_of_a_table(path, named, expected):
    assert format_of_table(Table(path, named)) == expected


@pytest.mark.parametrize("named", ["csv", "json", "jsonl", "parquet", "orc", "text", ""])
def test_files_need_a_path(named):
    with pytest.raises(LaserError, match="input temp has no path"):
        check_table("temp", Table("", named))


def test_formats_other_than_files_need_no_path():
    check_table("temp", Table("", "kafka"))


@pytest.mark.parametrize(
    ("name", "expected"), [("jsonl", "json"), ("json", "json"), ("parquet", "parquet"), ("orc", "orc")]
)
def test_answers_are_written_in_formats_of_spark(name, expected):
    assert spark_output_format(name) == expected


def rows(reader, *lines):
    (batch,) = reader.read([pa.RecordBatch.from_pydict({"value": list(lines)})])
    return [{name: value for name, value in row.items() if value is not None} for row in batch.to_pylist()]


def test_lines_become_rows_of_one_predicate():
    reader = Reader(TEXT, Predicate("temp", 1), Tick(), dated=False)
    first, second = "36: temp(98), temp(1, 2), other.  % hot", "% nothing"
    assert rows(reader, first, second) == [{"time": 36, "arg1": "98", ROW: first}]


def test_a_line_that_is_malformed_is_a_row_with_a_reason():
    (row,) = rows(Reader(TEXT, Predicate("temp", 1), Tick(), dated=False), "noise")
    assert row == {REASON: "a record must begin with its time and a colon, as in '36: a(x1, y).'", ROW: "noise"}


def test_dates_become_the_beginning_of_their_time_point():
    reader = Reader(TEXT, Predicate("temp", 1), Tick.parse("1 min"), dated=True)
    (row,) = rows(reader, "1970-01-01T00:02:59Z: temp(98).")
    assert row["time"].isoformat() == "1970-01-01T00:02:00+00:00"


def test_a_time_beyond_the_calendar_is_a_row_with_a_reason():
    (row,) = rows(Reader(TEXT, Predicate("temp", 1), Tick(), dated=True), f"{10**18}: temp(98).")
    assert row[REASON] == f"time {10**18} lies beyond the calendar"
