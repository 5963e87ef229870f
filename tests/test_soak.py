"""A short soak; `make soak` is the long one."""

import pytest

from tests.soak import PROGRAMS, drive


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_state_of_a_bounded_program_does_not_grow(name: str) -> None:
    early, late = drive(name, 3000)
    assert late.state <= 1.5 * early.state + 2000
