"""Random histories by SQL, against the reference; `python -m tests.sql.laws 5000` tries as many as one likes."""

import warnings
from collections import Counter

import pytest

from tests.laws import is_legal
from tests.sql.laws import GENERATORS, check, check_strata
from tests.sql.trials import generate
from tests.strategies import Seeded

TRIALS = {"any": 25, "flat": 40, "aimed": 50}


@pytest.mark.parametrize("generator", GENERATORS)
def test_random_histories_have_the_answers_of_the_reference(generator: str) -> None:
    tally: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(TRIALS[generator]):
            trial = generate(Seeded(f"test/{number}"), GENERATORS[generator])
            if is_legal(trial):
                tally[check(trial)] += 1
    reasons = {outcome.partition(": ")[2] for outcome in tally}
    flat = {"", "function", "aggregate"}
    assert reasons <= (flat | {"recursion", "tuple window", "record"} if generator == "any" else flat), tally
    assert generator == "any" or 2 * tally["whole"] > tally.total()


@pytest.mark.parametrize("generator", GENERATORS)
def test_whatever_is_left_to_the_reasoner_the_answers_are_those_of_the_reference(generator: str) -> None:
    tally: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(TRIALS[generator]):
            trial = generate(Seeded(f"strata/{number}"), GENERATORS[generator])
            if is_legal(trial):
                tally[check_strata(trial, f"strata/{number}")] += 1
    assert tally["in part: drawn"] > tally["whole"], tally
