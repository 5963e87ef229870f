"""Pathway: temporal joins and windows over a stream that a Python connector feeds, with one commit per time point.

Pathway reports for each row from when and until when it holds; the answers at a time follow from that. It runs in its own
thread, and a chunk of ticks is complete when all its results have come out.
"""

from __future__ import annotations

import logging
import threading
from queue import SimpleQueue
from typing import Any

from laser.bench.case import Batch, Case, Experiment, Fact
from laser.bench.peers.peer import Peer
from laser.bench.peers.sql import TABLES
from laser.bench.programs import usual

__all__ = ["PATHWAY"]

PATIENCE = 120.0
"""Seconds after which a chunk is given up."""


class Pathway:
    """One computation, from the first fact to ``close``."""

    def __init__(self, experiment: Experiment, case: Case) -> None:
        import pathway as pw
        from pathway.internals.parse_graph import G

        G.clear()  # remove what an earlier experiment built
        for name in ("pathway", "pathway_engine"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # no log lines between the lines of the table
        self.experiment, self.w = experiment, case.w
        self.queue: SimpleQueue[Batch | None] = SimpleQueue()
        self.holds: dict[tuple[Fact, int, int], int] = {}  # with a count, because a head can be derived in several ways
        self.t = self.out = 0
        self.come: dict[int, int] = {}
        self.moved = threading.Condition()
        self.failed: BaseException | None = None
        (self.types,) = TABLES[experiment.name].values()
        table = pw.io.python.read(self.subject(pw), schema=self.schema(pw), autocommit_duration_ms=None)
        sinks = _results(pw, experiment, case, table)
        self.waiting = dict.fromkeys(sinks, -1)
        pw.io.subscribe(table, on_change=self.note)
        for head, result in sinks.items():
            self.watch(pw, head, result)
        self.thread = threading.Thread(target=self.compute, args=(pw,), daemon=True)
        self.thread.start()

    def schema(self, pw: Any) -> Any:
        columns = {f"c{i}": pw.column_definition(dtype=kind) for i, kind in enumerate(self.types)}
        return pw.schema_builder({**columns, "t": pw.column_definition(dtype=int)})

    def subject(self, pw: Any) -> Any:
        queue = self.queue

        class Subject(pw.io.python.ConnectorSubject):  # type: ignore[misc] # untyped, as Pathway is
            def run(self) -> None:
                while (batch := queue.get()) is not None:
                    t, facts = batch
                    for fact in dict.fromkeys(facts):
                        self.next(**{f"c{i}": value for i, value in enumerate(fact[1:])}, t=t)
                    self.commit()

        return Subject()

    def compute(self, pw: Any) -> None:
        try:
            pw.run(monitoring_level=pw.MonitoringLevel.NONE)
        except BaseException as error:  # reported where the results are awaited
            self.failed = error
        with self.moved:
            self.moved.notify_all()

    def note(self, key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:
        """Record the Pathway time at which our time was processed."""
        with self.moved:
            self.come[row["t"]] = time
            self.moved.notify_all()

    def watch(self, pw: Any, head: str, result: Any) -> None:
        def change(key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:
            values = list(row.values())
            span = ((head, *values[:-2]), values[-2], values[-1])
            self.out += 1
            self.holds[span] = self.holds.get(span, 0) + (1 if is_addition else -1)

        def end(time: int) -> None:
            with self.moved:
                self.waiting[head] = time
                self.moved.notify_all()

        pw.io.subscribe(result, on_change=change, on_time_end=end)

    def load(self, t: int, facts: list[Fact]) -> None:
        self.queue.put((t, facts))
        self.t = t

    def run(self, batches: list[Batch]) -> int:
        before = self.out
        for t, facts in batches:
            self.load(t, facts)
        self.ready()
        return self.out - before

    def ready(self) -> None:
        """Wait until everything that was fed has been answered."""
        with self.moved:
            if not self.moved.wait_for(self.finished, PATIENCE) or self.failed is not None:
                raise RuntimeError(f"Pathway did not finish a tick: {self.failed or 'no answer'}")

    def finished(self) -> bool:
        seen = self.come.get(self.t)
        return self.failed is not None or (seen is not None and min(self.waiting.values()) >= seen)

    def answer(self) -> set[Fact]:
        return {fact for (fact, since, until), times in self.holds.items() if times and since <= self.t <= until}

    def close(self) -> None:
        self.queue.put(None)
        self.thread.join(PATIENCE)


def _results(pw: Any, experiment: Experiment, case: Case, table: Any) -> dict[str, Any]:
    """A table for each head: its arguments, and since and until when it holds."""
    match experiment.name:
        case "diamond":
            return {"q": table.select(pw.this.c0, pw.this.c1, since=pw.this.t, until=pw.this.t + case.w)}
        case "box":
            return {"q": _box(pw, case, table)}
        case "join":
            return {"q": _join(pw, case, table)}
        case "multi-heads":
            return {f"q{i}": _join(pw, case, table) for i in range(1, case.r + 1)}
        case "count":
            counted = _sliding(pw, case, table, table.c1, pw.reducers.count_distinct(pw.this.c0))
            return {"busy": counted.filter(pw.this.found > usual(case)).select(pw.this.group, **_now(pw))}
        case "average":
            means = _sliding(pw, case, table, table.c0, pw.reducers.avg(pw.this.c1))
            return {"mean": means.select(pw.this.group, pw.this.found, **_now(pw))}
        case "extremes":
            largest = _sliding(pw, case, table, table.c0, pw.reducers.max(pw.this.c1))
            return {"highest": largest.select(pw.this.group, pw.this.found, **_now(pw))}
        case "tumbling":
            return {"report": _tumbling(pw, case, table)}
        case _:
            raise NotImplementedError(experiment.name)


def _join(pw: Any, case: Case, left: Any) -> Any:
    """Pairs that are in a window together, so at most w apart; older rows are forgotten."""
    right, near = left.copy(), pw.temporal.interval(-case.w, case.w)
    joined = pw.temporal.interval_join(
        left, right, left.t, right.t, near, left.c1 == right.c0, behavior=pw.temporal.common_behavior(cutoff=case.w)
    )
    later = pw.if_else(left.t > right.t, left.t, right.t)
    earlier = pw.if_else(left.t < right.t, left.t, right.t)
    return joined.select(c0=left.c0, c1=right.c1, since=later, until=earlier + case.w)


def _sliding(pw: Any, case: Case, table: Any, group: Any, reducer: Any) -> Any:
    """The aggregate of a group in each sliding window, as ``found``, and the end of that window."""
    sliding = pw.temporal.sliding(hop=1, duration=case.w + 1)
    cutoff = pw.temporal.common_behavior(cutoff=case.w, keep_results=True)
    windows = table.windowby(table.t, window=sliding, instance=group, behavior=cutoff)
    return windows.reduce(group=pw.this._pw_instance, since=pw.this._pw_window_end - 1, found=reducer)


def _now(pw: Any) -> dict[str, Any]:
    """When a result of a sliding window holds: only at the end of the window."""
    return {"since": pw.this.since, "until": pw.this.since}


def _box(pw: Any, case: Case, table: Any) -> Any:
    """A value that occurs at every time point of a sliding window."""
    counted = _sliding(pw, case, table, table.c0, pw.reducers.count())
    length = pw.if_else(pw.this.since < case.w, pw.this.since, case.w) + 1
    full = counted.filter(pw.this.found == length)
    return full.select(c0=pw.this.group, since=pw.this.since, until=pw.this.since)


def _tumbling(pw: Any, case: Case, table: Any) -> Any:
    """The count of each block, which holds throughout the next block."""
    blocks = pw.temporal.tumbling(duration=case.w)
    cutoff = pw.temporal.common_behavior(cutoff=case.w, keep_results=True)
    windows = table.windowby(table.t, window=blocks, instance=table.c1, behavior=cutoff)
    end = pw.this._pw_window_end
    counted = windows.reduce(group=pw.this._pw_instance, since=end, found=pw.reducers.count())
    return counted.select(pw.this.group, pw.this.found, since=pw.this.since, until=pw.this.since + case.w - 1)


_NO_POINTS = "no operator for every time point of a window of derived rows, and none for the absence of rows at a time"

PATHWAY = Peer(
    "pathway",
    "Pathway, temporal joins",
    "pathway",
    "pathway",
    Pathway,
    {
        "cooling": f"{_NO_POINTS}: not written",
        "recursion": "pw.iterate has no temporal behaviour, so edges do not leave the window: not written",
        "negation": "an anti-join that ends when rows leave the window is not offered: not written",
        "tuples": "no windows over the last n rows of the whole stream",
        "latest": "written for the paper's experiments only",
        "rules": "written for the paper's experiments only",
        "quantile": "no reducer for quantiles",
        "hysteresis": "no answer at time points at which nothing comes: not written",
    },
    widest=dict.fromkeys(("box", "count", "average", "extremes"), 40),
)
