"""Ordinary tables as streams, and what becomes of rows that do not fit."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from laser.errors import LaserError, RecordError
from laser.io.ahead import Ahead
from laser.io.records import Record, Rejects
from laser.io.tables import TableInput, read_tables
from laser.ticks import Tick
from laser.values import Atom, Predicate
from laser.values.declared import Declared

HR = {"predicate": Predicate("hr", 2), "names": ["patient", "bpm"], "types": [Declared.STRING, Declared.NUMBER]}
GOOD = [("007", 80), ("p1", 131.5), ("p2", 90)]


def read(
    path: Path, rejects: Rejects | None = None, tick: str = "1 s", ahead: Ahead | None = None, **given
) -> list[Record]:
    return list(
        read_tables([TableInput(**{**HR, "path": str(path), **given})], Tick.parse(tick), rejects, ahead).records()
    )


def as_csv(place: Path) -> Path:
    rows = [f"{patient},ward 3,{bpm},2026-03-02T22:00:0{9 - i}Z" for i, (patient, bpm) in enumerate(GOOD)]
    path = place / "readings.csv"
    path.write_text("patient,ward,bpm,ts\n" + "\n".join(rows) + "\n", "utf-8")
    return path


def as_json(place: Path) -> Path:
    rows = [{"ts": f"2026-03-02T22:00:0{9 - i}Z", "patient": p, "bpm": b, "odd": [1]} for i, (p, b) in enumerate(GOOD)]
    path = place / "readings.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", "utf-8")
    return path


def as_parquet(place: Path) -> Path:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    patients, rates = zip(*GOOD, strict=True)
    times = [datetime(2026, 3, 2, 22, 0, 9 - i, tzinfo=UTC) for i in range(len(GOOD))]
    path = place / "readings.parquet"
    pq.write_table(pa.table({"patient": patients, "bpm": [float(rate) for rate in rates], "ts": times}), path)
    return path


@pytest.mark.parametrize("write", [as_csv, as_json, as_parquet])
def test_a_table_in_any_format_gives_the_same_facts_in_the_order_of_time(tmp_path, write):
    records = read(write(tmp_path))
    first = int(datetime(2026, 3, 2, 22, tzinfo=UTC).timestamp())
    assert [(record.time - first, record.iso) for record in records] == [(7, True), (8, True), (9, True)]
    assert [record.facts for record in records] == [(Atom("hr", fact),) for fact in reversed(GOOD)]


def test_rows_that_do_not_fit_are_set_aside_with_line_column_value_and_type(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text('ts,patient,bpm\n1,p1,n/a\n2,p1,\nsoon,p1,8\n4,p1,"9,5"\n5,p1,7,8\n6,"a\nb",7\n', "utf-8")
    sink = io.StringIO()
    records = read(path, Rejects(sink))
    assert [record.facts for record in records] == [(Atom("hr", ("a\nb", 7)),)]
    told = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [(each["line"], each["reason"]) for each in told] == [
        (2, "column bpm: 'n/a' is not a number"),
        (3, "column bpm is missing: a number is expected"),
        (4, "column ts: 'soon' is no time: write a non-negative integer or an ISO 8601 date and time"),
        (5, "column bpm: '9,5' is not a number"),
        (6, "the row has 4 fields, and the header has 3"),
    ]
    with pytest.raises(RecordError, match="'n/a' is not a number"):
        read(path)


def test_json_rows_that_do_not_fit(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_text('{"ts": 1, "patient": "p", "bpm": "80"}\n[1]\n{"ts"\n{"ts": 2, "patient": 7, "bpm": 80}\n', "utf-8")
    sink = io.StringIO()
    assert read(path, Rejects(sink)) == []
    reasons = [json.loads(line)["reason"] for line in sink.getvalue().splitlines()]
    assert reasons[0] == "column bpm: '80' is not a number"
    assert reasons[1] == "a record is an object, not a list"
    assert reasons[2].startswith("it is no JSON")
    assert reasons[3] == "column patient: 7 is not a string"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"time": "when"}, "there is no column 'when'; its columns are `patient`, `ward`, `bpm` and `ts`"),
        ({"columns": ["patient", "rate"]}, "there is no column 'rate'"),
        ({"columns": ["patient"]}, "there are 1 columns for its arguments"),
        ({"names": [], "time": "ts"}, "name those that are meant, as in --columns hr=patient,ward"),
    ],
)
def test_columns_that_are_not_there(tmp_path, given, says):
    with pytest.raises(LaserError, match=says):
        read(as_csv(tmp_path), **given)


def test_a_key_that_occurs_twice_is_malformed(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_text('{"ts": 1, "patient": "p", "bpm": 80, "bpm": 90}\n', "utf-8")
    with pytest.raises(RecordError, match="twice"):
        read(path)


def test_an_empty_file_is_not_a_table(tmp_path):
    (tmp_path / "readings.csv").write_text("", "utf-8")
    with pytest.raises(LaserError, match="a table begins with a line of the names of its columns"):
        read(tmp_path / "readings.csv")


def test_a_record_of_wrong_types_does_not_move_the_time(tmp_path):
    from laser.io.read import read_stream
    from laser.syntax.parser import parse_tree

    (tmp_path / "a.stream").write_text("2099: hr(p, x).\n3: hr(p, 130).\n", "utf-8")
    inputs = parse_tree("#input hr(patient: string, bpm: number).").inputs
    sink = io.StringIO()
    assert [record.time for record in read_stream(tmp_path / "a.stream", rejects=Rejects(sink), inputs=inputs)] == [3]


def test_a_row_with_a_wrong_year_is_refused_where_a_limit_is_given(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text("ts,patient,bpm\n2099-01-01T00:00:00Z,p1,80\n2026-01-01T00:00:00Z,p1,80\n", "utf-8")
    sink = io.StringIO()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    ahead = Ahead(Tick(), lambda: now, timedelta(days=1), "1 d")
    assert len(read(path, Rejects(sink), ahead=ahead)) == 1
    assert "column ts: 2099-01-01T00:00:00Z lies more than 1 d ahead of the clock" in sink.getvalue()


def test_a_row_ahead_of_the_clock_is_told_of_once_where_there_is_no_limit(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text("ts,patient,bpm\n" + "2099-01-01T00:00:00Z,p1,80\n" * 2, "utf-8")
    told: list[str] = []
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert len(read(path, ahead=Ahead(Tick(), lambda: now, tell=told.append))) == 2
    assert told == ["line 2 lies ahead of the clock, at 2099-01-01T00:00:00Z: --max-ahead '1 d' refuses such rows"]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Declared.STRING, " 1 ", " 1 "),
        (Declared.INTEGER, "+7", 7),
        (Declared.INTEGER, "7.0", 7),
        (Declared.NUMBER, " -2.50 ", -2.5),
        (Declared.NUMBER, "9007199254740993", 9007199254740993),
        (Declared.BOOLEAN, "True", "true"),
        (Declared.ANY, "007", "007"),
        (Declared.ANY, "7", 7),
    ],
)
def test_fields_by_type(kind, text, value):
    found = kind.read(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Declared.INTEGER, "7.5"),
        (Declared.NUMBER, "nan"),
        (Declared.NUMBER, "1e999"),
        (Declared.NUMBER, "٣"),
        (Declared.BOOLEAN, "yes"),
        (Declared.TIME, "12:30"),
        (Declared.TIME, "20260302"),
        (Declared.DURATION, "90"),
        (Declared.IRI, "no iri"),
    ],
)
def test_fields_that_are_not_of_their_type(kind, text):
    with pytest.raises(LaserError):
        kind.read(text)


def test_a_declared_type_is_kept_by_every_way_in(tmp_path):
    from laser import FactError, Reasoner
    from laser.io.read import read_stream
    from laser.syntax.parser import parse_tree

    program = parse_tree("#input hr(patient: string, bpm: number). alarm(P) :- hr(P, B), B > 120.")
    reasoner = Reasoner(program)
    for fact in (("hr", "p1", "high"), ("hr", 7, 130), ("hr", "p1")):
        with pytest.raises(FactError):
            reasoner.advance(1, [fact])
    assert reasoner.advance(1, [("hr", "p1", 130)])
    stream = tmp_path / "a.stream"
    stream.write_text("1: hr(p1, high).\n2: hr(p1).\n3: hr(p1, 130), other(high).\n", "utf-8")
    sink = io.StringIO()
    kept = list(read_stream(stream, rejects=Rejects(sink), inputs=program.inputs))
    assert [record.time for record in kept] == [3]
    assert "bpm of hr(p1, high): 'high' is not a number" in sink.getvalue()
