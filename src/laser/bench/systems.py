"""Laser as a system under measurement: with changes, with changes that are all read, and with a snapshot each tick."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from laser.bench.case import Case, Experiment, Fact, Step
from laser.bench.measure import Effort, chunks, facts_of, numbers, out_of, spread, summary, ticks_of, warm_up
from laser.bench.record import Record
from laser.engine.reasoner import Reasoner

__all__ = ["laser_changes", "laser_read", "laser_snapshots", "step_changes", "step_snapshots"]


def step_changes(program: str) -> Step:
    """Changes as output: a sequence whose length is known, and which is made when it is read."""
    reasoner = Reasoner(program, start=0)
    advance = reasoner.advance
    return lambda t, facts: len(advance(t, facts))


def step_read(program: str) -> Step:
    """Changes as output, each of them read."""
    reasoner = Reasoner(program, start=0)
    advance = reasoner.advance
    return lambda t, facts: sum(1 for _ in advance(t, facts))


def step_snapshots(program: str) -> Step:
    """All that holds, at every tick."""
    reasoner = Reasoner(program, start=0)

    def step(t: int, facts: list[Fact]) -> int:
        reasoner.advance(t, facts)
        return len(reasoner.holding())

    return step


def laser_changes(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
    """By fact; where the experiment is about changes, by change as well."""
    measured = list(chunks(experiment, case, step_changes(experiment.program(case)), effort))
    yield summary(experiment, case, "laser", "changes", measured, facts_of)
    if experiment.unit == "change":
        yield summary(experiment, case, "laser", "changes", measured, out_of)


def laser_read(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
    measured = list(chunks(experiment, case, step_read(experiment.program(case)), effort))
    yield summary(experiment, case, "laser", "changes read", measured, facts_of)


def laser_snapshots(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
    """The cost by fact, and that of the snapshot alone next to building a set of the same atoms."""
    measured = list(chunks(experiment, case, step_snapshots(experiment.program(case)), effort))
    yield summary(experiment, case, "laser", "snapshot", measured, facts_of)
    yield snapshot_alone(experiment, case, effort)


def snapshot_alone(experiment: Experiment, case: Case, effort: Effort) -> Record:
    """Microseconds an atom for ``holding()``; its floor iterates the atoms and hashes each into a set."""
    reasoner = Reasoner(experiment.program(case), start=0)
    first = warm_up(experiment, case, lambda t, facts: len(reasoner.advance(t, facts)))
    values, floors = [], []
    for t in range(first, first + max(effort.chunks, ticks_of(case, effort) // 2)):
        reasoner.advance(t, experiment.facts(case, t))
        begin = perf_counter()
        held = reasoner.holding()
        seconds = perf_counter() - begin
        if held:
            values.append(seconds / len(held) * 1e6)
            floors.append(_build_set(list(map(tuple, held))) / len(held) * 1e6)
    if not values:
        return Record(experiment.name, *numbers(case), "laser", "snapshot alone", "µs/atom", None, note="nothing holds")
    low, ratio, high = spread([value / base for value, base in zip(values, floors, strict=True)])
    where = (experiment.name, *numbers(case), "laser", "snapshot alone", "µs/atom")
    return Record(*where, median(values), median(floors), ratio, low, high)


def _build_set(atoms: list[Fact]) -> float:
    begin = perf_counter()
    seen: set[Fact] = set()
    for atom in atoms:
        seen.add(atom)
    return perf_counter() - begin
