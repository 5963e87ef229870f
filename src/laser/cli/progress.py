"""Shows the progress and the results of a pipeline on Spark."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from laser.cli import messages
from laser.phrases import count
from laser.pipeline import Pipeline

if TYPE_CHECKING:
    from laser.spark.metrics import BatchMetrics
    from laser.spark.progress import PredicateSummary, Summary

__all__ = ["Screen", "describe"]


@dataclass
class Screen:
    """The display while a pipeline runs: a line that changes on a terminal, plain lines in a pipe."""

    quiet: bool
    began: float = field(default_factory=time.monotonic)
    told: float = 0.0
    shown: bool = False

    def say(self, text: str) -> None:
        if not self.quiet:
            self.clear()
            messages.say(text)

    def parts(self, done: int, total: int, rows: int | None) -> None:
        seconds = time.monotonic() - self.began
        share = done / total if total else 0.0
        bar = "█" * int(share * 20) + "░" * (20 - int(share * 20))
        counted = f", {rows:,} rows" if rows else ""
        self._line(f"{bar} {done}/{total} parts{counted}, {seconds:.0f} s")

    def batch(self, metrics: BatchMetrics, so_far: Summary) -> None:
        self._line(str(replace(metrics, late=so_far.late, rejected=so_far.rejected)))

    def _line(self, text: str) -> None:
        if self.quiet:
            return
        if messages.on_terminal():
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self.shown = True
        elif time.monotonic() - self.told > 2:
            self.told = time.monotonic()
            messages.say(text)

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            self.shown = False


def describe(summary: Summary, pipeline: Pipeline) -> str:
    """A readable summary of a run."""
    rate = summary.rows / summary.seconds if summary.seconds else 0.0
    lines = [
        f"{summary.rows:,} rows in {summary.seconds:.1f} s ({rate:,.0f} rows/s), {summary.rejected:,} rejected, "
        f"{summary.late:,} late"
    ]
    width = max((len(held.name) for held in summary.held), default=0)
    lines += [f"  {held.name:<{width}}  {_lasted(held)}" for held in summary.held]
    if pipeline.output:
        lines.append(f"answers in {pipeline.output}")
    return "\n".join(lines)


def _lasted(held: PredicateSummary) -> str:
    often = f"held {count(held.times, 'time')}"
    if held.total is None or not held.times:
        return often
    return f"{often}, {count(held.total, 'time point')} in all, {held.longest:,} at most"
