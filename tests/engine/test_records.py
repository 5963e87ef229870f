"""Records: what is kept, what it costs, and what is refused."""

from __future__ import annotations

import json
from copy import copy
from hashlib import sha256

import pytest

from laser import Atom, Reasoner, StateError, explain, parse, run
from laser.checks.accept import accept
from laser.checks.report import check
from laser.reference import answer_stream

HYSTERESIS = """
#record on/1.
on(M) :- temp(M, V), V >= 100.
on(M) :- on(M) in [1 ago], not cool(M).
cool(M) :- temp(M, V), V < 80.
"""


def test_a_period_without_changes_wakes_no_relation() -> None:
    reasoner = Reasoner(HYSTERESIS + "long(M) :- on(M) always in [50].")
    reasoner.advance(1, ["temp(a, 20)"])
    reasoner.advance(2, [("temp", f"m{i}", 120) for i in range(100)])
    reasoner.advance(4)
    assert reasoner.next_wake == 52, "the end of what always in [50] waits for"
    assert len(reasoner.advance(10**9)) == 100
    assert reasoner.next_wake is None
    assert len(reasoner.holding()) == 200


def test_the_windows_limit_what_is_kept() -> None:
    reasoner = Reasoner("#record p/1. p(X) :- a(X). q(X) :- p(X) in [1 .. 5 ago].")
    for t in range(1000):
        reasoner.advance(t, [("a", t)])
    assert len(reasoner.recorded()) <= 7
    assert len(reasoner.holding()) == 6


def test_more_facts_for_the_present_revise_what_is_not_recorded_yet() -> None:
    reasoner = Reasoner("#record p/0. p :- a, not b. q :- p in [1 ago].")
    reasoner.advance(1, ["a"])
    reasoner.advance(1, ["b"])
    assert not reasoner.advance(3)
    reasoner.advance(4, ["a"])
    assert [str(change) for change in reasoner.advance(9)] == ["5 - p", "5 + q", "6 - q"]


def test_an_interval_that_ends_and_resumes_at_one_time_point_is_unbroken() -> None:
    reasoner = Reasoner("#record p/0. p :- a in [2]. q :- p always in [3].")
    reasoner.advance(1, ["b"])
    reasoner.advance(2, ["a"])
    reasoner.advance(5)
    reasoner.advance(5, ["a"])
    assert [(i.since, i.until) for i in reasoner.recorded()] == [(2, 4)]
    assert sorted(map(str, reasoner.holding())) == ["p", "q"]


def test_a_copy_is_independent_of_the_original() -> None:
    reasoner = Reasoner(HYSTERESIS)
    reasoner.advance(1, ["temp(a, 120)"])
    other = copy(reasoner)
    other.advance(2, ["temp(a, 10)"])
    reasoner.advance(5)
    other.advance(5)
    assert len(reasoner.holding()) == 1
    assert not other.holding()


def tampered(state: bytes, change: object) -> bytes:
    document = json.loads(state)
    document["state"]["records"]["on/1"] = change
    text = json.dumps(document["state"], sort_keys=True, separators=(",", ":"))
    document["sha256"] = sha256(text.encode()).hexdigest()
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("spells", "reason"),
    [
        ([[["on", "a"], 3, 3]], "does not follow"),
        ([[["on", "a"], 1, 3], [["on", "a"], 2, 2]], "touch"),
        ([[["on", "a"], 3, 1]], "outside of the timeline"),
        ([[["off", "a"], 1, 3]], "another predicate"),
        ([[["on", "a"], 1]], "not a fact"),
    ],
)
def test_a_record_that_could_not_have_been_saved_is_refused(spells: object, reason: str) -> None:
    reasoner = Reasoner(HYSTERESIS)
    reasoner.advance(1, ["temp(a, 120)"])
    reasoner.advance(3)
    state = reasoner.save()
    assert Reasoner.restore(HYSTERESIS, state).holding() == reasoner.holding()
    with pytest.raises(StateError, match=reason):
        Reasoner.restore(HYSTERESIS, tampered(state, spells))


def test_a_rule_may_ask_for_its_own_past_but_not_for_a_past_that_rules_can_still_change() -> None:
    assert check("#record p/0. p :- a, not p in [1 ago].").ok
    assert check("#record p/0. p :- a, count(T : p at T in [1 .. 9 ago]) < 3.").ok
    assert not check("#record p/0. p :- a, not p in [3].").ok
    assert not check("#record p/0. p :- a, not p in [0 ago].").ok
    assert not check("p :- a, not p in [1 ago].").ok
    assert not check("#record p/0. p :- a, not p in [1 ago]. @T p :- b at T in [9].").ok


def test_an_explanation_says_since_when_something_was_recorded() -> None:
    stream = [(1, ["temp(a, 120)"]), (9, [])]
    found = explain(HYSTERESIS, stream, "on(a)", 9)
    assert (found.since, found.until) == (1, None)
    assert "recorded from 1 to 8" in str(found)
    found.proofs[0].check()
    reasoner = Reasoner(HYSTERESIS)
    reasoner.advance(1, ["temp(a, 120)"])
    reasoner.advance(9)
    assert "recorded from 1 to 8" in str(reasoner.explain("on(a)"))


def test_a_recorded_interval_is_saved_while_a_window_shows_it():
    """The block [10, 11] is shown at 13 for the last time; what was recorded in it must be in a state of that time."""
    program = """
    #record s/1.
    q(U) :- s(_) in [each 2], ⊞[each 2] @U ¬ a(_).
    s(y) :- not q(_) in [4 every 3].
    """
    reasoner = Reasoner(program, start=2)
    reasoner.advance(13, ["a(x)"])
    assert sorted(map(str, reasoner.holding())) == ["q(10)", "q(11)", "s(y)"]
    assert Reasoner.restore(program, reasoner.save()).holding() == reasoner.holding()


@pytest.mark.parametrize("look", ["at least 2 times in [1 .. 3 ago]", "always in [1 .. 2 ago]", "in [1 ago]"])
def test_an_aggregate_may_read_a_record(look):
    program = f"#record s/1. s(Y) :- a(Y). s(9) :- max(Y : s(Y) {look}) > 3."
    stream = [(1, ["a(5)"]), (2, ["a(5)"]), (3, ["a(2)"]), (6, [])]
    expected = {time: atoms for time, atoms in answer_stream(accept(parse(program)), stream) if atoms}
    assert {time: atoms for time, atoms in run(program, stream) if atoms} == expected
    assert any(Atom("s", (9,)) in atoms for atoms in expected.values())
