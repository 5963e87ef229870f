"""Shows the progress and the results of a pipeline on Spark."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from laser.cli import messages
from laser.phrases import columns_of, count
from laser.pipeline import Pipeline

if TYPE_CHECKING:
    from laser.spark.metrics import BatchMetrics
    from laser.spark.progress import PredicateSummary, Summary

__all__ = ["Screen", "as_many_as_fit", "describe"]


@dataclass
class Screen:
    """The display while a pipeline runs: on a terminal one line that changes and fits, plain lines in a pipe."""

    quiet: bool
    began: float = field(default_factory=time.monotonic)
    printed: float = 0.0
    """When the last plain line was printed."""
    shown: bool = False

    def say(self, text: str) -> None:
        if not self.quiet:
            self.clear()
            messages.finding(text)

    def parts(self, done: int, total: int, rows: int | None) -> None:
        seconds = time.monotonic() - self.began
        share = done / total if total else 0.0
        bar = "█" * int(share * 20) + "░" * (20 - int(share * 20))
        counted = [f"{rows:,} rows"] if rows else []
        self._line([f"{bar} {done}/{total} parts", f"{seconds:.0f} s", *counted])

    def batch(self, metrics: BatchMetrics, so_far: Summary) -> None:
        metrics = replace(metrics, late=so_far.late, rejected=so_far.rejected)
        self._line(_most_important_first(metrics) if messages.on_terminal() else [str(metrics)])

    def _line(self, parts: Sequence[str]) -> None:
        if self.quiet:
            return
        if messages.on_terminal():
            text = as_many_as_fit(parts, shutil.get_terminal_size().columns - 1)
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self.shown = True
        elif time.monotonic() - self.printed > 2:
            self.printed = time.monotonic()
            messages.say(", ".join(parts))

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            self.shown = False


def as_many_as_fit(parts: Sequence[str], width: int) -> str:
    """The first parts, separated by commas, as many as a line of a terminal has room for.

    >>> as_many_as_fit(["batch 7: 40 rows", "3 changes", "keeps 2,520 facts"], 30)
    'batch 7: 40 rows, 3 changes'
    """
    lines = [", ".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((line for line in lines if columns_of(line) <= width), lines[-1][:width])


def _most_important_first(metrics: BatchMetrics) -> list[str]:
    """The numbers of a micro-batch for a person who watches. Late and rejected rows come early, if there are any."""
    time_spent = f"{metrics.seconds * 1000:,.0f} ms"
    parts = [f"batch {metrics.batch}: {count(metrics.rows, 'row')} in {time_spent}", count(metrics.changes, "change")]
    parts += [
        f"{number:,} {what}" for number, what in ((metrics.late, "late"), (metrics.rejected, "rejected")) if number
    ]
    if metrics.lag is not None:
        parts.append(f"{metrics.lag:,.0f} s behind the clock")
    parts.append(f"keeps {count(metrics.kept, 'fact')}")
    if metrics.rebuilt:
        parts.append(f"rebuilt {count(metrics.rebuilt, 'reasoner')}")
    return [*parts, f"{metrics.reasoning * 1000:,.0f} ms reasoning"]


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
    if not held.times:
        return "never held"
    often = "held once" if held.times == 1 else f"held {held.times:,} times"
    if held.total is None:
        return often
    lasted = f"{often}, for {count(held.total, 'time point')}"
    return lasted if held.times == 1 else f"{lasted} in total, at most {held.longest:,} at a time"
