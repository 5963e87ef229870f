"""What cannot hold together is found without comparing all with all, and as comparing all with all would find it."""

from itertools import combinations
from random import Random

import pytest

from laser.checks.contradictions import conflict, first_conflict, implies, strongest
from laser.checks.subject import Subject
from laser.syntax import tree
from laser.syntax.parser import parse_tree

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
SIDES = ("X", "X", "X", "Y", "X + 1", "1", "2", "2.5", "red", "n", "1 / 0")


def body_of(text: str) -> tree.Rule:
    program = parse_tree(f"#const n = 2.\nq :- {text}.")
    return program.rules[0]


def random_comparisons(seed: int) -> list[tree.Comparison]:
    rng = Random(seed)
    parts = [f"{rng.choice(SIDES)} {rng.choice(OPERATORS)} {rng.choice(SIDES)}" for _ in range(rng.randint(2, 12))]
    return body_of(", ".join(parts)).comparisons


@pytest.mark.parametrize("seed", range(300))
def test_comparisons_conflict_exactly_if_two_of_them_do(seed: int) -> None:
    tests, values = random_comparisons(seed), {"n": 2}
    seconds = [j for i, j in combinations(range(len(tests)), 2) if conflict(tests[i], tests[j], values)]
    found = first_conflict(tests, values)
    assert (found is not None) is bool(seconds)
    if found is not None:
        assert conflict(*found, values)
        assert found[1] is tests[min(seconds)]


def test_random_comparisons_conflict_and_do_not() -> None:
    """The test above would mean nothing if all bodies were alike."""
    conflicts = [first_conflict(random_comparisons(seed), {"n": 2}) is not None for seed in range(300)]
    assert 60 < sum(conflicts) < 240


PARTS = ("a", "a in [3]", "a in [0]", "a always in [2]", "a always in [2 s]", "a in [2 #]", "a always in [2 #]", "a at T",
         "a at T in [4]", "⊞3 ◇ ¬ a", "⊞3 @T ¬ a")  # fmt: skip


windows = Subject(parse_tree("")).window
"""Windows as they are evaluated; nobody knows how many ticks two seconds are."""


@pytest.mark.parametrize("seed", range(100))
def test_the_strongest_literals_imply_what_any_of_them_implies(seed: int) -> None:
    rng = Random(seed)
    given = body_of(", ".join(rng.choices(PARTS, k=rng.randint(1, 6)))).literals
    few = strongest(given, windows)
    assert len(few) <= 3
    for weak in body_of(", ".join(PARTS)).literals:
        by_any = any(implies(strong, weak, windows) for strong in given)
        assert by_any is (weak in given or any(implies(strong, weak, windows) for strong in few))
