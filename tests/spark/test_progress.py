"""What is told of each micro-batch, without a session of Spark."""

from __future__ import annotations

import logging
import os
import pty
import re
import sys
import urllib.error
import urllib.request
from dataclasses import replace
from types import SimpleNamespace

import pytest

from laser import LaserError
from laser.cli.progress import Screen
from laser.pipeline import Pipeline, Table
from laser.spark import PrometheusPage, serve_metrics
from laser.spark.metrics import Meter, pass_on
from laser.spark.progress import QueryProgress, Summary

WORK = {"facts": 5, "late": 0, "changes": 4, "rebuilt": 0, "reasoning": 2_000_000, "busy": 9_000_000, "dated": True}


def progress(batch, watermark, rows=0, rejected=0, **work):
    return {
        "id": "a1",
        "name": "cooling",
        "batchId": batch,
        "timestamp": "2026-01-01T00:01:00.500Z",
        "numInputRows": rows,
        "durationMs": {"triggerExecution": 1250},
        "eventTime": {"watermark": watermark, **({"max": "2026-01-01T00:00:59.500Z"} if rows else {})},
        "stateOperators": [{"memoryUsedBytes": 4096}],
        "observedMetrics": {"rows of temp/2": {"rows": rows, "rejected": rejected}, "laser 0a1b": WORK | work},
    }


def level(bucket, kept, waiting=0, keys=0):
    return {"bucket": bucket, "kept": kept, "waiting": waiting, "keys": keys}


class Listener:
    def __init__(self):
        self.told = []

    def batch(self, metrics, so_far):
        self.told.append((metrics.batch, metrics.lag, so_far.rows, so_far.rejected))


TOLD = [
    progress(0, "1970-01-01T00:00:00.000Z", 7, 2, levels=[level(0, 3, 3, 1), level(1, 2, 2, 1)]),
    progress(1, "2026-01-01T00:00:50.500Z", 1, late=3, rebuilt=1, levels=[level(1, 8, 1, 2)]),
]


def test_each_micro_batch_is_reported_once_with_the_totals_so_far():
    query, listener, summary, received = SimpleNamespace(recentProgress=TOLD[:1]), Listener(), Summary(), []
    told = QueryProgress(query, listener, summary, [received.append])
    told.report()
    query.recentProgress = TOLD
    told.report()
    assert listener.told == [(0, None, 7, 2), (1, 10.0, 8, 2)]
    assert [metrics.batch for metrics in received] == [0, 1]
    assert summary.batches == 2


def test_a_part_that_is_not_called_keeps_what_it_had():
    meter = Meter()
    first, second = map(meter.read, TOLD)
    assert (first.kept, first.waiting, first.keys) == (5, 5, 2)
    assert (second.kept, second.waiting, second.keys) == (3 + 8, 3 + 1, 1 + 2)


def test_lag_is_behind_the_clock_for_dates_and_behind_the_newest_row_for_all_times():
    dated, numbers = Meter().read(TOLD[1]), Meter().read(progress(1, "2026-01-01T00:00:50.500Z", 1, dated=False))
    assert (dated.lag, dated.behind) == (10.0, 9.0)
    assert (numbers.lag, numbers.behind) == (None, 9.0)
    assert Meter().read(progress(1, "2026-01-01T00:00:50.500Z")).behind is None


def test_a_query_without_a_reasoner_has_no_metrics():
    assert Meter().read(TOLD[0] | {"observedMetrics": {}}) is None


def test_the_line_of_a_micro_batch_has_its_metrics(capsys):
    Screen(quiet=False).batch(Meter().read(TOLD[1]), Summary(late=4, rejected=2))
    line = capsys.readouterr().err
    assert "batch 1: 1 row, 1 rows/s, 1,250 ms (2 reasoning), 4 changes, watermark 2026-01-01T00:00:50.5" in line
    assert "10 s behind the clock, keeps 8 facts, rebuilt 1 reasoner, late 4, rejected 2" in line


