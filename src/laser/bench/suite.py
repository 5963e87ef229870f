"""A run: the list of measurements, their order, and the effort for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from laser.bench import systems
from laser.bench.case import Case, Experiment
from laser.bench.experiments import EXPERIMENTS, experiment
from laser.bench.files import KINDS as KINDS_OF_FILES
from laser.bench.files import files
from laser.bench.history import history
from laser.bench.measure import FULL, QUICK, Effort
from laser.bench.memory import memory
from laser.bench.peers import PEERS
from laser.bench.peers.race import CASES, QUICK_CASES, race
from laser.bench.questions import HISTORIES
from laser.bench.record import Record
from laser.bench.startup import KINDS, startup

__all__ = ["PARTS", "Task", "tasks"]

EXTRAS = {
    "memory": "bytes for each live fact, next to a set of the facts",
    "ablation": "semi-naive evaluation on and off (the paper's ablation)",
    "startup": "parsing and compiling large programs",
    "history": "rules as SQL over a million rows, next to SQL by hand and the reasoner (extra duckdb)",
    "files": "CSV, JSON Lines and Parquet to changes through `laser eval`, compared with only reading them",
    "peers": "clingo, Pathway, DuckDB, Spark SQL and the reference, each checked first",
}
PARTS = {**{one.name: one.title for one in EXPERIMENTS}, **EXTRAS}
"""The parts that can be chosen, each with a description."""

PAPER = ("diamond", "box", "join", "cooling")
SNAPSHOTS = (Case(200, 20), Case(800, 1), Case(800, 20), Case(800, 80))
ABLATION = {
    True: {"join": (Case(200, 1), Case(200, 20), Case(800, 20)), "cooling": (Case(800, 20),)},
    False: {name: tuple(Case(n, w) for n in (200, 800) for w in (1, 20, 40, 80)) for name in ("join", "cooling")},
}


@dataclass(frozen=True)
class Task:
    """A few measurements that belong together."""

    part: str
    label: str
    measure: Callable[[], Iterable[Record]]


def tasks(parts: Iterable[str] = (), quick: bool = False, peers: Iterable[str] = ()) -> list[Task]:
    """The tasks of the chosen parts, or of all."""
    wanted = set(parts) or set(PARTS)
    effort = QUICK if quick else FULL
    everything = [*_streams(quick, effort), *_memory(quick), *_ablation(quick, effort), *_startup(effort)]
    everything += [*_history(quick), *_files(quick), *_peers(quick, set(peers))]
    return [task for task in everything if task.part in wanted]


def _streams(quick: bool, effort: Effort) -> Iterator[Task]:
    for one in EXPERIMENTS:
        for case in one.quick if quick else one.cases:
            yield _task(one.name, one, case, systems.changes, effort)
        if one.snapshots:
            for case in SNAPSHOTS[2:3] if quick else SNAPSHOTS:
                yield _task(one.name, one, case, systems.snapshots, effort)
                yield _task(one.name, one, case, systems.changes_read, effort)


def _task(
    part: str,
    one: Experiment,
    case: Case,
    measure: Callable[[Experiment, Case, Effort], Iterator[Record]],
    effort: Effort,
) -> Task:
    return Task(part, f"{one.name} {case}", lambda: measure(one, case, effort))


def _memory(quick: bool) -> Iterator[Task]:
    for name in PAPER:
        case = Case(200, 20) if quick else Case(800, 80)
        yield Task("memory", f"memory {name} {case}", lambda name=name, case=case: [memory(experiment(name), case)])  # type: ignore[misc]


def _ablation(quick: bool, effort: Effort) -> Iterator[Task]:
    less = replace(effort, chunks=5, facts=0, ticks=2, seconds=6.0)
    for name, cases in ABLATION[quick].items():
        for case in cases:
            yield _task("ablation", experiment(name), case, systems.changes, effort)
            yield _task("ablation", experiment(name), case, systems.naive, less)


def _startup(effort: Effort) -> Iterator[Task]:
    for kind in KINDS:
        yield Task("startup", kind, lambda kind=kind: startup(kind, effort))  # type: ignore[misc]


def _history(quick: bool) -> Iterator[Task]:
    rows, repetitions = (100_000, 3) if quick else (1_000_000, 5)
    for name in HISTORIES:
        label = f"history {name}"
        yield Task("history", label, lambda name=name: history(name, rows, repetitions))  # type: ignore[misc]


def _files(quick: bool) -> Iterator[Task]:
    rows, repetitions = (100_000, 3) if quick else (1_000_000, 5)
    for kind in KINDS_OF_FILES:
        yield Task("files", f"files {kind}", lambda kind=kind: files(kind, rows, repetitions))  # type: ignore[misc]


def _peers(quick: bool, wanted: set[str]) -> Iterator[Task]:
    chosen = [peer for peer in PEERS if not wanted or peer.name in wanted]
    effort = Effort(3, 0, 3, 2.0, quick=True) if quick else Effort(7, 0, 5, 10.0)
    for name, cases in (QUICK_CASES if quick else CASES).items():
        one = experiment(name)
        yield Task("peers", f"peers {name}", lambda one=one, cases=cases: race(one, cases, chosen, effort))  # type: ignore[misc]
