"""Counts of time points, against the definition of the windows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laser import Reasoner
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.reference import answer_stream
from laser.values import Atom

PROGRAMS = [
    "q(X) :- a(X) always in [each 3].",
    "q(X) :- a(X) always in [this 3].",
    "q(X) :- a(X) always in [2 every 3].",
    "q(X) :- a(X) always in [1 .. 2 ago].",
    "q(X) :- a(X) always in [2 #].",
    "q(X) :- a(X) at least 2 times in [3].",
    "q(X) :- a(X) at least 2 times in [3 #].",
    "q(X) :- s(X), a(X) at most 1 times in [each 4]. s(1). s(2).",
    "@T h(X) :- a(X) at T in [3]. q(X) :- h(X) always in [2].",
]


@pytest.mark.parametrize("text", PROGRAMS)
@settings(max_examples=40, deadline=None)
@given(stream=st.lists(st.sets(st.integers(1, 3)), min_size=1, max_size=12))
def test_a_count_is_right_at_every_time_point(text: str, stream: list[set[int]]) -> None:
    reasoner = Reasoner(text, start=0)
    facts: list[Any] = [(t, [Atom("a", [x]) for x in sorted(each)]) for t, each in enumerate(stream)]
    expected = dict(answer_stream(accept(parse(text)), facts))
    for t, atoms in facts:
        reasoner.advance(t, atoms)
        assert reasoner.holding() == expected[t]


def test_a_count_forgets_atoms_that_have_left_the_window() -> None:
    reasoner = Reasoner("q(X) :- a(X) at least 2 times in [3], c(X).", start=0)
    for t in range(50):
        reasoner.advance(t, [("a", t % 20)])
    (operator,) = (o for o in reasoner._machine.operators if hasattr(o, "counts"))
    assert len(operator.counts) == 4
