"""Whole files: order, rejects, odd bytes, compression."""

from __future__ import annotations

import gzip
import io
import json
import sys
from types import SimpleNamespace

import pytest

from laser.errors import RecordError
from laser.io import Rejects, read_background, read_stream
from laser.io import lines as lines_module
from laser.values import Atom

A = Atom("a")


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def times(path, **options):
    return [record.time for record in read_stream(path, **options)]


def rejected(path, **options):
    sink = io.StringIO()
    rejects = Rejects(sink)
    found = times(path, rejects=rejects, **options)
    entries = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert rejects.count == len(entries)
    return found, entries


def test_records_know_their_lines(tmp_path):
    path = write(tmp_path / "s.stream", "% head\n\n36: a.\n37:\n38: b.")
    assert [(r.time, r.line) for r in read_stream(path)] == [(36, 3), (37, 4), (38, 5)]


@pytest.mark.parametrize("name", ["s.csv", "s.CSV", "s.csv.gz", "s.jsonl", "s.ndjson.gz", "s.stream", "s", "s.txt.gz"])
def test_the_extension_decides_the_format(tmp_path, name):
    if "csv" in name.lower():
        text = "time,predicate\n36,a\n"
    else:
        text = '{"time": 36, "predicate": "a"}\n' if "json" in name else "36: a.\n"
    path = write(tmp_path / name, gzip.compress(text.encode()) if name.endswith("gz") else text)
    assert [(r.time, r.facts) for r in read_stream(path)] == [(36, (A,))]


def test_a_named_format_comes_before_the_extension(tmp_path):
    path = write(tmp_path / "s.csv", "36: a.\n")
    assert times(path, layout="text") == [36]


def test_a_malformed_record_raises_with_its_line(tmp_path):
    path = write(tmp_path / "s.stream", "36: a.\n37: A.\n")
    with pytest.raises(RecordError) as caught:
        times(path)
    assert caught.value.line == 2
    assert str(caught.value).startswith(f"{path}:2: ")


TEXT, JSONL, CSV = "36: a(x).\n", '{"time": 36, "predicate": "a", "args": ["x"]}\n', "time,predicate,args\n36,a,x\n"


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("s.stream", JSONL, "looks like JSON Lines: use --input-format jsonl, or a name that ends in .jsonl"),
        ("s.stream", CSV, "looks like CSV: use --input-format csv"),
        ("s", "36,a,x\n", "looks like CSV: use --input-format csv"),
        ("s.csv", JSONL, "looks like JSON Lines: use --input-format jsonl"),
        ("s.csv", TEXT, "looks like text: use --input-format text"),
        ("s.jsonl", TEXT, "looks like text: use --input-format text"),
        ("s.jsonl", CSV, "looks like CSV: use --input-format csv"),
        ("s.stream", "% why\nq(X) :- a(X).\n", "looks like a program: did you swap PROGRAM and STREAM?"),
        ("s.stream", "#const n = 3.\n", "looks like a program: did you swap PROGRAM and STREAM?"),
    ],
)
def test_a_file_of_another_kind_is_recognised(tmp_path, name, text, hint):
    with pytest.raises(RecordError) as caught:
        times(write(tmp_path / name, text))
    assert hint in str(caught.value)


@pytest.mark.parametrize("text", ["noise\n", "36, a(x).\n", "36: a(.\n", f"36: a.\n{JSONL}", "36: a.\nq :- a.\n"])
def test_a_malformed_record_alone_says_nothing_about_the_file(tmp_path, text):
    with pytest.raises(RecordError) as caught:
        times(write(tmp_path / "s.stream", text))
    assert "looks like" not in str(caught.value)


def test_time_does_not_go_back(tmp_path):
    path = write(tmp_path / "s.stream", "36: a.\n35: a.\n")
    with pytest.raises(RecordError, match="time 35 is before 36: records must be in order of time"):
        times(path)


def test_records_before_the_start_are_ignored(tmp_path):
    path = write(tmp_path / "s.stream", "34: a.\n36: a.\n")
    assert times(path, start=35) == [36]


