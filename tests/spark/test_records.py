"""Rules that remember, on Spark: divided by key, and never by time."""

from __future__ import annotations

import pytest

from laser import parse
from laser.spark import reason
from laser.values import Atom, Predicate
from tests.spark.rooms import Setting
from tests.spark.streams import Feed, Told
from tests.spark.test_batch import agree

PROGRAM = """
#record on/1, rise/1.
on(M) :- temp(M, V), V > 100.
on(M) :- on(M) in [1 ago], not cool(M).
cool(M) :- temp(M, V), V < 50.
rise(M) :- on(M), not on(M) in [1 ago].
often(M) :- rise(M) at least 2 times in [30].
long(M) :- on(M) always in [9].
"""
LIFTED = "#record on/0. on :- temp(V), V > 100. on :- on in [1 ago], not cool. cool :- temp(V), V < 50."
READINGS = [(t, f"m{m}", (40, 120, 80, 90)[(t // 5 + m) % 4]) for t in range(60) for m in range(5) if (t + m) % 4 == 0]


@pytest.fixture(scope="module")
def readings(spark):
    return spark.createDataFrame(READINGS, "t int, machine string, v int").repartition(3)


def test_records_do_not_depend_on_the_parts(readings):
    rows = [(t, Atom("temp", (m, v))) for t, m, v in READINGS]
    reference = Setting(parse(PROGRAM), rows, 0, 80).reference()
    for buckets, slices in ((1, 1), (3, 4)):
        answers = reason(PROGRAM, {"temp": readings}, time="t", start=0, until=80, buckets=buckets, slices=slices)
        assert agree(answers, reference)
        assert "not by time, because rules look at what was recorded" in answers.cut
        answers.unpersist()


def test_a_lifted_program_remembers_for_each_key(readings):
    rows = [(t, Atom("temp", (m, v))) for t, m, v in READINGS]
    reference = Setting(parse(LIFTED), rows, 0, 80).lifted_reference()
    answers = reason(LIFTED, {"temp": readings}, time="t", key="machine", start=0, until=80, buckets=3)
    assert agree(answers, reference)
    answers.unpersist()


def test_a_stream_with_records_continues_after_a_restart(spark, tmp_path):
    """Without consent to a state that grows: what was recorded is kept, and not the facts that it rests on."""
    feed, told = Feed(spark, tmp_path / "in", [Predicate("temp", 2)]), Told()
    rows = [(t, Atom("temp", (m, v)), number) for number, (t, m, v) in enumerate(READINGS)]
    half = len(rows) // 2
    for some in (rows[:half], [*rows[half:], (200, Atom("temp", ("m0", 60)), 10**6)]):
        feed.put(some)
        answers = reason(PROGRAM, feed.streams(), start=0, mixed=True, buckets=2)
        told.drain(answers.table, tmp_path / "state")
    found = told.snapshots(answers, 0, 80)
    assert found == Setting(parse(PROGRAM), [(t, atom) for t, atom, _ in rows], 0, 80).reference()
