"""Windows that do not slide by one tick, or do not end at the present: what is said of them, and how long it holds."""

from __future__ import annotations

import pytest

from laser import explain, intervals
from laser.explanation import Explanation

WINDOWS = (
    "[4]",
    "[0]",
    "[3 every 2]",
    "[1 every 4]",
    "[each 3]",
    "[this 3]",
    "[2 ago]",
    "[1 .. 3 ago]",
    "[0 .. 2 ago]",
)
BODIES = (
    "p in {}",
    "p always in {}",
    "p at T in {}",
    "not p in {}",
    "not p always in {}",
    "not p at 5 in {}",
    "g in {}",
    "g always in {}",
    "not g in {}",
    "d in {}",
    "d always in {}",
    "not d in {}",
    "t in {}",
    "t always in {}",
    "not t in {}",
    "n always in {}",
    "p at least 2 times in {}",
    "p at most 2 times in {}",
    "g at least 2 times in {}",
    "d at least 1 times in {}",
    "t at least 3 times in {}",
    "t at most 3 times in {}",
)
FACTS = [(2, ["p"]), (3, ["p"]), (4, ["p"]), (5, ["p"]), (7, ["p"]), (8, ["p"]), (11, ["a"]), (14, [])]


def at(program: str, time: int, stream: list | None = None) -> Explanation:
    """Why ``q`` holds or not."""
    given = FACTS if stream is None else stream
    told = explain(program, [(u, facts) for u, facts in given if u <= time], "q", time)
    for proof in told.proofs:
        proof.check()
    return told


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("body", BODIES)
def test_since_and_until_are_those_of_the_intervals(window: str, body: str) -> None:
    program = f"q :- {body.format(window)}. g. d :- p in [1]. @T t :- p at T in [4]. @T n :- ⊞4 @T ¬ p."
    for time in (2, 4, 5, 6, 9, 11, 14):
        stream = [(u, facts) for u, facts in FACTS if u <= time]
        spans = [i for i in intervals(program, stream, until=time + 20) if i.atom == ("q",)]
        told = at(program, time)
        assert told.holds == any(i.since <= time <= i.until for i in spans), f"at {time}"
        for span in (i for i in spans if i.since <= time <= i.until):
            assert (told.since, told.since_exact) == (span.since, True), f"at {time}"
            assert min(told.until or time + 20, time + 20) == span.until, f"at {time}"


@pytest.mark.parametrize(
    ("body", "time", "says"),
    [
        ("p in [each 5]", 10, "p at 8, in [5, 9], the window [each 5]"),
        ("p in [3 ago]", 8, "p at 5, in [5, 5], the window [3 ago]"),
        ("p always in [2 every 4]", 4, "p at every time point of [2, 4], the window [2 every 4]"),
        ("p always in [this 4]", 5, "p at every time point of [4, 5], the window [this 4]"),
        ("p at T in [1 .. 2 ago]", 6, "p at 5, in [4, 5], the window [1 .. 2 ago]"),
        ("not p in [each 3]", 12, "no p in [9, 11], the window [each 3]"),
        ("not p in [each 9]", 8, "no p in the window [each 9], which has no time points yet"),
        (
            "not p always in [each 4]",
            9,
            "p does not hold at every time point of [4, 7], the window [each 4]: missing at 6",
        ),
        ("⊞[each 4] @_ ¬ p", 9, "no p at some time point of [4, 7], the window [each 4]"),
        ("⊞[each 4] @T ¬ p", 9, "no p at 6, a time point of [4, 7], the window [each 4]"),
    ],
)
def test_a_premise_names_the_window_if_its_time_points_are_not_obvious(body: str, time: int, says: str) -> None:
    assert at(f"q :- {body}.", time).proofs[0].premises[0].says == says


