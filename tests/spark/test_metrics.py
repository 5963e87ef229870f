"""The metrics of real micro-batches: what they count is what happened."""

from __future__ import annotations

import random
import threading
import time
import urllib.error
import urllib.request

import pyarrow as pa
import pytest

from laser import parse
from laser.pipeline import Pipeline, Table
from laser.spark import MetricsListener, metrics_of, reason, serve_metrics
from laser.spark.bucket import Span
from laser.spark.run import run_pipeline
from laser.values import Atom
from tests.spark.rooms import Drive, Memory, Setting, job_of
from tests.spark.streams import follow, write_file

RULES = "hot :- temp(V) in [3], V > 100.\nquiet :- not temp(_) in [2].\n"
FIRST = [(t, f"m{t % 3}", 90 + 5 * t) for t in range(6)]
SECOND = [(20, "m1", 120), (21, None, 120)]
THIRD = [(0, "m1", 120), (40, "m3", 120)]
"""Among them are a row without a machine and a late fact."""


def put(place, number, rows):
    times, machines, values = zip(*rows, strict=True)
    columns = {"t": pa.array(times, pa.int64()), "machine": pa.array(machines), "v": pa.array(values, pa.int64())}
    write_file(pa.table(columns), place, number)


def drain(spark, place):
    """All that is there, in micro-batches of a file; gives the query and the number of changes that it wrote."""
    answers = reason(RULES, {"temp": follow(spark, place / "in")}, time="t", key="machine", buckets=2)
    changes = []
    writer = answers.table.writeStream.foreachBatch(lambda rows, _: changes.extend(rows.where("tag >= 0").collect()))
    query = writer.option("checkpointLocation", str(place / "state")).trigger(availableNow=True).start()
    query.awaitTermination()
    return query, len(changes)


@pytest.fixture
def received(spark):
    """What a listener is told meanwhile."""
    told = []
    listener = MetricsListener(told.append)
    spark.streams.addListener(listener)
    yield told
    spark.streams.removeListener(listener)


def total(metrics, name):
    return sum(getattr(each, name) for each in metrics)


def test_the_numbers_are_those_of_the_stream(spark, tmp_path, received):
    put(tmp_path / "in", 0, FIRST)
    put(tmp_path / "in", 1, SECOND)
    put(tmp_path / "in", 2, THIRD)
    query, changes = drain(spark, tmp_path)
    metrics = metrics_of(query)
    found = {name: total(metrics, name) for name in ("rows", "rejected", "facts", "late", "changes")}
    assert found == {"rows": 10, "rejected": 1, "facts": 8, "late": 1, "changes": changes}
    assert changes
    assert 0 < total(metrics, "reasoning") < total(metrics, "operator")
    last = metrics[-1]
    assert (last.keys, last.waiting, last.lag) == (3, 1, None)  # m3 is not known before its fact, which still waits
    assert 1 <= last.kept <= 9
    assert last.watermark.timestamp() == 40
    end = time.monotonic() + 60
    while len(received) < len(metrics) and time.monotonic() < end:  # Spark tells listeners by the way
        time.sleep(0.05)
    assert received == metrics


def test_a_reasoner_that_is_rebuilt_is_counted():
    rows = [(t, Atom("temp", (f"m{t}", 120)), t) for t in range(4)]
    job = job_of(Setting(parse("hot(M) :- temp(M, V) in [2], V > 100."), [(t, atom) for t, atom, _ in rows], 0, 9))
    drive, store, workers = Drive(job, random.Random(1)), Memory(), ({}, {})
    works = [
        drive.turn(store, workers[worker], 0, [rows[t]], Span(t, t), t - 1).work
        for t, worker in enumerate((0, 0, 1, 0))
    ]
    assert [work.rebuilt for work in works] == [0, 0, 1, 0]  # the first worker can go on from the log
    assert [work.facts for work in works] == [1, 1, 1, 1]
    assert [work.kept for work in works] == [1, 2, 3, 4]
    assert [work.waiting for work in works] == [1, 1, 1, 1]


class Deaf:
    def say(self, text):
        pass

    def parts(self, done, total, rows):
        pass

    def batch(self, metrics, so_far):
        pass


def page(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.URLError:
        return ""


def test_a_run_that_follows_serves_its_metrics(spark, tmp_path):
    put(tmp_path / "in", 0, FIRST)
    (tmp_path / "rules.lars").write_text(RULES, "utf-8")
    with serve_metrics(None, 0) as port:  # one that is free now
        pass
    inputs = {"temp": Table(str(tmp_path / "in"), "parquet", time="t")}
    pipeline = Pipeline(
        str(tmp_path / "rules.lars"), inputs, key="machine", follow=True, checkpoint=str(tmp_path / "state"),
        metrics_port=port,
    )  # fmt: skip
    stop, seen = threading.Event(), []
    watcher = threading.Thread(target=read_until, args=(port, 'laser_facts_total{query="rules"} 6', stop, seen))
    watcher.start()
    run_pipeline(pipeline, Deaf(), stop)
    watcher.join()
    assert 'laser_facts_total{query="rules"} 6' in seen[0]
    assert not page(port)


def read_until(port, line, stop, seen):
    """Read the page again and again until it has a line, then stop the run."""
    end, text = time.monotonic() + 90, ""
    while line not in text and time.monotonic() < end:
        time.sleep(0.2)
        text = page(port)
    seen.append(text)
    stop.set()
