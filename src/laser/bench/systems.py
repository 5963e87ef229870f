"""Laser as a system under measurement: with changes, with changes that are all read, and with a snapshot at each tick."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from time import thread_time

from laser.bench.ablation import NaiveReasoner
from laser.bench.case import Batch, Case, Experiment, Fact, System
from laser.bench.measure import Effort, chunks, facts_of, numbers, out_of, spread, summary, ticks_of, warm_up
from laser.bench.record import Record
from laser.engine.reasoner import Reasoner
from laser.values import Atom

__all__ = ["ChangeSystem", "ReadSystem", "SnapshotSystem", "changes", "changes_read", "naive", "snapshots"]


class ChangeSystem:
    """Changes as output: a sequence with a known length, which is computed when it is read."""

    def __init__(self, program: str) -> None:
        self.reasoner = Reasoner(program, start=0)

    def load(self, t: int, facts: list[Fact]) -> None:
        self.reasoner.advance(t, facts)

    def run(self, batches: list[Batch]) -> int:
        advance = self.reasoner.advance
        return sum(len(advance(t, facts)) for t, facts in batches)


class ReadSystem(ChangeSystem):
    """Changes as output, each of them read."""

    def run(self, batches: list[Batch]) -> int:
        return sum(len(list(self.reasoner.advance(t, facts))) for t, facts in batches)


class SnapshotSystem(ChangeSystem):
    """Everything that holds, at every tick."""

    def run(self, batches: list[Batch]) -> int:
        out = 0
        for t, facts in batches:
            self.reasoner.advance(t, facts)
            out += len(self.reasoner.holding())
        return out


class NaiveSystem(ChangeSystem):
    """Everything derived again at every tick: see ``ablation``."""

    def __init__(self, program: str) -> None:
        self.reasoner = self.naive = NaiveReasoner(program, start=0)

    def load(self, t: int, facts: list[Fact]) -> None:
        self.naive.feed(t, facts)


def changes(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
    """The cost per fact and, if the experiment is about changes, also per change."""
    measured = list(chunks(experiment, case, ChangeSystem(experiment.program(case)), effort))
    yield summary(experiment, case, "laser", "changes", measured, facts_of)
    if experiment.unit == "change":
        yield summary(experiment, case, "laser", "changes", measured, out_of)


def _by_fact(name: str, output: str, make: Callable[[str], System]) -> Callable[..., Iterator[Record]]:
    def measure(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
        measured = list(chunks(experiment, case, make(experiment.program(case)), effort))
        yield summary(experiment, case, name, output, measured, facts_of)

    return measure


changes_read = _by_fact("laser", "changes read", ReadSystem)
naive = _by_fact("naive", "changes", NaiveSystem)


def snapshots(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
    """The cost per fact, and the cost of the snapshot alone compared with building a set of the same atoms."""
    measured = list(chunks(experiment, case, SnapshotSystem(experiment.program(case)), effort))
    yield summary(experiment, case, "laser", "snapshot", measured, facts_of)
    yield from snapshot_alone(experiment, case, effort)


ALONE, REHASHED = "snapshot alone", "snapshot, atoms at hand"
"""Compared with making each atom and hashing it into a set, and with hashing existing atoms."""


def snapshot_alone(experiment: Experiment, case: Case, effort: Effort) -> Iterator[Record]:
    """Microseconds per atom for ``holding()``, compared with two ways to build that set."""
    reasoner = Reasoner(experiment.program(case), start=0)
    first = warm_up(experiment, case, reasoner.advance)
    values: list[float] = []
    floors: dict[str, list[float]] = {ALONE: [], REHASHED: []}
    for t in range(first, first + max(effort.chunks, ticks_of(case, effort) // 2)):
        reasoner.advance(t, experiment.facts(case, t))
        begin = thread_time()
        held = reasoner.holding()
        seconds = thread_time() - begin
        if held:
            values.append(seconds / len(held) * 1e6)
            floors[REHASHED].append(_build_set(list(held)) / len(held) * 1e6)
            floors[ALONE].append(_make_set(list(map(tuple, held))) / len(held) * 1e6)
    for output, base in floors.items():
        where = (experiment.name, *numbers(case), "laser", output, "µs/atom")
        if not values:
            yield Record(*where, None, note="nothing holds")
            continue
        low, ratio, high = spread([value / floor for value, floor in zip(values, base, strict=True)])
        yield Record(*where, median(values), median(base), ratio, low, high)


def _build_set(atoms: Sequence[Fact]) -> float:
    begin = thread_time()
    seen: set[Fact] = set()
    for atom in atoms:
        seen.add(atom)
    return thread_time() - begin


def _make_set(flat_atoms: Sequence[Fact]) -> float:
    begin = thread_time()
    seen: set[Fact] = set()
    for flat in flat_atoms:
        seen.add(Atom.of(flat))
    return thread_time() - begin
