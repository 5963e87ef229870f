"""Random histories by SQL, against the reference; `python -m tests.sql.laws 5000` tries as many as one likes."""

import warnings
from collections import Counter

import pytest

from tests.laws import is_legal
from tests.sql.laws import GENERATORS, check, check_strata
from tests.sql.trials import generate
from tests.strategies import Seeded

TRIALS = {"any": 25, "flat": 40, "aimed": 50, "recursive": 30}


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
    more = {"any": {"recursion", "tuple window", "record"}, "recursive": {"recursion"}}
    assert reasons <= flat | more.get(generator, set()), tally
    assert generator in more or 2 * tally["whole"] > tally.total()


@pytest.mark.parametrize("generator", GENERATORS)
def test_answers_do_not_depend_on_what_is_left_to_the_reasoner(generator: str) -> None:
    tally: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(TRIALS[generator]):
            trial = generate(Seeded(f"strata/{number}"), GENERATORS[generator])
            if is_legal(trial):
                tally[check_strata(trial, f"strata/{number}")] += 1
    assert tally.total() - tally["whole"] > tally["whole"], tally
    assert any("with kinds" in outcome for outcome in tally)
