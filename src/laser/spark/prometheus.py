"""Metrics for Prometheus, in its text format, over HTTP.

Counters, gauges and one histogram are a page of text, so this needs no client library.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from laser.errors import LaserError
from laser.spark.metrics import BatchMetrics

__all__ = ["PrometheusPage", "serve_metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LOOPBACK = "127.0.0.1"
BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The bounds of the histogram of durations, in seconds."""


class Metric(NamedTuple):
    """A number of a micro-batch as a metric of Prometheus; counters are summed up, gauges show the last value."""

    name: str
    help: str
    value: Callable[[BatchMetrics], float | None]


COUNTERS = (
    Metric("laser_rows_total", "Input rows.", lambda m: m.rows),
    Metric("laser_rejected_rows_total", "Input rows that do not fit.", lambda m: m.rejected),
    Metric("laser_facts_total", "Facts that arrived in time.", lambda m: m.facts),
    Metric("laser_selected_facts_total", "Facts in time that can matter to the rules.", lambda m: m.selected),
    Metric("laser_late_facts_total", "Facts that came after the watermark had passed them.", lambda m: m.late),
    Metric("laser_changes_total", "What began or ended to hold.", lambda m: m.changes),
    Metric("laser_rebuilt_reasoners_total", "Reasoners that were rebuilt from the state.", lambda m: m.rebuilt),
    Metric("laser_reasoning_seconds_total", "Time within reasoners, of all parts.", lambda m: m.reasoning),
    Metric("laser_operator_seconds_total", "Time within the operator, of all parts.", lambda m: m.operator),
)
GAUGES = (
    Metric("laser_kept_facts", "Facts in the state.", lambda m: m.kept),
    Metric("laser_waiting_facts", "Facts that wait for the watermark.", lambda m: m.waiting),
    Metric("laser_known_keys", "Keys that a lifted program has seen.", lambda m: m.keys),
    Metric("laser_state_bytes", "Memory of the state store of Spark.", lambda m: m.state_bytes),
    Metric("laser_last_batch", "The number of the last micro-batch.", lambda m: m.batch),
    Metric(
        "laser_last_batch_timestamp_seconds",
        "When the last micro-batch ended.",
        lambda m: m.began.timestamp() + m.seconds,
    ),
    Metric(
        "laser_watermark_timestamp_seconds",
        "Time points before it are answered.",
        lambda m: None if m.watermark is None else m.watermark.timestamp(),
    ),
    Metric("laser_lag_seconds", "How far the watermark is behind the clock.", lambda m: m.lag),
    Metric("laser_behind_input_seconds", "How far the watermark is behind the newest row.", lambda m: m.behind),
)
DURATION = "laser_batch_seconds"


@dataclass
class _QueryTotals:
    """What is shown of one query."""

    counters: dict[str, float] = field(default_factory=dict)
    gauges: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    batches: int = 0
    within: dict[float, int] = field(default_factory=lambda: dict.fromkeys(BOUNDS, 0))

    def add(self, metrics: BatchMetrics) -> None:
        for metric in COUNTERS:
            self.counters[metric.name] = self.counters.get(metric.name, 0) + (metric.value(metrics) or 0)
        for metric in GAUGES:
            value = metric.value(metrics)
            if value is not None:
                self.gauges[metric.name] = value
        self.seconds += metrics.seconds
        self.batches += 1
        for bound in BOUNDS:
            self.within[bound] += metrics.seconds <= bound


class PrometheusPage:
    """The page that Prometheus reads. ``receive`` takes the metrics of a micro-batch."""

    def __init__(self) -> None:
        self._queries: dict[str, _QueryTotals] = {}
        self._lock = threading.Lock()

    def receive(self, metrics: BatchMetrics) -> None:
        with self._lock:
            self._queries.setdefault(metrics.query, _QueryTotals()).add(metrics)

    def text(self) -> str:
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for metric in COUNTERS:
            yield from _header(metric.name, metric.help, "counter")
            for query, totals in self._queries.items():
                yield f"{metric.name}{{{_label(query)}}} {_number(totals.counters[metric.name])}"
        for metric in GAUGES:
            yield from _header(metric.name, metric.help, "gauge")
            for query, totals in self._queries.items():
                if metric.name in totals.gauges:
                    yield f"{metric.name}{{{_label(query)}}} {_number(totals.gauges[metric.name])}"
        yield from _header(DURATION, "How long micro-batches took.", "histogram")
        for query, totals in self._queries.items():
            yield from _histogram(_label(query), totals)


def _header(name: str, text: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"


def _histogram(label: str, totals: _QueryTotals) -> Iterator[str]:
    for bound, number in totals.within.items():
        yield f'{DURATION}_bucket{{{label},le="{bound}"}} {number}'
    yield f'{DURATION}_bucket{{{label},le="+Inf"}} {totals.batches}'
    yield f"{DURATION}_sum{{{label}}} {_number(totals.seconds)}"
    yield f"{DURATION}_count{{{label}}} {totals.batches}"


def _label(query: str) -> str:
    escaped = query.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'query="{escaped}"'


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))


def _refusal(host: str, port: int, reason: str) -> LaserError:
    return LaserError(
        f"cannot serve metrics at {host}:{port}: {reason[:1].lower()}{reason[1:]}. Choose another port or address"
    )


@contextmanager
def serve_metrics(page: PrometheusPage, port: int, host: str = LOOPBACK) -> Iterator[int]:
    """Serve a page at ``/metrics`` while the body runs; gives the port, which Python chooses for 0."""
    try:
        server = ThreadingHTTPServer((host, port), _handler(page))
    except OSError as error:
        raise _refusal(host, port, error.strerror or str(error)) from None
    except OverflowError as error:
        raise _refusal(host, port, str(error)) from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _handler(page: PrometheusPage) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10
        """Seconds; a client that sends nothing does not keep its thread."""

        def do_GET(self) -> None:
            found = self.path.partition("?")[0] in ("/", "/metrics")
            body = page.text().encode() if found else b"the metrics are at /metrics\n"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", CONTENT_TYPE if found else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server wants
            """Requests are not logged: there is one every few seconds."""

    return Handler
