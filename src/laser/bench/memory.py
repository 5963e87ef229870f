"""Memory per live fact, compared with a set of the same facts."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

from laser.bench.case import Case, Experiment, Fact
from laser.bench.measure import numbers, warm_up
from laser.bench.record import Record
from laser.engine.reasoner import Reasoner

__all__ = ["memory"]


def memory(experiment: Experiment, case: Case) -> Record:
    """Bytes for each fact and time in the window, including the fact itself and everything derived from it."""
    kept: list[set[Fact]] = []
    total = _allocated(lambda: _reasoner(experiment, case))
    # As many ticks as the window has, so that both contain the same facts.
    floor = _allocated(lambda: kept.extend(set(experiment.facts(case, t)) for t in range(1, case.w + 2)))
    alive = sum(map(len, kept))
    where = (experiment.name, *numbers(case), "laser", "memory", "bytes/live fact")
    ratio = total / floor
    return Record(*where, total / alive, floor / alive, ratio, ratio, ratio)


def _reasoner(experiment: Experiment, case: Case) -> Reasoner:
    reasoner = Reasoner(experiment.program(case), start=0)
    warm_up(experiment, case, lambda t, facts: len(reasoner.advance(t, facts)))
    return reasoner


def _allocated(make: Callable[[], Any]) -> int:
    """Bytes that are still allocated after something was made."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    made = make()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del made
    return after - before