def test_malformed_records_can_be_set_aside(tmp_path):
    path = write(tmp_path / "s.stream", b"36: a.\n35: late.\nnoise\n37: \xff.\n37: b.\n")
    found, entries = rejected(path)
    assert found == [36, 37]
    assert [entry["line"] for entry in entries] == [2, 3, 4]
    assert entries[0] == {
        "line": 2,
        "reason": "time 35 is before 36: records must be in order of time",
        "record": "35: late.",
    }
    assert entries[2]["reason"] == "the line is not UTF-8 (byte 5)"
    assert entries[2]["record"] == "37: \\xff."


def test_a_late_record_does_not_move_the_present(tmp_path):
    path = write(tmp_path / "s.stream", "36: a.\n30: a.\n31: a.\n36: a.\n")
    assert rejected(path)[0] == [36, 36]


def test_a_byte_order_mark_is_not_part_of_the_first_record(tmp_path):
    assert times(write(tmp_path / "s.stream", b"\xef\xbb\xbf36: a.\n")) == [36]


@pytest.mark.parametrize("noise", [b"\x00", b"\x00\x00: a.", b"\xff\xfe3\x006\x00", b"\x1b[31m", b"36: a(\x00)."])
@pytest.mark.parametrize("name", ["s.stream", "s.csv", "s.jsonl"])
def test_odd_bytes_are_malformed_records_and_nothing_worse(tmp_path, name, noise):
    found, entries = rejected(write(tmp_path / name, noise + b"\n"))
    assert found == []
    assert len(entries) == 1


def test_a_line_that_is_too_long_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "MAX_LINE", 50)
    path = write(tmp_path / "s.stream", "36: a(" + "x" * 5000 + ").\n37: b.\n")
    found, entries = rejected(path)
    assert found == [37]
    assert entries[0]["reason"] == "the line is longer than 50 bytes"
    assert entries[0]["record"].startswith("36: a(xxx")


def test_a_long_line_is_read(tmp_path):
    count = 20_000
    path = write(tmp_path / "s.stream", "36: " + ", ".join(f"a({n})" for n in range(count)) + ".\n")
    (record,) = read_stream(path)
    assert len(record.facts) == count


def test_a_damaged_compressed_file_is_reported(tmp_path):
    whole = gzip.compress(b"36: a.\n" * 1000)
    for damaged in (whole[:-10], b"36: a.\n", whole[:20] + b"\xff\xff" + whole[22:]):
        with pytest.raises(RecordError, match="the compressed file is damaged"):
            times(write(tmp_path / "s.stream.gz", damaged))


@pytest.mark.parametrize("name", ["s.stream", "s.csv", "s.jsonl"])
@pytest.mark.parametrize("text", ["", "\n", "\r\n\r\n"])
def test_an_empty_file_is_an_empty_stream(tmp_path, name, text):
    assert times(write(tmp_path / name, text)) == []


def test_standard_input_is_read_line_by_line(monkeypatch):
    class Pipe(io.BytesIO):
        asked = 0

        def readline(self, size=-1):
            self.asked += 1
            return super().readline(size)

    pipe = Pipe(b"36: a.\n37: a.\n")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=pipe))
    records = read_stream("-")
    assert next(records).time == 36
    assert pipe.asked == 1
    assert not pipe.closed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.txt", "% table\nmachine(m1).\nmachine(2), machine(m3)\n"),
        ("b.csv", "predicate,args\nmachine,m1\nmachine,2\nmachine,m3\n"),
        ("b.jsonl", "".join(f'{{"predicate": "machine", "args": [{x}]}}\n' for x in ('"m1"', "2", '"m3"'))),
    ],
)
def test_background_data_are_read(tmp_path, name, text):
    facts = list(read_background(write(tmp_path / name, text)))
    assert facts == [Atom("machine", (x,)) for x in ("m1", 2, "m3")]


def test_malformed_background_data_are_refused_with_their_line(tmp_path):
    with pytest.raises(RecordError, match=r"b\.txt:2: "):
        list(read_background(write(tmp_path / "b.txt", "machine(m1).\nmachine(X).\n")))
