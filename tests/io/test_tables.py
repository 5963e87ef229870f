"""Ordinary tables as streams, and what becomes of rows that do not fit."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from laser.errors import LaserError, RecordError
from laser.io.ahead import Ahead
from laser.io.dialect import read_dialect
from laser.io.records import Record, Rejects
from laser.io.table_input import MixedTable, TableInput
from laser.io.tables import follow_table, read_tables
from laser.ticks import Tick
from laser.values import Atom, Predicate, Time
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


def test_malformed_rows_are_rejected_with_line_column_value_and_type(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text('ts,patient,bpm\n1,p1,n/a\n2,p1,\nsoon,p1,8\n4,p1,"9,5"\n5,p1,7,8\n6,"a\nb",7\n', "utf-8")
    sink = io.StringIO()
    records = read(path, Rejects(sink))
    assert [record.facts for record in records] == [(Atom("hr", ("a\nb", 7)),)]
    told = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [(each["line"], each["reason"]) for each in told] == [
        (2, "column bpm: 'n/a' is not a number"),
        (3, "column bpm is missing: a number is expected"),
        (4, "column ts: 'soon' is not a time: write a non-negative integer or an ISO 8601 date and time"),
        (5, "column bpm: '9,5' is not a number"),
        (6, "the row has 4 fields, but the header has 3"),
    ]
    with pytest.raises(RecordError, match="'n/a' is not a number"):
        read(path)


def test_malformed_json_rows_are_rejected(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_text('{"ts": 1, "patient": "p", "bpm": "80"}\n[1]\n{"ts"\n{"ts": 2, "patient": 7, "bpm": 80}\n', "utf-8")
    sink = io.StringIO()
    assert read(path, Rejects(sink)) == []
    reasons = [json.loads(line)["reason"] for line in sink.getvalue().splitlines()]
    assert reasons[0] == "column bpm: '80' is not a number"
    assert reasons[1] == "a record must be an object, not a list"
    assert reasons[2].startswith("it is not JSON")
    assert reasons[3] == "column patient: 7 is not a string"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"time": "when"}, "there is no column 'when'; its columns are `patient`, `ward`, `bpm` and `ts`"),
        ({"columns": ["patient", "rate"]}, "there is no column 'rate'"),
        ({"columns": ["patient"]}, "there is 1 column for its arguments"),
        ({"names": [], "time": "ts"}, "name the right ones, as in --columns hr=patient,ward"),
    ],
)
def test_missing_columns_are_refused(tmp_path, given, says):
    with pytest.raises(LaserError, match=says):
        read(as_csv(tmp_path), **given)


def test_a_key_that_occurs_twice_is_malformed(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_text('{"ts": 1, "patient": "p", "bpm": 80, "bpm": 90}\n', "utf-8")
    with pytest.raises(RecordError, match="twice"):
        read(path)


def test_an_empty_file_is_not_a_table(tmp_path):
    (tmp_path / "readings.csv").write_text("", "utf-8")
    with pytest.raises(LaserError, match="the first line of a table must have the names of its columns"):
        read(tmp_path / "readings.csv")


def test_a_record_of_wrong_types_does_not_move_the_time(tmp_path):
    from laser.io.read import read_stream
    from laser.syntax.parser import parse_tree

    (tmp_path / "a.stream").write_text("2099: hr(p, x).\n3: hr(p, 130).\n", "utf-8")
    inputs = parse_tree("#input hr(patient: string, bpm: number).").inputs
    sink = io.StringIO()
    assert [record.time for record in read_stream(tmp_path / "a.stream", rejects=Rejects(sink), inputs=inputs)] == [3]


def test_a_row_with_a_wrong_year_is_refused_if_a_limit_is_given(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text("ts,patient,bpm\n2099-01-01T00:00:00Z,p1,80\n2026-01-01T00:00:00Z,p1,80\n", "utf-8")
    sink = io.StringIO()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    ahead = Ahead(Tick(), lambda: now, timedelta(days=1), "1 d")
    assert len(read(path, Rejects(sink), ahead=ahead)) == 1
    assert "column ts: 2099-01-01T00:00:00Z is more than 1 d ahead of the clock" in sink.getvalue()


def test_a_row_ahead_of_the_clock_is_reported_once_if_there_is_no_limit(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text("ts,patient,bpm\n" + "2099-01-01T00:00:00Z,p1,80\n" * 2, "utf-8")
    told: list[str] = []
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert len(read(path, ahead=Ahead(Tick(), lambda: now, tell=told.append))) == 2
    assert told == ["line 2 is ahead of the clock, at 2099-01-01T00:00:00Z: to refuse such rows, use --max-ahead '1 d'"]


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
def test_fields_are_read_by_their_types(kind, text, value):
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
def test_fields_of_the_wrong_type_are_refused(kind, text):
    with pytest.raises(LaserError):
        kind.read(text)


def test_every_reader_enforces_declared_types(tmp_path):
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


PING = {"predicate": Predicate("ping", 1), "names": ["host"], "types": [Declared.STRING]}


def mixed(path: Path, column: str | None = None, **given) -> MixedTable:
    inputs = [TableInput(**each, path=str(path), **given) for each in (HR, PING)]
    return MixedTable(path=str(path), inputs=inputs, column=column, **given)


def test_a_column_may_name_the_predicate_of_each_row(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text(
        "ts,kind,patient,bpm,host\n2,ping,,,web\n1,hr,p1,80,\n3,login,p1,,\n4,,p1,80,\n5,hr,p1,,\n", "utf-8"
    )
    told: list[str] = []
    sink = io.StringIO()
    found = read_tables([mixed(path, "kind")], Tick(), Rejects(sink), None, told.append)
    assert found.facts == [("hr", "p1", 80), ("ping", "web")]
    assert [json.loads(line)["reason"] for line in sink.getvalue().splitlines()] == [
        "column kind is missing: the name of a predicate is expected",
        "column bpm is missing: a number is expected",
    ]
    assert told == [f"{path}: rows of 'login' (first in line 4) are skipped: the program reads `hr` and `ping`"]


def test_json_rows_of_several_predicates_may_leave_out_columns(tmp_path):
    path = tmp_path / "events.jsonl"
    rows = [
        {"ts": 1, "predicate": "hr", "patient": "p"},
        {"predicate": "ping", "host": "web"},
        {"ts": 2, "host": "web"},
    ]
    rows += [{"ts": 3, "predicate": "hr", "patient": "p", "bpm": 7}, {"ts": 4, "predicate": "ping", "host": "web"}]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    sink = io.StringIO()
    assert read_tables([mixed(path)], Tick(), Rejects(sink)).facts == [("hr", "p", 7), ("ping", "web")]
    assert [json.loads(line)["reason"] for line in sink.getvalue().splitlines()] == [
        "column bpm is missing: a number is expected",
        "column time or timestamp or ts is missing",
        "column predicate is missing: the name of a predicate is expected",
    ]


def test_a_table_of_several_predicates_says_which_column_is_missing(tmp_path):
    with pytest.raises(LaserError, match="there is no column 'predicate': name it with --predicate"):
        read_tables([mixed(as_csv(tmp_path))], Tick())
    with pytest.raises(LaserError, match="there is no column 'kind'"):
        read_tables([mixed(as_csv(tmp_path), "kind")], Tick())


def test_a_row_of_json_without_a_value_is_malformed_even_if_it_is_the_first(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_text(
        '{"patient": "p", "bpm": 8}\n{"ts": 1, "patient": "p"}\n{"ts": 2, "patient": "p", "bpm": 80}\n', "utf-8"
    )
    sink = io.StringIO()
    assert [record.facts for record in read(path, Rejects(sink))] == [(Atom("hr", ("p", 80)),)]
    assert [json.loads(line)["line"] for line in sink.getvalue().splitlines()] == [1, 2]


TEXT = 'ts;patient;bpm\n1;José;121,5\n2;Müller;1.500\n3;"a\nb";-7\n4;p;8.5\n'


@pytest.mark.parametrize("encoding", ["utf-8", "latin1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "gb18030"])
def test_delimiter_decimal_comma_and_encoding(tmp_path, encoding):
    path = tmp_path / "readings.csv"
    path.write_bytes(TEXT.encode(encoding))
    sink = io.StringIO()
    records = read(path, Rejects(sink), dialect=read_dialect(";", encoding, ","))
    assert [record.facts[0].args for record in records] == [("José", 121.5), ("a\nb", -7)]
    told = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert [(each["line"], each["reason"]) for each in told] == [
        (3, "column bpm: '1.500' has a point, but decimals are written with a comma here"),
        (6, "column bpm: '8.5' has a point, but decimals are written with a comma here"),
    ]


def test_json_lines_in_another_encoding(tmp_path):
    path = tmp_path / "readings.jsonl"
    path.write_bytes('{"ts": 1, "patient": "José", "bpm": 80}\n'.encode("latin1"))
    assert read(path, dialect=read_dialect(encoding="latin1"))[0].facts == (Atom("hr", ("José", 80)),)
    with pytest.raises(RecordError, match=r"not UTF-8 \(byte 26\)"):
        read(path)


def test_a_byte_that_the_encoding_lacks_is_reported_with_its_line(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_bytes(b"ts,patient,bpm\n1,p,80\n2,\x81,80\n")
    sink = io.StringIO()
    assert len(read(path, Rejects(sink), dialect=read_dialect(encoding="cp1252"))) == 1
    assert json.loads(sink.getvalue())["reason"] == "the line is not CP1252 (byte 3)"
    path.write_bytes("ts,patient,bpm\n".encode("utf-16")[:-1])
    with pytest.raises(LaserError, match="is not utf-16"):
        read(path, dialect=read_dialect(encoding="utf-16"))


def test_a_header_in_another_encoding_is_not_skipped(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_bytes("ts,Name äöü,bpm\n1,p,80\n".encode("latin1"))
    with pytest.raises(LaserError, match=r"readings.csv:1: the line is not UTF-8 .*--encoding cp1252"):
        read(path)


def test_a_table_with_one_column_gets_a_hint_about_the_delimiter(tmp_path):
    path = tmp_path / "readings.csv"
    path.write_text("ts;patient;bpm\n", "utf-8")
    with pytest.raises(LaserError, match="if it has several, add --delimiter ';'"):
        read(path)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"delimiter": "ab"}, "the delimiter must be one character"),
        ({"delimiter": '"'}, "the delimiter must be one character"),
        ({"decimal": ";"}, "the decimal sign must be '.' or ','"),
        ({"encoding": "klingon"}, "'klingon' is not an encoding"),
        ({"encoding": "base64"}, "'base64' is not an encoding"),
    ],
)
def test_unknown_dialects_are_refused(given, says):
    with pytest.raises(LaserError, match=says):
        read_dialect(**given)


def test_a_stream_in_a_wide_encoding_is_not_followed(tmp_path):
    table = TableInput(**HR, path=str(as_csv(tmp_path)), dialect=read_dialect(encoding="utf-16"))
    with pytest.raises(LaserError, match="cannot be followed line by line"):
        next(follow_table(table, Tick()))


def test_a_time_without_a_zone_is_in_the_zone_of_the_run(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("ts,job,due\n2026-07-01T12:00,j,2026-07-01T14:00\n", "utf-8")
    types = [Declared.STRING, Declared.TIME]
    table = TableInput(predicate=Predicate("job", 2), names=["job", "due"], types=types, path=str(path))
    found = read_tables([table], Tick().in_zone("Europe/Vienna"))
    assert found.facts == [("job", "j", Time.of(datetime(2026, 7, 1, 12, tzinfo=UTC)))]
    assert found.times == [int(datetime(2026, 7, 1, 10, tzinfo=UTC).timestamp())]


def test_an_unclosed_quoted_field_is_malformed(tmp_path):
    path = tmp_path / "cut.csv"
    path.write_text('ts,patient,bpm\n1,p1,130\n2,p2,"13')
    with pytest.raises(RecordError, match=r"cut.csv:3: a quoted field does not end"):
        read(path)
