"""The work of a check grows with the program, not with its square."""

import pytest

from laser.checks.report import check
from tests.checks.growth import SHAPES, calls


@pytest.mark.parametrize("inputs", [None, ["b/1"]], ids=["any inputs", "one input"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_four_times_the_program_is_about_four_times_the_work(shape, inputs: list[str] | None) -> None:  # type: ignore[no-untyped-def]
    check(shape(1), inputs)  # what is made once is not counted
    few, many = (calls(shape(size), inputs) for size in (60, 240))
    assert many <= 7 * few  # the square would be sixteen times


def test_a_long_chain_needs_no_deep_stack() -> None:
    assert check(SHAPES["chain"](3000)).ok