@pytest.mark.parametrize(("lines", "columns"), [(24, 80), (24, 40), (50, 200)])
def test_the_line_of_a_micro_batch_fits_the_terminal(lines, columns, monkeypatch):
    """139 columns wrap on a terminal of 80, and a wrapped line is not overwritten by the next one."""
    monkeypatch.setenv("LINES", str(lines))
    monkeypatch.setenv("COLUMNS", str(columns))
    busy = replace(Meter().read(TOLD[1]), batch=12_345, rows=1_234_567, changes=98_765, lag=86_400.0, kept=7_654_321)
    master, slave = pty.openpty()
    with os.fdopen(master, "rb", buffering=0) as terminal, os.fdopen(slave, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        Screen(quiet=False).batch(busy, Summary(late=1_234, rejected=5_678))
        line = terminal.read(1000).decode().removeprefix("\r\x1b[K")
    assert len(line) < columns
    assert line.startswith("batch 12345: 1,234,567 rows in 1,250 ms")
    assert ("7,654,321 facts" in line) == (columns == 200)
    assert ("98,765 changes, 1,234 late" in line) == (columns >= 80)


def test_the_log_has_a_line_for_each_micro_batch(caplog):
    with caplog.at_level(logging.INFO, logger="laser.spark"):
        pass_on(Meter().read(TOLD[1]), [])
    assert caplog.messages[0].startswith("cooling: batch 1: 1 row,")


# -- Prometheus


def page_of(*reports):
    page, meter = PrometheusPage(), Meter()
    for report in reports:
        page.receive(meter.read(report))
    return page


def test_the_page_for_prometheus_sums_counters_and_shows_the_last_value_of_gauges():
    lines = page_of(*TOLD).text().splitlines()
    label = '{query="cooling"}'
    assert f"laser_rows_total{label} 8" in lines
    assert f"laser_facts_total{label} 10" in lines
    assert f"laser_late_facts_total{label} 3" in lines
    assert f"laser_rebuilt_reasoners_total{label} 1" in lines
    assert f"laser_reasoning_seconds_total{label} 0.004" in lines
    assert f"laser_kept_facts{label} 11" in lines
    assert f"laser_lag_seconds{label} 10.0" in lines
    assert f"laser_last_batch{label} 1" in lines
    assert 'laser_batch_seconds_bucket{query="cooling",le="1.0"} 0' in lines
    assert 'laser_batch_seconds_bucket{query="cooling",le="2.5"} 2' in lines
    assert 'laser_batch_seconds_bucket{query="cooling",le="+Inf"} 2' in lines
    assert f"laser_batch_seconds_sum{label} 2.5" in lines


def test_every_line_of_the_page_is_in_the_text_format():
    text = page_of(TOLD[0], TOLD[1] | {"name": 'a "b"\\c'}).text()
    comment = r"# (HELP laser_\w+ [^\n]+|TYPE laser_\w+ (counter|gauge|histogram))"
    sample = r'laser_\w+\{query="([^"\\\n]|\\["\\n])*"(,le="[^"]+")?\} -?[0-9.e+-]+'
    odd = [line for line in text.splitlines() if not re.fullmatch(f"{comment}|{sample}", line)]
    assert odd == []
    assert text.endswith("\n")
    names = re.findall(r"# TYPE (\w+)", text)
    assert len(names) == len(set(names))


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_the_page_is_served_on_loopback_until_the_end():
    page = page_of(*TOLD)
    with serve_metrics(page, 0) as port:
        kind, text = get(port, "/metrics")
        assert (kind, text) == ("text/plain; version=0.0.4; charset=utf-8", page.text())
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(port, "/other")
        with (
            pytest.raises(LaserError, match=f"cannot serve metrics at 127.0.0.1:{port}: address already in use"),
            serve_metrics(page, port),
        ):
            pass
    with pytest.raises(urllib.error.URLError):
        get(port, "/metrics")


def test_metrics_need_a_stream():
    with pytest.raises(LaserError, match="--metrics-port works only with --follow"):
        Pipeline("rules.lars", {"temp": Table("in")}, metrics_port=9464).checked()
