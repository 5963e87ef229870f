"""The method of measurement.

A system is brought to its steady state. Then its ticks are timed in chunks, each between two runs of the *floor*, which
iterates over the same facts and hashes each into a set. A ratio is the median over the chunks of time divided by floor, so
that both sides had the same load on a shared machine. Work in this thread is timed by the clock of the thread, which stops
while other processes use the processor. Next to peers, which have threads of their own, everything is timed by the wall
clock. The garbage collector is left on, as in normal use.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter, thread_time
from typing import TypeAlias

from laser.bench.case import Batch, Case, Experiment, Fact, System
from laser.bench.record import Record

__all__ = [
    "FULL",
    "QUICK",
    "WALL",
    "Chunk",
    "Clock",
    "Effort",
    "chunks",
    "facts_at",
    "facts_of",
    "floor",
    "numbers",
    "one_chunk",
    "out_of",
    "spread",
    "summary",
    "ticks_of",
    "warm_up",
]

Clock: TypeAlias = Callable[[], float]

LEAST_FLOOR = 4_000
"""The smallest number of facts for which a floor can be timed."""


@dataclass(frozen=True)
class Effort:
    """How much is measured: chunks of at least this many facts and at least this many ticks. A system that has used up its budget
    of seconds is stopped after the current chunk, if it has three."""

    chunks: int
    facts: int
    ticks: int
    seconds: float = 60.0
    clock: Clock = thread_time
    quick: bool = False


QUICK = Effort(15, 4_000, 4, 4.0, quick=True)
FULL = Effort(31, 8_000, 5)
WALL = perf_counter


@dataclass(frozen=True)
class Chunk:
    """Seconds per fact of the system and of the floor, the number of facts, and the size of the output."""

    seconds: float
    floor: float
    facts: int
    out: int


def floor(batches: list[Batch], clock: Clock) -> float:
    """Seconds per fact: iterate, and hash each fact into a set, one set per tick."""
    facts = sum(len(batch) for _, batch in batches)
    times = -(-LEAST_FLOOR // facts) if facts else 1
    begin = clock()
    for _ in range(times):
        for _, batch in batches:
            seen: set[Fact] = set()
            for fact in batch:
                seen.add(fact)
    return (clock() - begin) / max(1, times * facts)


def ticks_of(case: Case, effort: Effort) -> int:
    """The ticks of a chunk."""
    return max(effort.ticks, effort.facts // max(1, case.n))


def warm_up(experiment: Experiment, case: Case, load: Callable[[int, list[Fact]], object]) -> int:
    """Bring a system to its steady state. Returns the next time."""
    ticks = experiment.warm(case)
    for t in range(ticks):
        load(t, facts_at(experiment, case, t))
    return ticks


def facts_at(experiment: Experiment, case: Case, t: int) -> list[Fact]:
    """The facts of a time; at the beginning, with the experiment's first facts."""
    first = experiment.first(case) if experiment.first and t == 0 else []
    return first + experiment.facts(case, t)


def chunks(experiment: Experiment, case: Case, system: System, effort: Effort) -> Iterator[Chunk]:
    """The steady state, chunk by chunk; the first chunk, which warms up caches, is dropped."""
    t = warm_up(experiment, case, system.load)
    ticks = ticks_of(case, effort)
    gc.collect()
    spent = 0.0
    for number in range(effort.chunks + 1):
        batches = [(u, experiment.facts(case, u)) for u in range(t, t + ticks)]
        t += ticks
        chunk = one_chunk(system, batches, effort.clock)
        spent += chunk.seconds
        if number:
            yield chunk
        if spent > effort.seconds and number >= 3:
            return


def one_chunk(system: System, batches: list[Batch], clock: Clock) -> Chunk:
    """Time a system between two floors."""
    # After the first run, the strings have their hashes, so that neither side pays for them.
    floor(batches, clock)
    before = floor(batches, clock)
    begin = clock()
    out = system.run(batches)
    seconds = clock() - begin
    after = floor(batches, clock)
    return Chunk(seconds, (before + after) / 2, sum(len(facts) for _, facts in batches), out)


def spread(values: list[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high


def summary(
    experiment: Experiment, case: Case, system: str, output: str, measured: list[Chunk], per: Callable[[Chunk], int]
) -> Record:
    """A row: microseconds for each unit that ``per`` counts."""
    unit = "µs/change" if per is out_of else "µs/fact"
    measured = [chunk for chunk in measured if per(chunk)]
    if not measured:
        return Record(experiment.name, *numbers(case), system, output, unit, None, note="nothing came out")
    values = [chunk.seconds / per(chunk) * 1e6 for chunk in measured]
    ratios = [chunk.seconds / per(chunk) / chunk.floor for chunk in measured]
    low, ratio, high = spread(ratios)
    base = median(chunk.floor for chunk in measured) * 1e6
    return Record(experiment.name, *numbers(case), system, output, unit, median(values), base, ratio, low, high)


def numbers(case: Case) -> tuple[int, int, int, int]:
    return (case.n, case.w, case.r, case.live)


def facts_of(chunk: Chunk) -> int:
    return chunk.facts


def out_of(chunk: Chunk) -> int:
    return chunk.out
