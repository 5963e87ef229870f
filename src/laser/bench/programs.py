"""The programs of the experiments."""

from __future__ import annotations

from laser.bench.case import Case

__all__ = [
    "average",
    "box",
    "cooling",
    "count",
    "diamond",
    "extremes",
    "hysteresis",
    "join",
    "large",
    "latest",
    "multi",
    "multi_heads",
    "negation",
    "quantile",
    "reach",
    "rules",
    "tumbling",
    "tuples",
    "usual",
]


def diamond(case: Case) -> str:
    return f"q(A, B) :- p(A, B) in [{case.w}]."


def box(case: Case) -> str:
    return f"q(A) :- p(A) always in [{case.w}]."


def join(case: Case) -> str:
    return f"q(A, C) :- p(A, B) in [{case.w}], p(B, C) in [{case.w}]."


def multi(case: Case) -> str:
    """The join, r times with one head: tests whether it is computed once."""
    return "\n".join(join(case) for _ in range(case.r))


def multi_heads(case: Case) -> str:
    """The join, with heads q1 … qr: tests sharing, not deduplication."""
    return "\n".join(f"q{i}{join(case)[1:]}" for i in range(1, case.r + 1))


GROUPS = 1_000
"""The number of groups of the counts."""

COOLING = """
@T steam(V) :- temp(V) at T in [{w}], V >= 100.
@T liquid(V) :- temp(V) at T in [{w}], V >= 1, V < 100.
@T isSteam :- steam(V) at T in [{w}].
@T isLiquid :- liquid(V) at T in [{w}].
alarm :- isSteam always in [{w}].
normal :- isLiquid always in [{w}].
freeze :- not alarm, not normal.
veryHot(T) :- steam(V) at T in [{w}], V >= 150.
veryCold(T) :- liquid(V) at T in [{w}], V = 1.
"""


def cooling(case: Case) -> str:
    """The nine rules of the paper's cooling system."""
    return COOLING.format(w=case.w)


def reach(case: Case) -> str:
    """Reachability over the edges of a sliding window."""
    edge = f"in [{case.w}]"
    return f"reach(A, B) :- edge(A, B) {edge}.\nreach(A, C) :- reach(A, B), edge(B, C) {edge}."


def negation(case: Case) -> str:
    """The idle machines: the cost should depend on how many get or lose a job, not on how many there are."""
    return f"idle(X) :- machine(X) in [1000000], not job(X, _) in [{case.w}]."


def tuples(case: Case) -> str:
    """A join of two tuple windows."""
    return f"q(A, C) :- p(A, B) in [{case.live} #], s(B, C) in [{case.live} #]."


def latest(case: Case) -> str:
    """The latest reading of each machine."""
    return "q(M, V) :- temp(M, V) in [last 1 per M]."


def rules(case: Case) -> str:
    """One rule for each of r sensors."""
    return "\n".join(f"alert{i}(V) :- temp(s{i}, V) in [{case.w}], V >= 90." for i in range(case.r))


def large(case: Case) -> str:
    """r rules of many kinds over their own predicates, as a large program for the compiler."""
    kinds = (
        "warm{i}(S) :- temp{i}(S, V) in [10], V >= {i}.",
        "pair{i}(A, C) :- e{i}(A, B) in [10], e{i}(B, C) in [10].",
        "calm{i}(S) :- state{i}(S) always in [5], not warm{j}(S).",
        "@T high{i}(V) :- m{i}(V) at T in [10], V > {i}.",
        "seen{i}(S) :- warm{j}(S), place(S, P) in [60], P != {i}.",
    )
    return "\n".join(kinds[i % 5].format(i=i, j=i - i % 5) for i in range(case.r))


def usual(case: Case) -> int:
    """The average number of cars on a road."""
    return case.n * (case.w + 1) // GROUPS


def count(case: Case) -> str:
    """Roads with more cars than the average, so that counts cross the threshold all the time."""
    return f"busy(S) :- count(C : car(C, S) in [{case.w}]) > {usual(case)}."


def average(case: Case) -> str:
    return f"mean(M, A) :- A = avg(V, T : temp(M, V) at T in [{case.w}])."


def extremes(case: Case) -> str:
    return f"highest(M, A) :- A = max(V, T : temp(M, V) at T in [{case.w}])."


def quantile(case: Case) -> str:
    return f"slow(M, A) :- A = quantile(0.9; V, T : temp(M, V) at T in [{case.w}])."


def tumbling(case: Case) -> str:
    """A report for each block of time: the number of cars seen on each road."""
    return f"report(S, N) :- N = count(C, T : car(C, S) at T in [each {case.w}])."


def hysteresis(case: Case) -> str:
    """The machines that are on: each from when it was hot until it is cool, even if there are no facts about it for long."""
    return "#record on/1.\non(M) :- hot(M).\non(M) :- on(M) in [1 ago], not cool(M).\n#show on/1."
