"""How it is measured.

A system is brought to its steady state; then its ticks are timed in chunks, each between two runs of the *floor*, which
iterates the same facts and hashes each into a set. A ratio is the median over the chunks of time over floor: both sides
of it saw the same load of a shared machine. The collector of garbage is left on, as users have it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter

from laser.bench.case import Case, Experiment, Fact, Step
from laser.bench.record import Record

__all__ = ["FULL", "QUICK", "Chunk", "Effort", "chunks", "floor", "spread", "summary", "ticks_of", "timed"]

LEAST_FLOOR = 4_000
"""So many facts make a floor that can be timed."""


@dataclass(frozen=True)
class Effort:
    """How much is measured: chunks of at least so many facts, and of at least so many ticks; a system that has taken the
    seconds of its budget is stopped after the chunk at hand, if it has three."""

    chunks: int
    facts: int
    ticks: int
    seconds: float = 60.0


QUICK = Effort(7, 8_000, 4, 8.0)
FULL = Effort(15, 16_000, 6)


@dataclass(frozen=True)
class Chunk:
    """Seconds of the system and of the floor for one fact, how many facts, and how much came out."""

    seconds: float
    floor: float
    facts: int
    out: int


def floor(facts: list[Fact]) -> float:
    """Seconds a fact: iterate, and hash each into a set."""
    times = max(1, -(-LEAST_FLOOR // max(1, len(facts))))
    begin = perf_counter()
    for _ in range(times):
        seen: set[Fact] = set()
        for fact in facts:
            seen.add(fact)
    return (perf_counter() - begin) / (times * max(1, len(facts)))


def ticks_of(case: Case, effort: Effort) -> int:
    """Ticks of a chunk."""
    return max(effort.ticks, effort.facts // max(1, case.n))


def timed(step: Step, batches: list[tuple[int, list[Fact]]]) -> tuple[float, int]:
    """Seconds for some ticks, and what came out."""
    out = 0
    begin = perf_counter()
    for t, facts in batches:
        out += step(t, facts)
    return perf_counter() - begin, out


def warm_up(experiment: Experiment, case: Case, step: Step) -> int:
    """Lead a system to its steady state; the next time."""
    first = experiment.first(case) if experiment.first else []
    ticks = experiment.warm(case)
    for t in range(ticks):
        step(t, first + experiment.facts(case, t) if t == 0 else experiment.facts(case, t))
    return ticks


def chunks(experiment: Experiment, case: Case, step: Step, effort: Effort) -> Iterator[Chunk]:
    """The steady state, chunk by chunk; a first one, which warms up caches, is dropped."""
    t = warm_up(experiment, case, step)
    ticks = ticks_of(case, effort)
    gc.collect()
    spent = 0.0
    for number in range(effort.chunks + 1):
        batches = [(u, experiment.facts(case, u)) for u in range(t, t + ticks)]
        t += ticks
        chunk = one_chunk(step, batches)
        spent += chunk.seconds
        if number:
            yield chunk
        if spent > effort.seconds and number >= 3:
            return


def one_chunk(step: Step, batches: list[tuple[int, list[Fact]]]) -> Chunk:
    facts = [fact for _, batch in batches for fact in batch]
    # The first run also makes the strings keep their hashes, so that neither side pays for that.
    floor(facts)
    before = _floor_by_tick(batches)
    seconds, out = timed(step, batches)
    after = _floor_by_tick(batches)
    return Chunk(seconds, (before + after) / 2, len(facts), out)


def _floor_by_tick(batches: list[tuple[int, list[Fact]]]) -> float:
    """A set for each tick, as the system sees them."""
    total = sum(len(facts) for _, facts in batches)
    return sum(floor(facts) * len(facts) for _, facts in batches) / max(1, total)


def spread(values: list[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high


def summary(
    experiment: Experiment, case: Case, system: str, output: str, measured: list[Chunk], per: Callable[[Chunk], int]
) -> Record:
    """A row: microseconds for each of what ``per`` counts."""
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
