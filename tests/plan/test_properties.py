"""What follows from a plan: which nodes can be revoked, and which ticks count. (Which keys end by themselves: test_self_ending.py.)"""

from __future__ import annotations

import pytest

from laser.plan.properties import Ticking, revocable_nodes, ticking
from tests.plan.plans import named, plan_of

REVOCABLE = [
    "q(X) :- a(X) in [3], not b(X).",
    "q(X) :- a(X) always in [3], c(X).",
    "q(X) :- a(X) in [3 #], c(X).",
    "q(X) :- a(X) at T in [3 #], c(X).",
    "q(X) :- a(X) at least 2 times in [3], c(X).",
    "q(X) :- m(X) in [1000], b(_) in [3].",  # through a gate
    "q(X) :- r(X), c(X). r(X) :- a(X), not b(X).",  # what rests on it
    "q(X) :- q(Y), e(Y, X). q(X) :- a(X), not b(X).",
]
LASTING = [
    "q(X) :- a(X) in [3], b(X).",
    "q(X) :- a(X) in [each 3], b(X) in [2 ago].",
    "@T q(X) :- a(X) at T in [3].",
    "q(X) :- q(Y), e(Y, X) in [3]. q(X) :- a(X).",
    "q(X) :- c(X), a(X). c(1).",
]


@pytest.mark.parametrize("text", REVOCABLE)
def test_negation_counts_tuple_windows_and_gates_make_nodes_revocable(text: str) -> None:
    plan = plan_of(text)
    assert named(plan, "q/1 derived") in revocable_nodes(plan)


@pytest.mark.parametrize("text", LASTING)
def test_all_other_nodes_are_not_revocable(text: str) -> None:
    assert revocable_nodes(plan_of(text)) == frozenset()


def test_a_node_is_not_revocable_because_a_rule_negates_it() -> None:
    plan = plan_of("q(X) :- a(X), not r(X). r(X) :- b(X) in [3], c(X).")
    assert named(plan, "r/1") not in revocable_nodes(plan)


@pytest.mark.parametrize(
    "text",
    [
        "q(X) :- a(X) in [3], b(X) always in [2], not c(X) in [each 5].",
        "q(X, T) :- a(X) at T in [3].",
        "@T q(X) :- a(X) at T in [2 ago].",
        "c(1). q(X) :- c(X) in [3], a(X).",
    ],
)
def test_silence_is_skipped(text: str) -> None:
    assert ticking(plan_of(text)) == Ticking(False, ())


@pytest.mark.parametrize(
    "text",
    [
        "tick. q(N) :- tick at N in [0].",
        "c(1). q(X) :- c(X) in [2 ago].",
        "c(1). q(X) :- c(X) at least 2 times in [3].",
        "q(T) ← s, ⊞3 @T ¬ a.",
        "r(X) :- a(X). q(X) :- r(X) in [3 every 5].",
    ],
)
def test_rules_about_time_points_themselves_need_every_tick(text: str) -> None:
    assert ticking(plan_of(text)).always


def test_the_times_of_plain_atoms_need_every_tick_while_there_are_any() -> None:
    always, while_alive = ticking(plan_of("r(X) :- a(X) in [3], b(X). q(X, T) :- r(X) at T in [5]."))
    assert (always, [str(node) for node in while_alive]) == (False, ["r/1 derived"])
