"""Tables by the block: the same facts and the same rejects as row by row, whatever is odd in a block."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laser.io import blocks
from laser.io.formats import format_of
from laser.io.records import Rejects, accept_records
from laser.io.table_blocks import all_rows, table_blocks
from laser.io.table_input import TableInput
from laser.io.table_reader import TableReader
from laser.io.tables import read_tables
from laser.ticks import Tick
from laser.values import Predicate
from laser.values.declared import Declared

TEXTS = st.sampled_from(
    ["1", "-2.5", "+3", "007", "1e3", "1.", ".5", "", " 4 ", "n/a", "a,b", 'say "x"', "two\nlines", "90 s", "9007199254740993",
     "9007199254740993.5", "1_000", "٣", "true", "2026-03-02T22:00:00Z", "x\\u00e9", "5\"", "--1", "NaN"]
)  # fmt: skip
VALUES = st.one_of(TEXTS, st.integers(-3, 3), st.floats(allow_nan=False, width=16), st.booleans(), st.none())
TIMES = st.sampled_from(["1", "2", "03", "2026-03-02T22:00:00Z", "2026-03-02", "soon", "", "2026-03-02T22:00:01+01:00"])
KINDS = st.sampled_from(list(Declared))


def by_row(table):
    """What the reader of single rows makes of a table: its facts in order of time, and the rejects."""
    sink = io.StringIO()
    rows = all_rows(table_blocks(table.path, format_of(table.path), table.dialect))
    records = list(accept_records(TableReader(table, Tick(), None).items(rows), Rejects(sink)))
    facts = [(r.time, tuple(r.facts[0])) for r in sorted(records, key=lambda r: r.time)]
    return facts, sink.getvalue(), {r.iso for r in records}


def compare(path, kind):
    table = TableInput(
        predicate=Predicate("p", 2), path=str(path), names=["a", "b"], types=[kind, Declared.ANY], time="ts"
    )
    facts, rejected, kinds = by_row(table)
    if len(kinds) > 1:
        return
    sink = io.StringIO()
    found = read_tables([table], Tick(), Rejects(sink))
    assert list(zip(found.times, found.facts, strict=True)) == facts
    assert [list(map(type, fact)) for fact in found.facts] == [list(map(type, fact)) for _, fact in facts]
    assert sink.getvalue() == rejected


@settings(deadline=None)
@given(st.lists(st.tuples(TIMES, TEXTS, TEXTS), max_size=12), KINDS, st.integers(20, 200))
def test_csv_by_the_block_is_csv_by_the_row(tmp_path_factory, rows, kind, size):
    import csv

    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("ts", "a", "b"), *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "SIZE", size)
        compare(path, kind)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.one_of(TIMES, st.integers(-1, 3)), VALUES, VALUES), max_size=12), KINDS, st.integers(20, 200)
)
def test_json_by_the_block_is_json_by_the_row(tmp_path_factory, rows, kind, size):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    lines = [json.dumps({"ts": ts, "a": a, "b": b}, ensure_ascii=False) for ts, a, b in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "SIZE", size)
        compare(path, kind)


def test_a_block_that_is_not_utf8_loses_one_line_only(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"ts,a,b\n1,x,y\n2,\xff,y\n3,x,y\n")
    sink = io.StringIO()
    table = TableInput(predicate=Predicate("p", 2), path=str(path), types=[Declared.STRING] * 2)
    assert read_tables([table], Tick(), Rejects(sink)).times == [1, 3]
    assert json.loads(sink.getvalue())["line"] == 3


def test_parquet_in_nanoseconds_as_pandas_writes_it(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    times = pd.to_datetime(["2026-03-02T22:00:00.000000001Z", "2026-03-02T22:00:01Z"], format="ISO8601")
    pd.DataFrame({"ts": times, "a": ["x", "y"], "b": [1.5, None]}).to_parquet(path)
    sink = io.StringIO()
    table = TableInput(predicate=Predicate("p", 2), path=str(path), types=[Declared.STRING, Declared.NUMBER])
    found = read_tables([table], Tick(), Rejects(sink))
    assert (found.facts, found.iso) == ([("p", "x", 1.5)], True)
    assert "column b" in sink.getvalue()