@pytest.mark.parametrize(
    ("body", "time", "reason", "nearest"),
    [
        ("p in [each 3]", 14, "no p in [9, 11], the window [each 3]", "p was last seen at 8, but the window begins at 9"),
        ("p in [2 ago]", 8, "no p in [6, 6], the window [2 ago]", "p holds at 7 and enters the window at 9"),
        ("p in [each 9]", 8, "no p in the window [each 9], which has no time points yet", "p holds at 2 and enters the window at 9"),
        ("p in [0 every 6]", 9, "no p in [6, 6], the window [0 every 6]", "p holds at 7, which this window never includes"),
        ("p always in [each 4]", 8, "p is missing at 6, in [4, 7], the window [each 4]", None),
        ("p always in [each 9]", 8, "no p in the window [each 9], which has no time points yet", "p holds at 2 and enters the window at 9"),
        ("p at 9 in [each 4]", 9, "9 is not a time point of [4, 7], the window [each 4]", None),
        ("p at 3 in [each 9]", 4, "3 is not a time point of the window [each 9], which has no time points yet", None),
        ("⊞[each 2] @T ¬ p", 4, "p holds at every time point of [2, 3], the window [each 2]", None),
        ("⊞[each 9] @T ¬ p", 4, "the window [each 9] has no time points yet", None),
        ("not p in [2 ago]", 9, "p holds at 7, in [7, 7], the window [2 ago]", None),
        ("g in [2 ago]", 3, "no g in the window [2 ago], which has no time points yet", None),
    ],
)  # fmt: skip
def test_a_failure_has_a_reason_and_the_nearest_atoms(body: str, time: int, reason: str, nearest: str | None) -> None:
    failure = at(f"q :- {body}. g.", time).failures[0]
    assert failure.reason == reason
    assert failure.nearest[:1] == (() if nearest is None else (nearest,))


def test_a_missing_derived_atom_is_followed_down_at_the_last_time_point_of_the_window() -> None:
    failure = at("q :- t always in [each 2]. @T t :- a at T in [9].", 5).failures[0]
    assert failure.reason == "no t in [2, 3], the window [each 2]"
    assert (failure.failures[0].atom.predicate, failure.failures[0].time) == ("t", 3)


def test_json_says_which_window_it_is() -> None:
    window = at("q :- p in [each 5].", 10).to_json()["nodes"][0]["premises"][0]["window"]
    assert (window["first"], window["last"], window["kind"], window["written"]) == (5, 9, "time", "[each 5]")
    empty = at("q :- p in [each 9].", 8).to_json()["failures"][0]["window"]
    assert empty["last"] < empty["first"]
    assert at("q :- p in [3].", 8).to_json()["nodes"][0]["premises"][0]["window"]["written"] is None


def test_windows_for_each_key_say_which_facts_they_count() -> None:
    program = """
    machine(a). machine(c).
    hot(M) :- temp(M, V) in [last 1 per M], V > 90.
    up(M) :- temp(M, V) at T in [last 2 per M], temp(M, W) at U in [last 2 per M], T < U, V < W.
    calm(M) :- machine(M), not temp(M, _) in [last 2 per M].
    steady(M) :- temp(M, V) at least 3 times in [last 3 per M].
    """
    stream = [(1, ["temp(a, 10)", "temp(b, 5)"]), (2, ["temp(a, 95)"]), (4, ["temp(b, 7)"])]
    goals = ("hot(a)", "up(a)", "calm(c)", "calm(a)", "steady(a)")
    told = {goal: " ".join(str(explain(program, stream, goal, 5)).split()) for goal in goals}
    assert "temp(a, 95) at 2, the latest temp(a, _)" in told["hot(a)"]
    assert "temp(a, 10) at 1, fact 1 of the last 2 temp(a, _)" in told["up(a)"]
    assert "no temp(c, _) in [1, 5], without any temp(c, _)" in told["calm(c)"]
    assert "in [1, 5], the last 2 facts temp(a, _)" in told["calm(a)"]
    assert "holds 1 time in [1, 5], the last 2 facts temp(a, _), but 3 are needed" in told["steady(a)"]
    for goal in ("hot(a)", "up(a)", "calm(c)"):
        for proof in explain(program, stream, goal, 5).proofs:
            proof.check()
