"""Laser and its peers over the same stream: first checked on a small stream, then timed in turns."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from laser.bench.case import Case, Experiment, Fact, System
from laser.bench.measure import WALL, Chunk, Effort, facts_at, facts_of, numbers, one_chunk, summary, warm_up
from laser.bench.peers.peer import Peer, plain
from laser.bench.record import Record
from laser.bench.systems import ChangeSystem, SnapshotSystem
from laser.engine.reasoner import Reasoner

__all__ = ["CASES", "QUICK_CASES", "check", "race"]

CASES: dict[str, tuple[Case, ...]] = {
    **{name: tuple(Case(n, w) for n, w in ((200, 1), (200, 20), (200, 80), (800, 20))) for name in ("diamond", "box")},
    "join": tuple(Case(n, w) for n, w in ((200, 1), (200, 20), (200, 80), (800, 20))),
    "multi-heads": (Case(200, 20, 10),),
    "cooling": tuple(Case(n, w) for n, w in ((200, 1), (200, 20), (200, 80), (800, 20))),
    "recursion": (Case(80, 10), Case(80, 40)),
    "negation": (Case(10, 5, 1, 100), Case(10, 5, 1, 10_000)),
    "tuples": (Case(200, 0, 1, 1_000), Case(200, 0, 1, 10_000)),
    "latest": (Case(800, 0, 1, 10_000),),
    "rules": (Case(1_000, 20, 10),),
    **{name: (Case(200, 20), Case(800, 20)) for name in ("count", "average", "extremes", "quantile", "tumbling")},
    "hysteresis": (Case(10, 0, 1, 100), Case(10, 0, 1, 10_000)),
}
"""The cases with peers: small enough that each peer finishes."""

QUICK_CASES: dict[str, tuple[Case, ...]] = {
    **{name: (Case(200, 20),) for name in ("diamond", "box", "join", "cooling")},
    "negation": (Case(10, 5, 1, 1_000),),
    **{name: (Case(200, 20),) for name in ("count", "average")},
}

SMALL = Case(16, 3, 3, 24)
"""The stream on which answers are checked."""


@dataclass(frozen=True)
class Runner:
    """A system in a race."""

    name: str
    output: str
    system: System
    peer: bool


def check(peer: Peer, experiment: Experiment) -> str:
    """Check that a peer gives Laser's answers at every time point of a small stream. Returns what is wrong, or an empty text."""
    small = replace(SMALL, n=4) if experiment.name == "negation" else SMALL  # so that some machines are idle
    held = 0
    reasoner = Reasoner(experiment.program(small), start=0)
    system = peer.make(experiment, small)
    try:
        for t in range(peer.ticks):
            facts = plain(facts_at(experiment, small, t))
            reasoner.advance(t, facts)
            system.run([(t, facts)])
            if _rounded(system.answer()) != _rounded(reasoner.holding()):
                return f"its answer at time {t} of the small stream differs"
            held += len(reasoner.holding())
    finally:
        system.close()
    return "" if held else "nothing holds in the small stream, which proves nothing"


def _rounded(facts: Iterable[Fact]) -> set[Fact]:
    """Decimals rounded to nine digits: Laser rounds a sum of doubles once, other systems at every step."""
    return {tuple(float(f"{value:.9g}") if type(value) is float else value for value in fact) for fact in facts}


def race(experiment: Experiment, cases: Sequence[Case], peers: Iterable[Peer], effort: Effort) -> Iterator[Record]:
    """Time the peers that pass the check, chunk by chunk in turns; for the others, report why they do not take part."""
    able: list[Peer] = []
    for peer in peers:
        why = _refusal(peer, experiment, effort)
        if why:
            yield Record(experiment.name, *numbers(cases[0]), peer.name, "snapshot", "µs/fact", None, note=why)
        else:
            able.append(peer)
    for case in cases:
        yield from _race(experiment, case, able, effort)


def _refusal(peer: Peer, experiment: Experiment, effort: Effort) -> str:
    if experiment.name in peer.cannot:
        return peer.cannot[experiment.name]
    if not peer.installed:
        return f"not installed: pip install {peer.install}"
    if effort.quick and peer.quick is not None and experiment.name not in peer.quick:
        return "too slow for the quick run"
    try:
        return check(peer, experiment)
    except Exception as error:  # any failure of a peer becomes its line in the table
        return _short(error)


def _short(error: Exception) -> str:
    return f"it fails: {type(error).__name__}: {str(error).strip().splitlines()[0][:120] if str(error).strip() else ''}"


def _race(experiment: Experiment, case: Case, peers: list[Peer], effort: Effort) -> Iterator[Record]:
    # The same facts for all, without IRIs, so that no peer pays for the conversion.
    stream = replace(experiment, facts=lambda case, t: plain(experiment.facts(case, t)))
    runners = [
        Runner("laser", "changes beside peers", ChangeSystem(experiment.program(case)), False),
        Runner("laser", "snapshot beside peers", SnapshotSystem(experiment.program(case)), False),
    ]
    for peer in peers:
        note = _too_large(peer, experiment, case)
        if note:
            yield Record(experiment.name, *numbers(case), peer.name, "snapshot", "µs/fact", None, note=note)
        else:
            output = "changes" if peer.name == "pathway" else "snapshot"
            runners.append(Runner(peer.name, output, peer.make(stream, case), True))
    yield from _timed(stream, case, runners, replace(effort, clock=WALL))


def _too_large(peer: Peer, experiment: Experiment, case: Case) -> str:
    live = max(case.live, case.n * (case.w + 1))
    if live > peer.largest.get(experiment.name, live):
        return f"with {live:,} facts in the window, a tick would take too long"
    wide = case.w > peer.widest.get(experiment.name, case.w)
    return f"with {case.w} windows for each fact, a tick would take too long" if wide else ""


def _timed(experiment: Experiment, case: Case, runners: list[Runner], effort: Effort) -> Iterator[Record]:
    measured: dict[Runner, list[Chunk]] = {}
    failed: dict[Runner, str] = {}
    for runner in runners:
        try:
            warm_up(experiment, case, runner.system.load)
            _call(runner.system, "ready")
            measured[runner] = []
        except Exception as error:
            failed[runner] = _short(error)
    gc.collect()
    t = experiment.warm(case)
    for number in range(effort.chunks + 1):
        batches = [(u, experiment.facts(case, u)) for u in range(t, t + effort.ticks)]
        t += effort.ticks
        for runner in [runner for runner in measured if runner not in failed]:
            try:
                chunk = one_chunk(runner.system, batches, effort.clock)
            except Exception as error:
                failed[runner] = _short(error)
                continue
            if number or chunk.seconds > effort.seconds:
                measured[runner].append(chunk)
            if sum(one.seconds for one in measured[runner]) > effort.seconds and len(measured[runner]) < effort.chunks:
                failed[runner] = ""  # its time is used up; the measurements so far count
    for runner in runners:
        yield _result(experiment, case, runner, measured.get(runner, []), failed.get(runner, ""))
        _call(runner.system, "close")


def _result(experiment: Experiment, case: Case, runner: Runner, measured: list[Chunk], why: str) -> Record:
    if why or not measured:
        return Record(
            experiment.name, *numbers(case), runner.name, runner.output, "µs/fact", None, note=why or "not measured"
        )
    return summary(experiment, case, runner.name, runner.output, measured, facts_of)


def _call(system: System, name: str) -> None:
    """Call a method that only peers have: ``ready`` waits for the steady state, ``close`` ends the run."""
    method = getattr(system, name, None)
    if method is not None:
        method()
