"""A short run of the fuzzer; `make fuzz` is the long one."""

import pytest

from tests.fuzz import try_guarded

TRIES = 1200


@pytest.mark.parametrize("part", range(6))
def test_damage_gives_a_diagnostic_or_an_answer(part: int) -> None:
    results = [try_guarded(f"test/{part}/{i}") for i in range(TRIES // 6)]
    assert [wrong for _, wrong in results if wrong] == []
