"""How long explanations take on large windows: ``python -m tests.explanation.speed [FACTS]`` prints it, and asserts nothing."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable

from laser import explain
from laser.bench.case import Case
from laser.bench.programs import cooling as cooling_rules
from laser.bench.programs import diamond, join, negation, reach
from laser.bench.streams import chain, cooling, growing_paths, jobs, machines, unique_pairs
from laser.values import Atom


def measure(name: str, program: str, stream: list, atom: str | Atom, time: int) -> None:
    began = clock.process_time()
    answer = explain(program, stream, atom, time)
    asked = clock.process_time()
    answer.to_text()
    drawn = clock.process_time()
    size = len(answer.proofs[0].premises) if answer.proofs else 0
    word = "holds" if answer.holds else "does not hold"
    print(f"{name:34} {asked - began:6.2f} s  (drawn in {drawn - asked:5.2f} s)  {word}, {size} premises", end="")
    print(f", since {answer.since} until {answer.until}")


def stream_of(make: Callable[[Case, int], list], case: Case, ticks: int) -> list:
    return [(t, [Atom.of(fact) for fact in make(case, t)]) for t in range(ticks)]


def main(facts: int = 100_000) -> None:
    for n in (100, 1):
        w = facts // n
        case = Case(w=w, n=n)
        last = w - 1
        pairs = stream_of(unique_pairs, case, w)
        some = pairs[w // 2][1][0]
        measure(f"diamond, {n} a tick", diamond(case), pairs, Atom("q", some.args), last)
        other = Atom("q", (some.args[0], pairs[0][1][0].args[1]))
        measure(f"diamond, {n} a tick, why not", diamond(case), pairs, other, last)
        links = stream_of(chain, Case(w=w, n=max(2, n)), w if n > 1 else w // 2)
        last_link = len(links) - 1
        k = len(links) // 2
        measure(f"join, {n} a tick", join(case), links, Atom("q", (f"C{k}", f"C{k + 2}")), last_link)
        missing = Atom("q", (f"C{k}", f"C{k + 3}"))
        measure(f"join, {n} a tick, why not", join(case), links, missing, last_link)
        readings = stream_of(cooling, case, w)
        for atom in ("veryHot(_)", "isSteam", "alarm", "freeze", "normal"):
            measure(f"cooling, {n} a tick, {atom}", cooling_rules(case), readings, atom, last)
    steam = [(t, [Atom("temp", (100 + t % 50,))]) for t in range(facts)]
    rules = cooling_rules(Case(w=facts))
    measure("cooling, 1 a tick, alarm, long run", rules, steam, "alarm", facts - 1)
    measure("cooling, 1 a tick, freeze, why not", rules, steam, "freeze", facts - 1)
    case = Case(w=facts // 1000, n=1000, live=facts // 10)
    idle = [(0, [Atom.of(f) for f in machines(case)]), *stream_of(jobs, case, facts // 1000)[1:]]
    measure("negation, idle", negation(case), idle, "idle(1)", facts // 1000 - 1)
    recursions(facts // 1000)
    paths = stream_of(growing_paths, Case(w=facts // 800, n=800), facts // 800)
    measure("recursion", reach(Case(w=7)), paths, "reach(v50_3_0, v50_3_5)", 57)


def recursions(nodes: int) -> None:
    """Every pair of nodes is derived, from one to thousands of rule instances each."""
    base = "p(X, Y) :- e(X, Y)."
    chain_of = [Atom("e", (i, i + 1)) for i in range(nodes)]
    dense = [Atom("e", (i, (i * 7 + j * 13 + 1) % nodes)) for i in range(nodes) for j in range(5)]
    for name, rule in (("linear", "p(X, Z) :- p(X, Y), e(Y, Z)."), ("square", "p(X, Z) :- p(X, Y), p(Y, Z).")):
        measure(f"recursion, {name}, chain", base + rule, [(1, chain_of)], Atom("p", (0, nodes)), 1)
        measure(f"recursion, {name}, dense", base + rule, [(1, dense)], Atom("p", (0, nodes - 1)), 1)
    count = "n(X) :- go, X = 0. n(Y) :- n(X), Y = X + 1, X < "
    measure("recursion, counting", f"{count}{20 * nodes}.", [(1, [Atom("go")])], Atom("n", (20 * nodes,)), 1)
    tower = "".join(f"t{i}(X) :- t{i - 1}(X) in [2]. t{i}(X) :- t{i - 1}(X), r.\n" for i in range(1, 2 * nodes))
    measure("tower of predicates", tower, [(1, [Atom("t0", (1,))])], Atom(f"t{2 * nodes - 1}", (1,)), 1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
