"""The sizes of the smallest proofs in a recursion are those of the definition: the least that satisfy all equations."""

from __future__ import annotations

import random
from math import inf

import pytest

from laser import Atom
from laser.explanation.smallest import RecursiveInstance, smallest
from laser.explanation.table import TimedAtom

Below = dict[TimedAtom, list[RecursiveInstance]]


def entry(number: int) -> TimedAtom:
    return (number % 3, Atom("p", (number,)))


def by_rounds(below: Below, known: dict[TimedAtom, float]) -> dict[TimedAtom, float]:
    """The same by definition: made smaller until nothing changes."""
    sizes = {**dict.fromkeys(below, inf), **known}
    while True:
        better = {e: min([sizes[e], *(size_of(instance, sizes) for instance in found)]) for e, found in below.items()}
        if all(better[e] == sizes[e] for e in below):
            return {e: sizes[e] for e in below}
        sizes.update(better)


def size_of(instance: RecursiveInstance, sizes: dict[TimedAtom, float]) -> float:
    options = (min(sum(sizes[e] for e in option) for option in options) for options in instance.inside)
    return 1 + instance.outside + sum(options)


def recursion(choices: random.Random) -> tuple[Below, dict[TimedAtom, float]]:
    """Entries that rest on earlier ones, and some that could rest on any, also on themselves."""
    known = {entry(number): float(choices.randint(1, 5)) for number in range(3)}
    below: Below = {}
    for number in range(3, 15):
        below[entry(number)] = [
            instance(choices, number),
            *(instance(choices, 15) for _ in range(choices.randint(0, 3))),
        ]
    return below, known


def instance(choices: random.Random, limit: int) -> RecursiveInstance:
    inside = tuple(
        [[entry(choices.randrange(limit)) for _ in range(choices.randint(1, 3))] for _ in range(choices.randint(1, 3))]
        for _ in range(choices.randint(0, 3))
    )
    return RecursiveInstance(float(choices.randint(0, 4)), inside)


@pytest.mark.parametrize("seed", range(60))
def test_sizes_are_the_least_that_satisfy_all_equations(seed: int) -> None:
    below, known = recursion(random.Random(seed))
    assert smallest(below, known) == by_rounds(below, known)
