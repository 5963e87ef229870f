"""Names that are near to others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laser import phrases as words
from laser.phrases import LONGEST_TYPED, Names, is_slip

NAMES = st.lists(st.text("abB1", max_size=6), max_size=30)


@given(NAMES, NAMES)
def test_near_names_are_those_one_typing_error_away(names: list[str], others: list[str]) -> None:
    slips = Names(names)
    for other in others:
        assert slips.near(other) == sorted({name for name in names if is_slip(other, name)})


def test_many_names_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(words, "is_slip", lambda name, other: asked.append(other) or is_slip(name, other))
    slips = Names(f"reading_{n}_of" for n in range(1000))
    for n in range(1000):
        assert slips.near(f"input_{n}_of") == []
    assert len(asked) < 1000


def test_very_long_names_are_near_only_if_they_differ_in_case() -> None:
    name = "a" * (LONGEST_TYPED + 1)
    assert Names([name]).near(name + "b") == []
    assert Names([name]).near(name.upper()) == [name]
