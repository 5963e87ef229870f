"""The streams: facts as flat tuples, the same in every run.

``k = t·n + c`` numbers the facts of a stream; random values come from a generator that is seeded with the time.
"""

from __future__ import annotations

from random import Random

from laser.bench.case import Case, Fact
from laser.bench.programs import GROUPS
from laser.values import Iri

__all__ = [
    "box",
    "cars",
    "chain",
    "churn",
    "cooling",
    "decimals",
    "growing_paths",
    "hot_machines",
    "jobs",
    "machines",
    "readings",
    "repeating_chain",
    "repeating_pairs",
    "sensors",
    "switches",
    "tides",
    "unique_pairs",
]

BASE = "http://example.org/"
PATH = 8
"""The edges of a path in the recursion, one per tick."""


def unique_pairs(case: Case, t: int) -> list[Fact]:
    """``p(subject#s<k>, object#o<k>)``, all unique.

    >>> unique_pairs(Case(n=2), 1)
    [('p', <http://example.org/subject#s2>, <http://example.org/object#o2>),
     ('p', <http://example.org/subject#s3>, <http://example.org/object#o3>)]
    """
    return [_pair(k) for k in range(t * case.n, (t + 1) * case.n)]


def _pair(k: int) -> Fact:
    return ("p", Iri(f"{BASE}subject#s{k}"), Iri(f"{BASE}object#o{k}"))


def box(case: Case, t: int) -> list[Fact]:
    """n draws of ``p(v)``, v uniform in [0, n//3 + 1]."""
    draw = Random(t).randint
    return [("p", draw(0, case.n // 3 + 1)) for _ in range(case.n)]


def chain(case: Case, t: int) -> list[Fact]:
    """n facts, two for each c: ``p(C<k>, C<k+1>)`` and ``p(C<k+1>, C<k+2>)``, a chain through all time.

    >>> chain(Case(n=4), 0)
    [('p', 'C0', 'C1'), ('p', 'C1', 'C2'), ('p', 'C1', 'C2'), ('p', 'C2', 'C3')]
    """
    half = case.n // 2
    return [_link(k + i) for k in range(t * half, (t + 1) * half) for i in (0, 1)]


def _link(k: int) -> Fact:
    return ("p", f"C{k}", f"C{k + 1}")


def cooling(case: Case, t: int) -> list[Fact]:
    """n draws of ``temp(v)``, v uniform in [0, 200]."""
    draw = Random(t).randint
    return [("temp", draw(0, 200)) for _ in range(case.n)]


def repeating_pairs(case: Case, t: int) -> list[Fact]:
    """Like ``unique_pairs``, but nine of ten facts were also there at the previous time point."""
    return [_pair(k) for k in _sliding(case.n, t)]


def repeating_chain(case: Case, t: int) -> list[Fact]:
    """A chain in which nine of ten links were also there at the previous time point."""
    half = [_link(k) for k in _sliding(case.n // 2, t)]
    return half + [_link(k + 1) for k in _sliding(case.n // 2, t)]


def _sliding(n: int, t: int) -> range:
    first = t * (n // 10)
    return range(first, first + n)


def growing_paths(case: Case, t: int) -> list[Fact]:
    """n edges: n/8 paths begin at each tick and grow by one edge per tick to eight, so that closures grow and decay."""
    width = case.n // PATH
    starts = range(max(0, t - PATH + 1), t + 1)
    return [("edge", f"v{s}_{c}_{t - s}", f"v{s}_{c}_{t - s + 1}") for s in starts for c in range(width)]


def machines(case: Case) -> list[Fact]:
    """The live set of the negation: this many machines."""
    return [("machine", i) for i in range(case.live)]


def jobs(case: Case, t: int) -> list[Fact]:
    """n jobs per tick, each at a machine without one: the machine that was idle longest."""
    return [("job", k % case.live, t) for k in range(t * case.n, (t + 1) * case.n)]


def churn(case: Case, t: int) -> list[Fact]:
    """n facts of two predicates that join on a small key, all unique, for tuple windows."""
    first = t * case.n
    return [("p", k, k // 2) if k % 2 else ("s", k // 2, k) for k in range(first, first + case.n)]


def readings(case: Case, t: int) -> list[Fact]:
    """n readings per tick: each machine in turn, and never the same value again."""
    first = t * case.n
    return [("temp", k % case.live, k) for k in range(first, first + case.n)]


def sensors(case: Case, t: int) -> list[Fact]:
    """n readings of r sensors."""
    draw = Random(t).randrange
    return [("temp", f"s{draw(case.r)}", draw(100)) for _ in range(case.n)]


def cars(case: Case, t: int) -> list[Fact]:
    """n cars, all different, each on one of a thousand roads."""
    draw = Random(t).randrange
    return [("car", k, draw(GROUPS)) for k in range(t * case.n, (t + 1) * case.n)]


MACHINES = 100
"""The number of groups of the readings: each has several at a tick."""


def decimals(case: Case, t: int) -> list[Fact]:
    """n readings of a hundred machines, decimals."""
    random = Random(t)
    return [("temp", k % MACHINES, round(random.gauss(50, 20), 2)) for k in range(case.n)]


def tides(case: Case, t: int) -> list[Fact]:
    """n readings of a hundred machines; half of them rise and half of them fall, so that the largest is the newest or the oldest."""
    turns = (1, -1)
    return [("temp", k % MACHINES, turns[k % 2] * (t * case.n + k)) for k in range(case.n)]


def hot_machines(case: Case) -> list[Fact]:
    """All machines are hot at first."""
    return [("hot", i) for i in range(case.live)]


def switches(case: Case, t: int) -> list[Fact]:
    """Half of n machines cool down, and those that cooled down at the previous tick become hot again."""
    half = case.n // 2
    cool = [("cool", k % case.live) for k in range(t * half, (t + 1) * half)]
    return cool + [("hot", k % case.live) for k in range((t - 1) * half, t * half) if k >= 0]
