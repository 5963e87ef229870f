"""What people see of a pipeline on Spark: how far it is, and what it did."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from laser.cli import messages
from laser.phrases import count
from laser.pipeline import Pipeline

if TYPE_CHECKING:
    from laser.spark.progress import PredicateSummary, Summary

__all__ = ["Screen", "describe"]


@dataclass
class Screen:
    """What people see while a pipeline runs: a line that changes on a terminal, plain lines in a pipe."""

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

    def batch(self, progress: dict[str, Any]) -> None:
        rate = float(progress.get("processedRowsPerSecond") or 0)
        state = sum(int(op.get("numRowsTotal") or 0) for op in progress.get("stateOperators") or [])
        watermark = (progress.get("eventTime") or {}).get("watermark", "-")
        took = int((progress.get("durationMs") or {}).get("triggerExecution") or 0)
        lag = f", {progress['lag']:,.0f} s behind the clock" if progress["lag"] is not None else ""
        self._line(
            f"batch {progress['batchId']}: {progress.get('numInputRows') or 0:,} rows, {rate:,.0f} rows/s, {took:,} ms, watermark "
            f"{watermark}{lag}, state {state:,}, late {progress['late']:,}, rejected {progress['rejected']:,}"
        )

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
    """What a run did, for people."""
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
