"""Streams through Spark: out of order, in micro-batches, stopped and started again."""

from __future__ import annotations

import os

import pytest

from laser import StateError, parse
from laser.spark import reason
from laser.values import Atom
from tests.cases_reader import EXAMPLES
from tests.spark.rooms import Drive, Setting, atom_of

COOLING = (EXAMPLES / "cooling.lars").read_text("utf-8")
SCHEMA = "t long, machine string, v long"
READINGS = [(t, f"m{m}", (40, 120, 160, 1)[(t // 7 + m) % 4]) for t in range(5, 50) for m in range(3) if (t + m) % 9]


def put(spark, rows, place, number):
    """One file, whole and after all others in time."""
    table = spark.createDataFrame(rows, SCHEMA).coalesce(1).toPandas()
    path = place / f"{number:04d}.parquet"
    table.to_parquet(f"{path}.part")
    os.replace(f"{path}.part", path)
    os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def follow(spark, place):
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(place))


def drain(answers, place, rows):
    """Run until all that is there is taken; rows come into a list, by batch."""

    def take(frame, batch):
        rows[batch] = frame.collect()

    query = (
        answers.table.writeStream.foreachBatch(take)
        .option("checkpointLocation", str(place))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return query


@pytest.fixture(scope="module")
def told(spark, tmp_path_factory):
    """A stream that is stopped in the middle, gets late facts, and goes on, with what it told."""
    base = tmp_path_factory.mktemp("stream")
    (base / "in").mkdir()
    rows = sorted(READINGS, key=lambda row: (row[0] * 7 % 5 + row[0], row[1]))
    files = [rows[i : i + 30] for i in range(0, len(rows), 30)]
    found = {}
    for number, chunk in enumerate(files[:2]):
        put(spark, chunk, base / "in", number)
    answers = reason(COOLING, {"temp": follow(spark, base / "in")}, time="t", key="machine", lateness=6, buckets=2)
    drain(answers, base / "state", found)
    for number, chunk in enumerate([*files[2:], [(90, "m0", 50)], [(7, "m1", 999)]], 2):
        put(spark, chunk, base / "in", number)
    drain(answers, base / "state", found)
    return answers, base, [row for batch in sorted(found) for row in found[batch]]


def test_the_changes_add_up_to_the_reference(spark, told):
    answers, _, rows = told
    changes = Drive(answers.prepared.job, None)
    for row in sorted((r for r in rows if r["tag"] >= 0), key=lambda r: (r["time"], r["holds"])):
        changes.changes.append((row["time"], atom_of(answers.prepared.job, row), row["holds"]))
    facts = [(t, Atom("temp", (m, v))) for t, m, v in READINGS]
    assert changes.answers(5, 83) == Setting(parse(COOLING), facts, 5, 83).lifted_reference()


def test_late_facts_are_reported(told):
    _, _, rows = told
    assert [(row["time"], row["note"]) for row in rows if row["tag"] == -1] == [(7, "temp(m1, 999)")]


def test_a_changed_program_is_refused_on_an_old_checkpoint(spark, told):
    _, base, _ = told
    put(spark, [(95, "m0", 50)], base / "in", 90)
    changed = COOLING.replace("V >= 150", "V >= 155")
    answers = reason(changed, {"temp": follow(spark, base / "in")}, time="t", key="machine", lateness=6, buckets=2)
    with pytest.raises(Exception, match="the checkpoint belongs to another program"):
        drain(answers, base / "state", {})


def test_changed_rules_continue_from_a_checkpoint(spark, tmp_path):
    rules = "hot(M) :- temp(M, V) in [8], V > 100. cold(M) :- temp(M, V) in [4], V < 50."
    changed = "hot(M) :- temp(M, V) in [6], V > 150."
    (tmp_path / "in").mkdir()
    found = {}
    rows = sorted(READINGS, key=lambda row: row[0])
    files = [rows[i : i + 25] for i in range(0, len(rows), 25)]

    def stream(text, **options):
        given = {"time": "t", "lateness": 2, "buckets": 2, "checkpoint": str(tmp_path / "state"), **options}
        return reason(text, {"temp": follow(spark, tmp_path / "in")}, **given)

    for number, chunk in enumerate(files[:2]):
        put(spark, chunk, tmp_path / "in", number)
    drain(first := stream(rules), tmp_path / "state", found)
    told = [(first, row) for batch in sorted(found) for row in found[batch]]
    for number, chunk in enumerate([*files[2:], [(90, "m0", 120)]], 2):
        put(spark, chunk, tmp_path / "in", number)
    with pytest.raises(StateError, match="look back over 60 ticks, but facts are kept only since"):
        stream("hot(M) :- temp(M, V) in [60], V > 150.")
    second = stream(changed)
    assert second.exact_from is not None
    assert {*second} == {"hot", "cold"}
    found.clear()
    drain(second, tmp_path / "state", found)
    told += [(second, row) for batch in sorted(found) for row in found[batch]]
    assert stream(changed).exact_from is None
    changes = Drive(first.prepared.job, None)
    for answers, row in sorted(told, key=lambda pair: (pair[1]["time"], pair[1]["holds"])):
        changes.changes.append((row["time"], atom_of(answers.prepared.job, row), row["holds"]))
    facts = [(t, Atom("temp", (m, v))) for t, m, v in READINGS]
    answers = changes.answers(5, 87)
    for text, points in ((rules, range(5, second.exact_from)), (changed, range(second.exact_from, 88))):
        reference = Setting(parse(text), facts, 5, 87).reference()
        assert [answers[point] for point in points] == [reference[point] for point in points]


def test_a_state_that_grows_without_limit_must_be_allowed(spark, told):
    _, base, _ = told
    stream = follow(spark, base / "in")
    with pytest.raises(Exception, match="unbounded=True"):
        reason("q(M, T) :- temp(M, _) at T.", {"temp": stream}, time="t")
    assert reason("q(M, T) :- temp(M, _) at T.", {"temp": stream}, time="t", unbounded=True)["q"].isStreaming
