"""The order of arrival within a time point, which tuple windows look at."""

from __future__ import annotations

import pytest

from laser import LaserError, parse
from laser.spark import Input, reason
from laser.values import Atom
from tests.spark.rooms import Setting, spread
from tests.spark.streams import Feed, Told

PROGRAM = "g(Z) :- p(Z) in [3 #]. h :- q(_), e(_)."
FACTS = [("e", 0), ("p", 0), ("p", 1), ("p", 2), ("q", 0), ("e", 5)]
ROWS = [(1, Atom(name, (value,))) for name, value in FACTS]


@pytest.mark.parametrize("batches", [[range(6)], [[5, 1], [0, 3], [4, 2]]], ids=["one", "three"])
def test_the_order_holds_across_inputs_and_micro_batches_of_a_stream(spark, tmp_path, batches):
    setting, told = Setting(parse(PROGRAM), ROWS, 0, 3), Told()
    feed = Feed(spark, tmp_path / "in", setting.inputs)
    for batch in batches:
        feed.put([(*ROWS[i], i) for i in batch])
    feed.put([(50, Atom(p.name, (9,)), 100) for p in setting.inputs])
    answers = reason(PROGRAM, feed.streams(), start=0, mixed=True)
    told.drain(answers.table, tmp_path / "state")
    assert Atom("g", (2,)) in setting.reference()[1]
    assert told.snapshots(answers, 0, 3) == setting.reference()


def test_facts_of_predicates_that_the_program_does_not_mention_count_in_streams(spark, tmp_path):
    rows = [(1, Atom("p", (1,))), (2, Atom("z", (1,))), (4, Atom("z", (2, 3))), (5, Atom("p", (2,)))]
    program = parse("g(Z) :- p(Z) in [2 #].")
    setting, told = Setting(program, rows, 0, 8), Told()
    feed = Feed(spark, tmp_path / "in", setting.inputs)
    feed.put([(*row, i) for i, row in enumerate(rows)])
    feed.put([(50, Atom(p.name, (0,) * p.arity), 100) for p in setting.inputs])
    answers = reason(program, feed.streams(), start=0, mixed=True)
    told.drain(answers.table, tmp_path / "state")
    assert told.snapshots(answers, 0, 8) == setting.reference()


def test_an_order_that_is_a_timestamp_is_exact(spark):
    rows = [(1, 7, "2026-01-01 00:00:00.000002"), (1, 8, "2026-01-01 00:00:00.000001")]
    frame = spark.createDataFrame(rows, "t long, x long, n string").selectExpr("t", "x", "timestamp(n) AS n")
    answers = reason("g(X) :- p(X) in [1 #].", {"p": frame}, time="t", order="n")
    assert [row[0] for row in answers["g"].collect()] == [7]


def test_an_invalid_order_column_is_refused(spark):
    frame = spark.sql("SELECT 1L AS t, 2 AS x, 1.5D AS f, 3 AS n")
    p, q = (Input(frame, ["x"], "t", order) for order in ("n", None))

    def refusal(inputs, **options):
        with pytest.raises(LaserError) as caught:
            reason("g(X) :- p(X) in [1 #], q(_) in [2].", inputs, **options)
        return str(caught.value)

    assert "column f of type double cannot give the order" in refusal({"p": p, "q": Input(frame, ["x"], "t", "f")})
    assert "input q has no order column" in refusal({"p": p, "q": q})
    assert "no input has the order column m" in refusal({"p": q, "q": q}, order="m")


def test_a_row_without_its_place_in_the_order_is_rejected(spark):
    frame = spark.createDataFrame([(1, 7, 1), (1, 8, None)], "t long, x long, n long")
    answers = reason("g(X) :- p(X) in [1 #].", {"p": frame}, time="t", order="n")
    assert [row[0] for row in answers["g"].collect()] == [7]
    assert [row["reason"] for row in answers.rejects.collect()] == ["n is missing"]


LATEST = "q(M, V) :- temp(M, V) in [last 2 per M]. still(M) :- temp(M, V) at least 2 times in [last 2 per M]."
READINGS = [(t, Atom("temp", (f"m{m}", (t * 3 + m) // 4))) for t in range(1, 25) for m in range(5) if (t * m) % 7 < 3]


def test_the_last_facts_of_each_key_are_cut_by_key_and_not_by_time(spark):
    setting = Setting(parse(LATEST), READINGS, 1, 30)
    rows = [(time, *atom.args, i) for i, (time, atom) in enumerate(READINGS)]
    frame = spark.createDataFrame(rows, "t long, m string, v long, n long").repartition(3)
    for buckets, slices in ((1, 1), (3, 4)):
        answers = reason(LATEST, {"temp": frame}, time="t", order="n", until=30, buckets=buckets, slices=slices)
        found = {time: set() for time in range(1, 31)}
        spread(answers.prepared.job, [row.asDict() for row in answers.table.collect()], found)
        assert {time: frozenset(atoms) for time, atoms in found.items()} == setting.reference()
        assert "by key: argument 1 of q/2" in answers.cut
        assert "not by time, because the last facts of a key may be of any age" in answers.cut
        answers.unpersist()


def test_a_stream_keeps_the_last_facts_of_each_key(spark, tmp_path):
    setting, told = Setting(parse(LATEST), READINGS, 1, 30), Told()
    feed = Feed(spark, tmp_path / "in", setting.inputs)
    for first in range(0, len(READINGS), 12):
        feed.put([(*READINGS[i], i) for i in range(first, min(first + 12, len(READINGS)))])
    feed.put([(50, Atom("temp", ("m9", 0)), 1000)])
    answers = reason(LATEST, feed.streams(), start=1, mixed=True, lateness=2, buckets=2)
    told.drain(answers.table, tmp_path / "state")
    assert told.snapshots(answers, 1, 30) == setting.reference()
