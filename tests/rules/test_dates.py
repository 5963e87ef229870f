"""Times as instants: a run with dates says the same as one without, in other words."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from laser import explain
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.engine.run import run
from laser.reference import answer_stream
from laser.settings import RunSettings
from laser.syntax.terms import subterms
from laser.syntax.tree import Arithmetic
from laser.ticks import Tick
from laser.values import Atom, Duration, Time

TICK = Tick.parse("2 s")
PROGRAMS = [
    "q(X, T) :- a(X) at T in [3].",
    "q(X, D) :- a(X) at T in [4], b(X) at U in [4], D = U - T.",
    "q(X, U) :- a(X) at T in [4], U = T + 2, b(X).",
    "@T+1 q(X) :- a(X) at T in [2].",
    "@U q(X, T) :- a(X) at T in [2], U = T + 1.",
    "q(X) :- a(X) at T in [4], not b(X) at T in [4].",
    "q(X, T) :- a(X) at T in [4], not b(X) at T in [4].",
    "q(X) :- a(X) at T in [4], b(X) at T - 1 in [4].",
    "q(X, T) :- a(X) at T in [3], not b(X) at T + 1 in [3].",
    "@T p(X) :- a(X) at T in [3], b(X). q(X, T) :- p(X) at T in [5].",
    "q(X, T) :- a(X), ⊞3 @T ¬ b(X).",
    "q(X) :- a(X) at T in [5], b(X) at U in [5], T < U, U != T + 1.",
    "q(X, T) :- a(X) at T in [2], b(X) at T in [each 3].",
    "q(N) :- N = count(X, T : a(X) at T in [4]).",
    "q(X, M) :- M = max(T : a(X) at T in [4]).",
    "q(X) :- a(X) at T, T = max(U : b(Y) at U in [4]).",
    "q(X, D) :- a(X) at T in [4], b(X) at U in [4], D = max(U, T) - min(T, U).",
    "@T+2 p(X) :- a(X) at T in [0]. q(X, T) :- p(X) at T in [3], not a(X).",
]


def stream(seed: int) -> list[tuple[int, list[Atom]]]:
    chance = random.Random(seed)
    facts = [Atom(name, (x,)) for name in "ab" for x in "xy"]
    return [(t, [fact for fact in facts if chance.random() < 0.35]) for t in range(3, 15) if chance.random() < 0.8]


def as_number(value):
    return TICK.count(Duration(value.micros)) if isinstance(value, Time | Duration) else value


@pytest.mark.parametrize("text", PROGRAMS)
def test_answers_with_dates_are_those_with_integers_written_as_dates(text: str) -> None:
    program = parse(text)
    dated = accept(program, RunSettings(tick=TICK, dates=True))
    for seed in range(12):
        given = stream(seed)
        plain = dict(run(program, given, tick=TICK))
        found = dict(run(program, given, tick=TICK, dates=True))
        assert found == dict(answer_stream(dated, given))
        assert {t: {Atom.of(tuple(map(as_number, atom))) for atom in atoms} for t, atoms in found.items()} == plain


def test_a_time_used_only_by_at_stays_a_time_point() -> None:
    """It costs nothing that a run has dates."""
    settings = RunSettings(dates=True)
    for text, computes in (("@T q(X) :- a(X) at T in [2].", False), ("q(X, T) :- a(X) at T in [2].", True)):
        (rule,) = accept(parse(text), settings).rules
        operations = [part for term in rule.terms() for part in subterms(term) if isinstance(part, Arithmetic)]
        assert bool(operations) == computes


def test_a_saved_state_keeps_its_dates() -> None:
    text = "q(X, D) :- due(X, S) in [5], a(X) at T in [4], D = T - S."
    reasoner = Reasoner(text, dates=True, tick="500 ms")
    moment = datetime(2026, 3, 2, 22, tzinfo=UTC)
    reasoner.advance(moment, [("due", "x", moment), "a(x)"])
    again = Reasoner.restore(text, reasoner.save(), dates=True, tick="500 ms")
    later = "2026-03-02T22:00:01Z"
    assert again.advance(later, ["a(x)"]) == reasoner.advance(later, ["a(x)"])
    assert sorted(map(str, again.holding())) == ["q(x, 0 s)", "q(x, 1 s)"]


def test_explanations_of_dated_runs_are_proofs() -> None:
    given = [("2026-03-02T22:00:00Z", ["a(x)"]), ("2026-03-02T22:00:02Z", ["b(x)"])]
    found = explain("q(X, T) :- a(X) at T in [5 s], b(X), T > 2026-03-02T21:00:00Z.", given, "q(x, _)", given[1][0])
    assert found.holds
    for proof in found.proofs:
        proof.check()
    assert "T = 2026-03-02T22:00:00Z" in found.to_text()
