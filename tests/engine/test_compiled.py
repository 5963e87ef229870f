"""What was compiled of a program serves its next reasoner, and no other."""

from __future__ import annotations

import gc

import pytest

from laser import Reasoner
from laser.checks.load import parse
from laser.engine import compiled as kept

RULES = "#const k = 1.\nhot(X) :- temp(X, V) in [2], V > k.\ncold(X) :- room(X), not hot(X)."


def module(reasoner: Reasoner) -> object:
    return reasoner._machine.module


def test_reasoners_of_one_program_share_its_code() -> None:
    program = parse(RULES)
    first, second = Reasoner(program), Reasoner(program, start=7)
    assert module(first) is module(second)
    first.advance(1, ["temp(a, 5)"])
    second.advance(7, ["temp(b, 5)"])
    assert [str(atom) for atom in first.holding()] == ["hot(a)"]
    assert [str(atom) for atom in second.holding()] == ["hot(b)"]
    restored = Reasoner.restore(program, first.save())
    assert module(restored) is module(first)
    assert restored.holding() == first.holding()


@pytest.mark.parametrize(
    "options",
    [
        {"constants": {"k": 2}},
        {"background": ["room(x)"]},
        {"tick": "2 s"},
        {"dates": True},
        {"warmup": 3},
        {"zone": "Asia/Tokyo"},
    ],
)
def test_other_settings_have_their_own_code(options: dict[str, object]) -> None:
    program = parse(RULES)
    assert module(Reasoner(program)) is not module(Reasoner(program, **options))  # type: ignore[arg-type]


def test_constants_that_are_equal_only_in_python_have_different_code() -> None:
    program = parse("#const k = 1.\nq(k) :- a.")
    answers = []
    for value in (1, True):
        reasoner = Reasoner(program, constants={"k": value})
        reasoner.advance(0, ["a"])
        answers.append([str(atom) for atom in reasoner.holding()])
    assert answers == [["q(1)"], ["q(true)"]]


def test_a_derived_predicate_that_streams_in_changes_the_code() -> None:
    program = parse(RULES)
    first, second = Reasoner(program), Reasoner(program)
    first.advance(0, ["hot(c)", "room(c)"])
    second.advance(0, ["room(c)"])
    assert [str(atom) for atom in first.holding()] == []
    assert [str(atom) for atom in second.holding()] == ["cold(c)"]


def test_few_settings_are_cached_and_deleted_programs_are_freed() -> None:
    program = parse(RULES)
    for value in range(10):
        Reasoner(program, constants={"k": value})
    assert len(kept._kept[id(program)]) == kept.MOST_SETTINGS
    key = id(program)
    del program
    gc.collect()
    assert key not in kept._kept
