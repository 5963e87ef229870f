"""The laws on some hundreds of random programs; `make laws` tries twenty thousand."""

import warnings

import pytest
from hypothesis import HealthCheck, assume, given, settings

from laser.values.fold import Fold
from laser.windows import WRITTEN
from tests.laws import LAWS, Given, Law, Tally, is_legal, try_trial
from tests.strategies import Seeded, Trial, trials

SEEDED = 300
DRAWN = 40


@pytest.fixture(scope="module")
def tally() -> Tally:
    total = Tally()
    for i in range(SEEDED):
        total.add(try_trial(f"test/{i}"))
    return total


def test_all_laws_hold_for_seeded_programs(tally: Tally) -> None:
    assert not tally.broken, "\n\n".join(tally.broken)


def test_the_generator_makes_legal_programs_with_answers_that_change(tally: Tally) -> None:
    assert tally.refused <= 0.02 * tally.trials
    assert tally.nonempty >= 0.65 * tally.trials
    assert tally.changing >= 0.55 * tally.trials


def test_the_generator_reaches_every_construct(tally: Tally) -> None:
    kinds = [kind.__name__ for kind in WRITTEN]
    modalities = ("sometime", "always", "at")
    windows = {f"{kind} window {modality}" for kind in kinds for modality in (*modalities, "times")}
    negated = {f"not Sliding window {modality}" for modality in (*modalities, "times")}
    negated |= {f"not {kind} window {modality}" for kind in ("LastFacts", "LastOf") for modality in modalities}
    inner = {f"Sliding window {modality} not" for modality in modalities} | {"LastOf window at not"}
    found = set(tally.constructs)
    assert windows <= found, windows - found
    assert negated | inner <= found, (negated | inner) - found
    assert all(any(f"not {kind} window" in each for each in found) for kind in kinds)
    heads = {"head at a time variable", "head at T + k", "head at T - k", "head at a constant"}
    others = {"now", "at", "not now", "not at", "#const", "#show", "fact", "range", "_", "_ under not"}
    assert heads | others <= found
    groups = ("without groups", "by groups that atoms bind", "by groups that it binds")
    assert {f"aggregate {fold.value}" for fold in Fold} <= found
    assert {f"aggregate count {kind}" for kind in groups} <= found
    assert "aggregate with a group that only the rest of the rule binds" in found


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@settings(max_examples=DRAWN, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(trial=trials())
def test_the_law_holds_for_drawn_programs(law: Law, trial: Trial) -> None:
    assume(is_legal(trial))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        law(Given(trial), Seeded(0))
