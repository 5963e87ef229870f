"""Time goes on by the clock where inputs pause."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from laser import LaserError
from laser.pipeline import Pipeline, Table
from laser.spark import reason
from laser.spark.clock import SEAT, Clock, ClockReader
from laser.spark.clock_keeper import Pauses
from laser.spark.failures import KNOWN, explain_failure
from laser.ticks import Tick
from tests.spark.streams import write_file

RULE = "silent(M) :- temp(M) in [9 s], not temp(M) in [3 s]. door(D) :- opened(D)."
PATIENCE = 180
"""Seconds in which a busy machine has surely answered."""


def test_the_clock_of_an_input_moves_after_a_long_enough_pause():
    pauses = Pauses(idle=100, step=25, last={"a": 0, "b": 0})
    pauses.nothing(99)
    assert pauses.hands == {}
    pauses.batch(100, 110, {"a": 3})
    assert pauses.hands == {"b": 100}, "a had rows, b had none when the batch began"
    pauses.nothing(120)
    assert pauses.hands == {"b": 100}, "a step is not over yet"
    pauses.nothing(209)
    assert pauses.hands == {"b": 209}
    pauses.nothing(210)
    assert pauses.hands == {"a": 210, "b": 209}, "a pauses since the end of its last batch"


def test_a_long_micro_batch_is_not_a_pause():
    pauses = Pauses(idle=100, step=25, last={"a": 0})
    pauses.batch(10, 900, {"a": 1})
    pauses.batch(910, 1900, {"a": 1})
    pauses.nothing(1950)
    assert pauses.hands == {}
    pauses.busy(2100)
    pauses.nothing(2150)
    assert pauses.hands == {}
    pauses.nothing(2200)
    assert pauses.hands == {"a": 2200}


def test_offsets_of_clocks_never_go_back(tmp_path):
    clock = Clock("clock", tmp_path, ("a", "b"), 100, 25)
    reader = ClockReader(clock.place)
    first = reader.latestOffset({SEAT: "another", "a": 7}, None)
    seat = first[SEAT]
    assert first == {"a": 7, SEAT: seat}, "another driver was there before, and we know nothing yet"
    clock.point_to(seat, {"b": 5, "a": 3})
    assert reader.latestOffset(first, None) == {"a": 7, "b": 5, SEAT: seat}
    (moved,) = reader.partitions(first, {"a": 7, "b": 5, SEAT: seat})
    assert [*reader.read(moved)] == [("b", 5)]
    assert reader.partitions({"a": 7, SEAT: "another"}, first) == []


def test_each_query_of_a_stream_has_its_own_clocks(tmp_path):
    """One may have much to catch up on while another one waits."""
    clock = Clock("clock", tmp_path, ("a",), 100, 25)
    one, other = ClockReader(clock.place), ClockReader(clock.place)
    clock.point_to(one.latestOffset({}, None)[SEAT], {"a": 5})
    assert one.latestOffset({}, None)["a"] == 5
    assert "a" not in other.latestOffset({}, None)


def test_a_step_is_a_part_of_the_pause_and_not_less_than_a_tick():
    assert Clock.make(["a"], 10_000_000, Tick()).step == 2_500_000
    assert Clock.make(["a"], 10_000_000, Tick.parse("1 min")).step == 60_000_000
    assert Clock.make(["a"], 1_000, Tick.parse("1 ms")).step == 1_000_000


def put(place, number, name, *rows):
    moments = pa.array([moment for moment, _ in rows], pa.timestamp("us", tz="UTC"))
    write_file(pa.table([moments, pa.array([value for _, value in rows], pa.string())], ["ts", name]), place, number)


def wait_for(condition, query):
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        assert query.isActive, explain_failure(query)
        time.sleep(0.2)
    assert condition()


def test_silence_is_reported_while_all_inputs_pause_and_again_after_a_crash(spark, tmp_path):
    """One input pauses, another one never has a row: neither stops the other, and a repeated batch tells the same."""
    (tmp_path / "doors").mkdir()
    now = datetime.now(UTC).replace(microsecond=0)
    put(tmp_path / "in", 0, "machine", (now - timedelta(seconds=1), "m1"), (now, "m2"))
    told = {}

    def start():
        temp = spark.readStream.schema("ts timestamp, machine string").parquet(str(tmp_path / "in"))
        doors = spark.readStream.schema("ts timestamp, door string").parquet(str(tmp_path / "doors"))
        inputs = {"temp": temp, "opened": doors}
        answers = reason(RULE, inputs, time="ts", idle="2 s", lateness="1 s", buckets=1, key=False)
        write = lambda rows, batch: told.update({batch: sorted(map(tuple, rows.collect()))})  # noqa: E731 - one line
        return (
            answers["silent"].writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "s")).start()
        )

    def found():
        return sorted(row for rows in told.values() for row in rows)

    expected = [
        (machine, (moment + timedelta(seconds=after)).replace(tzinfo=None), holds)
        for machine, moment in (("m1", now - timedelta(seconds=1)), ("m2", now))
        for after, holds in ((4, True), (10, False))
    ]
    query = start()
    wait_for(lambda: len(found()) >= len(expected), query)
    query.stop()
    assert found() == sorted(expected)
    last = max(batch for batch, rows in told.items() if rows)
    before = dict(told)
    for commit in (tmp_path / "s" / "commits").iterdir():
        batch = commit.name.strip(".").split(".")[0]  # "9", or ".9.crc"
        if int(batch) >= last:
            commit.unlink()
    told.clear()
    query = start()
    wait_for(lambda: last in told, query)
    query.stop()
    assert told[last] == before[last]


def test_idle_needs_an_endless_stream_with_dates(spark, tmp_path):
    table = spark.createDataFrame([(1, "m1")], "t long, machine string")
    with pytest.raises(LaserError, match="idle works only with streams, but input temp is a static DataFrame"):
        reason(RULE, {"temp": table}, time="t", idle="2 s")
    stream = spark.readStream.format("rate").load().selectExpr("value AS t", "'m1' AS machine")
    with pytest.raises(LaserError, match=r"idle compares times with the clock, .* those of input temp are numbers"):
        reason(RULE, {"temp": stream}, time="t", idle="2 s")
    ends = Pipeline("rules.lars", {"temp": Table("in")}, follow=True, checkpoint="s", every="once", idle="2 s")
    with pytest.raises(LaserError, match="idle does not work with every"):
        ends.checked()


def test_a_checkpoint_without_the_clock_is_refused_in_a_sentence():
    text = "assertion failed: There are [1] sources in the checkpoint offsets and now there are [2] sources requested"
    assert explain_failure(Exception(text)) == KNOWN["sources in the checkpoint offsets"]
