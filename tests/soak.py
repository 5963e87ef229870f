"""Long runs of programs with bounded windows: their state must not grow. ``python -m tests.soak 100000``.

Each program runs in a process of its own; the size of its saved state and the memory of the process are read after the
first 1,000 ticks and after the last.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time as clock
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from laser import Atom, Reasoner, parse
from tests.cases_reader import EXAMPLES

EARLY = 1000

PROGRAMS = {
    "diamond": "q(X) :- a(X) in [20].",
    "box": "q(X) :- a(X) always in [3].",
    "at": "@T q(X) :- a(X) at T in [10]. r(X) :- q(X) in [10]. s(X, T) :- q(X) at T in [5].",
    "join": "q(X, Y, Z) :- a(X, Y) in [10], b(Y, Z) in [10].",
    "negation": "q(X) :- a(X) in [10], not a(_, X) in [5]. r :- not q(_). s(T) ← ⊞5 @T ¬ q(1).",
    "recursion": "r(X, Y) :- b(X, Y) in [5]. r(X, Z) :- r(X, Y), b(Y, Z) in [5].",
    "tuple": "q(X) :- a(X) in [50 #]. r(X) :- b(X, _) always in [5 #], not a(X) in [10 #]. s(X, T) :- a(X) at T in [9 #].",
    "cooling": (EXAMPLES / "cooling.lars").read_text("utf-8"),
    "traffic": (EXAMPLES / "traffic.lars").read_text("utf-8"),
}


def facts(rng: random.Random, time: int) -> list[Atom]:
    """The facts of a tick: values return, but new ones keep coming, as they do in life."""
    if time % 50 == 7:
        return []
    some = [Atom("a", (rng.choice((rng.randrange(8), time)),)) for _ in range(3)]
    some += [Atom("a", (rng.randrange(8), rng.randrange(8))), Atom("b", (rng.randrange(8), rng.randrange(8)))]
    some.append(Atom("temp", (rng.randrange(-5, 160) if time % 40 < 20 else 120,)))
    some.append(Atom("speed", (f"c{rng.randrange(5)}", f"s{rng.randrange(1, 6)}", rng.choice((0, 0, 15, 50)))))
    return some


@dataclass(frozen=True)
class Measure:
    """What a run takes up: its saved state and its process, in bytes."""

    state: int
    memory: int


def measure(reasoner: Reasoner) -> Measure:
    gc.collect()
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    return Measure(len(reasoner.save()), pages * os.sysconf("SC_PAGE_SIZE"))


def drive(name: str, ticks: int) -> Iterator[Measure]:
    """Run one program, and measure at the early point and at the end."""
    reasoner, rng = Reasoner(parse(PROGRAMS[name], name)), random.Random(name)
    for time in range(1, ticks + 1):
        reasoner.advance(time, facts(rng, time))
        if time in (min(EARLY, ticks), ticks):
            yield measure(reasoner)


def soak(name: str, ticks: int) -> tuple[Measure, Measure, float]:
    began = clock.monotonic()
    early, late = drive(name, ticks)
    return early, late, clock.monotonic() - began


def has_grown(early: Measure, late: Measure) -> bool:
    """More than noise: the state by half, or the process by 20 MB."""
    return late.state > 1.5 * early.state + 2000 or late.memory > early.memory + 20_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("ticks", type=int, nargs="?", default=100_000)
    parser.add_argument("--only", choices=PROGRAMS)
    options = parser.parse_args()
    names = [options.only] if options.only else list(PROGRAMS)
    print(
        f"{'program':10} {'state at 1,000':>16} {f'at {options.ticks:,}':>16} {'memory':>10} {'later':>10} {'seconds':>8}"
    )
    grown = []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for name, result in zip(names, pool.map(soak, names, [options.ticks] * len(names)), strict=True):
            early, late, seconds = result
            sizes = f"{early.state:14,} B {late.state:14,} B {early.memory / 1e6:7.1f} MB {late.memory / 1e6:7.1f} MB"
            print(f"{name:10} {sizes} {seconds:8.1f}", flush=True)
            if has_grown(early, late):
                grown.append(name)
    print(f"grown: {', '.join(grown)}" if grown else "nothing has grown")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
