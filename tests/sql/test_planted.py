"""Mistakes in the SQL change the answers of small histories, so that the laws can be trusted to find others."""

import pytest

from tests.sql.planted import MISTAKES, Mistake, finds, trial_of


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.what)
def test_a_history_finds_the_mistake(mistake: Mistake) -> None:
    assert finds(mistake, trial_of(mistake))
