"""Delta tables of what holds now and of all changes: each micro-batch once, whatever is repeated."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from click.testing import CliRunner

from laser.cli import main
from laser.errors import LaserError
from laser.pipeline import Sink
from laser.spark.named_sinks import read_sinks
from laser.spark.sink import Batch, Changes

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
options = {maxFilesPerTrigger = 1}

[sinks.lake]
format = "delta"
path = "lake"
"""
RULES = """
hot(M, V) :- temp(M, V), V > 90.
any :- temp(_, V), V > 90.
never(M) :- temp(M, V), V > 1000.
"""


@pytest.fixture
def delta():
    return pytest.importorskip("deltalake")


def rows(delta, place):
    found = delta.DeltaTable(str(place)).to_pyarrow_table().to_pylist()
    return sorted(tuple(row.values()) for row in found)


def commits(delta, place):
    return len(delta.DeltaTable(str(place)).history())


def changes(spark, *rows, predicate="hot", types="machine string, v double, time bigint, holds boolean"):
    return [Changes(predicate, spark.createDataFrame(list(rows), types), None, is_empty=not rows)]


def test_a_stream_leaves_what_holds_and_every_change(delta, spark, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("t,machine,value\n1,m1,95\n2,m1,20\n5,m2,99\n", "utf-8")
    (tmp_path / "in" / "1.csv").write_text("t,machine,value\n8,m3,10\n9,m1,91\n", "utf-8")
    (tmp_path / "rules.lars").write_text(RULES, "utf-8")
    (tmp_path / "run.toml").write_text(PIPELINE, "utf-8")
    result = CliRunner().invoke(main, ["run", str(tmp_path / "run.toml")], prog_name="laser")
    assert result.exit_code == 0, result.output
    lake = tmp_path / "lake"
    assert rows(delta, lake / "hot_changes") == [
        ("m1", 91, 9, True), ("m1", 95, 1, True), ("m1", 95, 2, False), ("m2", 99, 5, True), ("m2", 99, 6, False),
    ]  # fmt: skip
    assert rows(delta, lake / "hot") == [("m1", 91, 9)]
    assert rows(delta, lake / "any") == [(9,)]
    assert rows(delta, lake / "any_changes") == [(1, True), (2, False), (5, True), (6, False), (9, True)]
    assert rows(delta, lake / "never") == rows(delta, lake / "never_changes") == []


def test_a_repeated_micro_batch_changes_nothing_and_completes_what_is_missing(delta, spark, tmp_path):
    ((sink, _),) = read_sinks({"lake": Sink("delta", str(tmp_path))})
    first = changes(spark, ("m1", 1.5, 1, True), ("m2", 2.0, 1, True), ("m2", 2.0, 3, False))
    second = changes(spark, ("m1", 1.5, 4, False), ("m1", 1.5, 6, True), ("m3", -0.0, 5, True))
    sink.write(first, Batch("q", 0))
    sink.write(changes(spark), Batch("q", 1))
    sink.write(second, Batch("q", 2))
    expected = [("m1", 1.5, 6), ("m3", 0.0, 5)], [*rows(delta, tmp_path / "hot_changes")]
    before = commits(delta, tmp_path / "hot"), commits(delta, tmp_path / "hot_changes")
    ((again, _),) = read_sinks({"lake": Sink("delta", str(tmp_path))})  # as after a restart
    for _ in range(2):
        again.write(second, Batch("q", 2))
    assert (rows(delta, tmp_path / "hot"), rows(delta, tmp_path / "hot_changes")) == expected
    assert (commits(delta, tmp_path / "hot"), commits(delta, tmp_path / "hot_changes")) == before
    third = changes(spark, ("m3", 0.0, 7, False), ("m1", 1.5, 8, False))
    killed = Half(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        killed.write(third, Batch("q", 3))
    assert len(rows(delta, tmp_path / "hot_changes")) == len(expected[1]) + 2
    assert rows(delta, tmp_path / "hot") == expected[0], "the second table was not written"
    again.write(third, Batch("q", 3))
    assert len(rows(delta, tmp_path / "hot_changes")) == len(expected[1]) + 2
    assert rows(delta, tmp_path / "hot") == []
    again.write(first, Batch("another query", 0))
    assert rows(delta, tmp_path / "hot") == [("m1", 1.5, 1)], "the numbers of another query are its own"


def test_somebody_else_may_compact_the_tables(delta, spark, tmp_path):
    from laser.spark import DeltaSink

    class Compacted(DeltaSink):
        """Between the reading of a table and the commit, the table is compacted."""

        def _table(self, place, schema):
            table = super()._table(place, schema)
            delta.DeltaTable(place).optimize.compact()
            return table

    sink = DeltaSink(str(tmp_path))
    for number in range(3):
        sink.write(changes(spark, (f"m{number}", 1.5, number, True)), Batch("q", number))
    Compacted(str(tmp_path)).write(changes(spark, ("m0", 1.5, 3, False), ("m1", 1.5, 3, False)), Batch("q", 3))
    assert rows(delta, tmp_path / "hot") == [("m2", 1.5, 2)]
    assert len(rows(delta, tmp_path / "hot_changes")) == 5


def test_values_keep_their_types(delta, spark, tmp_path):
    from laser.spark import DeltaSink

    at = datetime(2026, 1, 1, 12, 30, 0, 125, tzinfo=UTC)
    types = "a tinyint, b decimal(20,0), c date, d timestamp, e timestamp_ntz, f boolean, `g h` string, time timestamp, holds boolean"
    row = (3, Decimal("12345678901234567890"), at.date(), at, at.replace(tzinfo=None), True, 'x"y', at, True)
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        DeltaSink(str(tmp_path)).write(changes(spark, row, predicate="p/2", types=types), Batch("q", 0))
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert rows(delta, tmp_path / "p~2F2_changes") == [row]
    assert rows(delta, tmp_path / "p~2F2") == [row[:-1]]


def test_what_delta_cannot_do_is_one_sentence(delta, spark, tmp_path, monkeypatch):
    from laser.spark import DeltaSink

    sink = DeltaSink(str(tmp_path))
    odd = changes(spark, (timedelta(1), 1, True), types="d interval day to second, time bigint, holds boolean")
    with pytest.raises(LaserError, match="Delta has no durations, and d of hot is one"):
        sink.write(odd, Batch("q", 0))
    sink.write(changes(spark, ("m1", 1.5, 1, True)), Batch("q", 0))
    other = changes(
        spark, ("m1", 1.5, "x", 1, True), types="machine string, v double, w string, time bigint, holds boolean"
    )
    with pytest.raises(LaserError, match=r"Delta table .*/hot_changes: "):
        sink.write(other, Batch("q", 1))
    both = [*changes(spark, predicate="a"), *changes(spark, predicate="a_changes")]
    with pytest.raises(LaserError, match="two predicates would share the table a_changes"):
        sink.write(both, Batch("q", 1))
    with pytest.raises(LaserError, match=r"sinks\.lake needs a path"):
        read_sinks({"lake": Sink("delta")})
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(LaserError, match=r"Delta needs deltalake: pip install 'laser-reasoner\[delta\]'"):
        read_sinks({"lake": Sink("delta", "lake")})


class Half:
    """A sink that is killed between its two tables."""

    def __init__(self, path):
        from laser.spark import DeltaSink

        class Killed(DeltaSink):
            def _write(self, name, *others):
                if not name.endswith("_changes"):
                    raise KeyboardInterrupt
                super()._write(name, *others)

        self.write = Killed(path).write
