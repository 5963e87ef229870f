"""What is told of each micro-batch, without a session of Spark."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from laser.cli.progress import Screen
from laser.spark.progress import QueryProgress, Summary


def progress(batch, watermark, rows=0, rejected=0):
    return {
        "batchId": batch,
        "timestamp": "2026-01-01T00:01:00.500Z",
        "numInputRows": rows,
        "durationMs": {"triggerExecution": 1234},
        "eventTime": {"watermark": watermark},
        "observedMetrics": {"rows of temp/2": {"rows": rows, "rejected": rejected}},
    }


class Listener:
    def __init__(self):
        self.told = []

    def batch(self, told):
        self.told.append(told)


TOLD = [progress(0, "1970-01-01T00:00:00.000Z", 7, 2), progress(1, "2026-01-01T00:00:50.500Z", 1)]


@pytest.mark.parametrize(("dated", "lags"), [(True, [None, 10.0]), (False, [None, None])])
def test_each_micro_batch_is_told_once_with_how_far_it_is_behind_the_clock(dated, lags):
    query, listener, summary = SimpleNamespace(recentProgress=TOLD[:1]), Listener(), Summary()
    told = QueryProgress(query, listener, summary, dated)
    told.report()
    query.recentProgress = TOLD
    told.report()
    assert [(each["batchId"], each["rejected"], each["lag"]) for each in listener.told] == [
        (0, 2, lags[0]),
        (1, 2, lags[1]),
    ]
    assert (summary.batches, summary.rows, summary.rejected) == (2, 8, 2)


def test_the_line_of_a_micro_batch_has_its_metrics(capsys):
    Screen(quiet=False).batch(TOLD[1] | {"late": 3, "rejected": 2, "lag": 10.0})
    line = capsys.readouterr().err
    assert "batch 1: 1 rows, 0 rows/s, 1,234 ms, watermark 2026-01-01T00:00:50.500Z, 10 s behind the clock" in line
    assert "late 3, rejected 2" in line
