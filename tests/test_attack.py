"""A short run of every attack; `make attack` is the long one."""

import pytest

from tests.attack import ATTACKS, try_attack

TRIES = 60


@pytest.mark.parametrize("name", ATTACKS)
def test_no_hostile_input_breaks_anything(name: str) -> None:
    results = [try_attack(name, f"test/{number}") for number in range(TRIES)]
    assert [wrong for _, wrong in results if wrong] == []
