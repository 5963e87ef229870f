"""The work of a check grows with the program, not with its square."""

from collections.abc import Callable

import pytest

from laser import phrases
from laser.checks.report import check
from tests.checks.growth import SHAPES, calls


@pytest.mark.parametrize("inputs", [None, ["b/1"]], ids=["any inputs", "one input"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_four_times_the_program_is_about_four_times_the_work(
    shape: Callable[[int], str], inputs: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrases, "MOST_COMPARISONS", 0)  # what is spent on hints has a limit of its own
    check(shape(1), inputs)  # what is made once is not counted
    few, many = (calls(shape(size), inputs) for size in (60, 240))
    assert many <= 7 * few  # the square would be sixteen times


def test_hints_for_many_unknown_names_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within it, all names are compared letter by letter; beyond it, slips are still found."""
    names = ["temperature", "pressure", "speed"]
    assert phrases.Names(names).closest("temperatures_of") == "temperature"
    monkeypatch.setattr(phrases, "MOST_COMPARISONS", 3 * len(names))
    index = phrases.Names(names)
    assert [index.closest("temperatures_of") for _ in range(5)] == ["temperature"] * 3 + [None] * 2
    assert index.closest("presure") == "pressure"


def test_a_long_chain_needs_no_deep_stack() -> None:
    assert check(SHAPES["chain"](3000)).ok
