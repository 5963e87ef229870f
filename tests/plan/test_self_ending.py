"""Which derived nodes tell their horizons by their keys, so that nothing is checked when they expire."""

from __future__ import annotations

import pytest

from laser import Reasoner
from laser.plan.properties import self_ending_nodes

SELF_ENDING = [
    ("@T q(X) :- a(X) at T in [5].", {"q/1 derived at T"}),
    ("q(T) :- a(X) at T in [5].", {"q/1 derived"}),
    ("q(T) :- a(X) at T in [5], b(X) at T in [3].", {"q/1 derived"}),
    ("q(T) :- a(X) at T in [5], c(X). c(1).", {"q/1 derived"}),
    ("q(T) :- a(X) at T in [5], not b(X) in [3].", {"q/1 derived"}),
    ("q(T) :- a(X) at T in [5], b(X) always in [3].", {"q/1 derived"}),
]
RENEWED = [
    "q(X) :- a(X) in [5].",  # arrives again
    "q(X) :- a(X) at T in [5].",  # several times
    "q(T) :- a(X) at T in [5], b(X) in [3].",  # b arrives again
    "q(T) :- a(X) at T in [5], b(X) at U in [5].",  # another time of b
    "q(T) :- a(X) at T in [5]. q(T) :- a(X) at T in [7].",  # the longer one
    "q(T) :- a(X) at T in [5]. q(T) :- b(T) in [9].",
    "q(T) :- a(T) in [5], b(X) at T in [9].",
    "q(T) :- a(X) at T in [5 #].",
    "@U q(X) :- a(X) at T in [5], U = T + 3.",  # T is not told
]


@pytest.mark.parametrize(("program", "names"), SELF_ENDING, ids=[program for program, _ in SELF_ENDING])
def test_the_horizon_of_a_self_ending_key_follows_from_its_time(program: str, names: set[str]) -> None:
    assert names <= {str(node) for node in self_ending_nodes(Reasoner(program).plan)}


@pytest.mark.parametrize("program", RENEWED)
def test_keys_that_may_be_renewed_are_not_self_ending(program: str) -> None:
    assert not [node for node in self_ending_nodes(Reasoner(program).plan) if str(node).startswith("q")]
