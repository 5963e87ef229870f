"""A state that was tampered with and sealed again is refused by ``restore``, or the reasoner runs as if it were sound.

Every leaf of the states of several programs is changed in many ways. What is accepted must run for 30 ticks, with facts and
without, answer what reasoners answer, and be saved and restored again.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from laser import Reasoner, StateError
from laser.engine.codegen.module import compile_plan
from laser.engine.machine import Machine
from laser.engine.reports import Reports
from laser.engine.state import decode
from laser.plan.build import build
from laser.ticks import MAX_TIME
from laser.values import Predicate
from tests.bookkeeping import check_books

LIMIT = 500

PROGRAMS = {
    "recent": "q(X) :- a(X) in [3], b(X) in [5]. r(X) :- a(X) in [4].",
    "dated": "q(X, T) :- a(X) at T in [4]. r(X, T) :- b(X) at T. s(X) :- a(X), not b(X) at 11.",
    "time points": "q(T) :- ⊞4 @T ¬ a(1). r(T) :- ⊞3/2 @T ¬ a(2). k(1). s(X, T) :- k(X) at T in [3].",
    "all time points": "k(1). q(X, T) :- k(X) at T. r(X) :- a(X).",
    "unbroken": "q(X) :- a(X) always in [2]. r(X) :- b(X) always in [6], a(X).",
    "every point": "@T p(X) :- a(X) at T in [4]. q(X) :- p(X) always in [1]. r(X) :- a(X) always in [3 #].",
    "last facts": "q(X) :- a(X) in [3 #]. r(X, T) :- b(X) at T in [4 #]. s(T) :- ⊞#2 @T ¬ b(1).",
    "last of each key": "q(X) :- a(X) in [last 1]. r(X, T) :- b(X) at T in [last 2 per X]. s(T) :- ⊞#2[X] @T ¬ a(X), X = 1.",
    "blocks": "q(X) :- a(X) in [3 every 2]. r(X, T) :- b(X) at T in [each 4]. s(X) :- a(X) always in [this 3].",
    "ago": "q(X) :- a(X) in [2 ago]. r(X, T) :- b(X) at T in [1 .. 3 ago]. s(X) :- a(X) in [1 .. 4 ago].",
    "counted": "q(X) :- a(X) at least 2 times in [5].",
    "recursion": "n(X) :- a(X) in [5]. n(Y) :- n(X), Y = X + 1, Y < 9. q(X) :- n(X), not b(X) in [3].",
    "to come": "@S p(X) :- a(X) at T in [3], S = T + 3. q(X) :- p(X) in [1]. r(X, T) :- p(X) at T in [9].",
    "derived and streamed": "p(X) :- a(X) in [2]. q(X) :- p(X) in [3]. k(1). r(X) :- k(X) in [2], p(X).",
}

STREAM = {
    "derived and streamed": {9: ["p(5)", "k(6)"]},
}
FACTS = {
    8: ["a(1)"],
    9: ["a(1)", "b(1)"],
    10: ["a(1)", "b(2.5)"],
    11: ["a(1)", "b(<http://example.org/x>)"],
}

EDITS: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 10**12, MAX_TIME, 2**63, 10**30, -(10**12), 1.5, "", "x", "a", [], {}, [[]], {"iri": "http://example.org/y"},
    {"iri": 5}, {"int": "0x5"}, {"int": "zz"}, ["a", 1], [["a", 1], 9], "\ud800",
)  # fmt: skip


def at_work(name: str) -> Reasoner:
    reasoner = Reasoner(PROGRAMS[name], start=4, limit=LIMIT)
    for time in range(4, 12):
        reasoner.advance(time, [*FACTS.get(time, []), *STREAM.get(name, {}).get(time, [])])
    reasoner.advance(11, ["a(3)"])
    return reasoner


def variants(node: Any) -> Iterator[Any]:
    """The same JSON with one change: a leaf or a branch replaced, left out, doubled, or in the place of its neighbour."""
    match node:
        case dict():
            yield {**node, "more": 1}
            for name, value in node.items():
                yield {key: value for key, value in node.items() if key != name}
                yield from ({**node, name: other} for other in variants(value))
        case list():
            for place, value in enumerate(node):
                rest = node[:place] + node[place + 1 :]
                yield rest
                yield [*node, value]
                yield [*rest, value]
                yield from ([*node[:place], other, *node[place + 1 :]] for other in variants(value))
        case int():
            yield from (node - 1, node + 1, float(node), str(node))
    yield from (edit for edit in EDITS if json.dumps(edit) != json.dumps(node))


def sealed(document: dict[str, Any], state: Any) -> bytes:
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    seal = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps(document | {"sha256": seal, "state": state}).encode()


def restored(original: Reasoner, data: bytes) -> Reasoner:
    """What ``Reasoner.restore`` does, without compiling the program again."""
    module, plan = original._machine.module, original._machine.plan

    def make(streamed: frozenset[Predicate]) -> Machine:
        if streamed == plan.also_streamed:
            return Machine(module, LIMIT, Reports(silent=True))
        return Machine(compile_plan(build(plan.program, streamed)), LIMIT, Reports(silent=True))

    machine, start = decode(data, original._core, make)
    reasoner = copy.copy(original)
    reasoner._machine, reasoner._start = machine, start
    reasoner._not_streamed = reasoner._find_not_streamed()
    return reasoner


def go_on(reasoner: Reasoner) -> None:
    present = -1 if reasoner.time is None else reasoner.time
    first = max(present, reasoner.start or 0)
    for step in range(min(30, MAX_TIME - first)):
        reasoner.advance(first + step, ["a(1)", "b(2)"] if step % 7 < 3 else ())
    check_books(reasoner)
    assert reasoner.next_change is None or reasoner.next_change > 0
    assert reasoner.stats.keys >= 0
    assert restored(reasoner, reasoner.save()).holding() == reasoner.holding()


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_impossible_state_is_refused_at_once(name: str) -> None:
    reasoner = at_work(name)
    document = json.loads(reasoner.save())
    assert restored(reasoner, sealed(document, document["state"])).holding() == reasoner.holding()
    accepted = refused = 0
    for state in variants(document["state"]):
        try:
            other = restored(reasoner, sealed(document, state))
        except StateError:
            refused += 1
            continue
        accepted += 1
        go_on(other)
    assert refused > 100
    assert accepted > 10


def test_a_state_from_before_the_timeline_must_be_empty() -> None:
    reasoner = Reasoner(PROGRAMS["recent"], start=4)
    document = json.loads(reasoner.save())
    for state in variants(document["state"]):
        try:
            other = restored(reasoner, sealed(document, state))
        except StateError:
            continue
        go_on(other)


def test_restoring_a_state_with_a_distant_present_ends() -> None:
    reasoner = at_work("all time points")
    reasoner.advance(12)
    document = json.loads(reasoner.save())
    with pytest.raises(StateError, match="time points, too many to restore"):
        restored(reasoner, sealed(document, document["state"] | {"time": 10**12}))
