"""Every format of the registry: found by name, by file and by look; what it writes, it reads again."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from laser.errors import LaserError
from laser.io import FORMATS, format_of, read_background, read_stream
from laser.io.formats import format_by_look, format_of_text
from laser.io.formats.format import LineFormat, Times
from laser.io.formats.parquet import PARQUET
from laser.io.records import Entry, Malformed, ParsedChange, ParsedInterval, ParsedLine
from laser.syntax.looks_like import looks_like_program, looks_like_stream
from laser.ticks import Tick
from laser.values import Atom, Iri

A, MIXED = Atom("a", ("x1", "y")), Atom("m", (1, 2.5, "1", "", "a, b", "ä\n", Iri("http://e.org/x")))
LINES = [form for form in FORMATS.values() if isinstance(form, LineFormat)]
by_name = pytest.mark.parametrize("layout", FORMATS.values(), ids=lambda form: form.name)
by_line = pytest.mark.parametrize("layout", LINES, ids=lambda form: form.name)
dated = pytest.mark.parametrize("dates", [False, True])


def written(layout, form, dates, *calls):
    out = io.BytesIO()
    writer = layout.writer(form, Times(Tick(), dates), out)
    for call in calls:
        call(writer)
    writer.close()
    return out.getvalue()


def said(layout, data, tmp_path):
    path = tmp_path / f"file{layout.suffixes[0]}"
    path.write_bytes(data)
    return [item.said if isinstance(item, Entry) else item for item in layout.read(path, Tick())]


@by_name
@dated
def test_changes_are_read_as_they_were_written(layout, dates, tmp_path):
    data = written(layout, "changes", dates, lambda w: w.change(60, A, True), lambda w: w.change(61, MIXED, False))
    assert said(layout, data, tmp_path) == [ParsedChange(60, A, True, dates), ParsedChange(61, MIXED, False, dates)]


@by_name
@dated
def test_intervals_are_read_as_they_were_written(layout, dates, tmp_path):
    data = written(
        layout, "intervals", dates, lambda w: w.interval(A, 5, 9, False), lambda w: w.interval(MIXED, 5, 5, True)
    )
    assert said(layout, data, tmp_path) == [
        ParsedInterval(A, 5, 9, False, dates),
        ParsedInterval(MIXED, 5, 5, True, dates),
    ]


@by_name
@dated
def test_snapshots_are_a_stream(layout, dates, tmp_path):
    calls = [lambda w: w.snapshot(5, [A, MIXED]), lambda w: w.snapshot(6, [])]
    path = tmp_path / f"stream{layout.suffixes[0]}"
    path.write_bytes(written(layout, "snapshots", dates, *calls))
    records = list(read_stream(path))
    assert [(record.time, record.iso) for record in records if not record.facts] == [(6, dates)]
    assert [fact for record in records if record.time == 5 for fact in record.facts] == [A, MIXED]


@by_name
def test_an_empty_file_of_answers_can_be_read(layout, tmp_path):
    assert said(layout, written(layout, "changes", False), tmp_path) == []


@by_name
@pytest.mark.parametrize(
    ("form", "call", "word"),
    [
        ("changes", lambda w: w.change(1, A, True), "a change"),
        ("intervals", lambda w: w.interval(A, 1, 2, False), "an interval"),
    ],
)
def test_only_snapshots_can_be_read_as_a_stream(layout, form, call, word, tmp_path):
    path = tmp_path / f"answers{layout.suffixes[0]}"
    path.write_bytes(written(layout, form, False, call))
    with pytest.raises(LaserError, match=f"it is {word} of an answer, not a record of a stream"):
        list(read_stream(path))


@by_name
def test_a_format_is_found_by_its_name_and_by_each_of_its_endings(layout):
    assert format_of("whatever", layout.name) is layout
    assert {format_of(f"file{suffix}") for suffix in layout.suffixes} == {layout}


@by_line
def test_a_line_format_is_found_by_its_look(layout):
    stream = written(layout, "snapshots", False, lambda w: w.snapshot(5, [A])).decode()
    for line in stream.splitlines():
        assert format_by_look(line) is layout
        assert looks_like_stream(line)
        assert not looks_like_program(line)
    assert format_of_text(f"\n\n{stream}") is layout


def test_an_unrecognised_file_is_read_as_text():
    assert format_by_look("noise") is None
    assert format_of_text("% noise\nnoise").name == "text"
    assert format_of_text("").name == "text"


def parquet_of(path, columns):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), path)
    return path


def test_background_data_as_parquet(tmp_path):
    path = parquet_of(tmp_path / "b.parquet", {"predicate": ["a", "alarm"], "args": [["x1", "y"], []]})
    assert list(read_background(path)) == [A, Atom("alarm")]


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"time": [1], "value": [3]}, "the row has no predicate"),
        ({"predicate": ["a"], "args": [["x"]]}, "None is not a time point"),
        ({"time": [1], "predicate": ["a"], "args": ["x"]}, "the column args must have lists"),
        ({"time": [-1], "predicate": ["a"], "args": [["x"]]}, "-1 is not a time point"),
        ({"time": [1], "predicate": ["A"], "args": [["x"]]}, "'A' is not a predicate"),
        ({"time": [1], "predicate": ["a"], "args": [[None, "x"]]}, "None"),
    ],
)
def test_a_malformed_row_has_a_reason(tmp_path, columns, reason):
    (item,) = PARQUET.read(parquet_of(tmp_path / "s.parquet", columns), Tick())
    assert isinstance(item, Malformed)
    assert reason in item.reason
    assert item.line == 1


def test_a_folder_may_name_the_predicate_of_which_the_columns_are_arguments(tmp_path):
    path = parquet_of(tmp_path / "s.parquet", {"machine": ["m1"], "value": [3.0], "time": [7]})
    (item,) = PARQUET.read(path, Tick(), by_folder=True)
    assert isinstance(item, Entry)
    assert item.said == ParsedLine(7, (Atom(tmp_path.name, ("m1", 3)),))


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    path = tmp_path / "s.parquet"
    path.write_text("36: a.\n")
    assert not PARQUET.is_whole(path)
    with pytest.raises(LaserError, match="is not a Parquet file"):
        list(PARQUET.read(path, Tick()))


def test_parquet_comes_from_standard_input_too(tmp_path, monkeypatch):
    data = written(PARQUET, "snapshots", False, lambda w: w.snapshot(5, [A]))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert [record.facts for record in read_stream("-", "parquet")] == [(A,)]


def test_without_its_package_parquet_names_the_extra(tmp_path, monkeypatch):
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    extra = r"Parquet needs more packages: pip install 'laser-reasoner\[parquet\]'"
    with pytest.raises(LaserError, match=extra):
        list(PARQUET.read(tmp_path / "s.parquet", Tick()))
    with pytest.raises(LaserError, match=extra):
        PARQUET.writer("changes", Times(), io.BytesIO())
