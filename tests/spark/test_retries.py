"""A Python worker that dies in the middle of a micro-batch: another one takes its place, and nobody can tell."""

from __future__ import annotations

import os
import signal

from laser.spark import metrics_of, reason, stream
from tests.spark.streams import follow
from tests.spark.test_metrics import FIRST, RULES, SECOND, THIRD, put


def changes(spark, place, name):
    """The changes of a stream in three micro-batches, and how often a reasoner was rebuilt."""
    answers = reason(RULES, {"temp": follow(spark, place / "in")}, time="t", key="machine", buckets=2)
    found = []
    writer = answers.table.writeStream.foreachBatch(lambda rows, _: found.extend(map(tuple, rows.collect())))
    query = writer.option("checkpointLocation", str(place / name)).trigger(availableNow=True).start()
    query.awaitTermination()
    return sorted(found, key=str), sum(metrics.rebuilt for metrics in metrics_of(query))


def test_a_worker_that_is_killed_once_is_replaced(spark, tmp_path, monkeypatch):
    for number, rows in enumerate((FIRST, SECOND, THIRD)):
        put(tmp_path / "in", number, rows)
    undisturbed, _ = changes(spark, tmp_path, "undisturbed")
    mark = tmp_path / "killed"

    class DiesOnce(stream.Operator):
        """Local, so that it travels to the workers as it is."""

        def _set_timer(self, watermark, wake, timer):
            if watermark > 10_000 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super()._set_timer(watermark, wake, timer)

    monkeypatch.setattr(stream, "Operator", DiesOnce)
    disturbed, rebuilt = changes(spark, tmp_path, "disturbed")
    assert mark.exists()
    assert undisturbed
    assert disturbed == undisturbed
    assert rebuilt >= 1
