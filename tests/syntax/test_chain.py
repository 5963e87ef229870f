"""Several programs as one: the second sees the output stream of the first."""

from __future__ import annotations

import random

import pytest

from laser import LaserError, parse
from laser.checks.accept import accept
from laser.reference import answer_stream
from laser.syntax.chain import chain
from laser.values import Atom

FIRST = {
    "hot": "hot(M) :- temp(M, V) in [2], V > 5.",
    "quiet": "hot(M) :- machine(M), not temp(M, _) in [3]. machine(1..3).",
    "aux": "#show hot/1. warm(M) :- temp(M, V), V > 2. hot(M) :- warm(M) in [3], not cold(M). cold(M) :- temp(M, 1) in [4].",
}
SECOND = [
    "now(M) :- hot(M).",
    "some(M) :- hot(M) in [4].",
    "long(M) :- hot(M) always in [3].",
    "since(M) :- hot(M), not hot(M) in [1 ago].",
    "often(M) :- hot(M) at least 3 times in [8].",
    "n(N) :- N = count(M, T : hot(M) at T in [5]).",
    "both(M, V) :- hot(M) in [3], temp(M, V), not hot(M) in [5 .. 7 ago].",
]
ROWS = random.Random(1)
STREAM = [(t, [Atom("temp", (m, ROWS.randrange(9))) for m in (1, 2, 3) if ROWS.random() < 0.4]) for t in range(40)]


def answers(program, stream):
    return dict(answer_stream(accept(program), stream, 0, 39))


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("first", FIRST)
def test_a_chain_is_the_second_program_over_the_output_of_the_first(first, second):
    before = answers(parse(FIRST[first]), STREAM)
    fed = [(t, [*facts, *sorted(before[t])]) for t, facts in STREAM]
    after = answers(parse(second), fed)
    found = answers(chain([parse(FIRST[first]), parse(second)]), STREAM)
    assert found == {t: before[t] | after[t] for t in before}


def test_a_chain_of_one_program_is_that_program():
    program = parse(FIRST["hot"])
    assert chain([program]) is program


@pytest.mark.parametrize(
    ("programs", "words"),
    [
        ([], "there is no program"),
        (["a :- b.", "a :- c."], "two programs of a chain derive a/0"),
        (["#show a/0. a :- b. c :- b.", "d :- c."], "reads c/0, which an earlier one derives but does not show"),
        (["@T a :- b at T in [3].", "d :- a in [2]."], "reads a/0, which an earlier one derives for other times"),
    ],
)
def test_invalid_chains_are_refused(programs, words):
    with pytest.raises(LaserError, match=words):
        chain([parse(text) for text in programs])
