"""``⊞n ◇ a`` as an output, against a dictionary of last arrivals: repeats, pauses, gaps, several calls at a time point."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from laser import Reasoner

Call = tuple[int, frozenset[int]]

few = st.frozensets(st.integers(0, 5), max_size=6)
many = st.builds(lambda first, count, step: frozenset(range(first, first + count * step, step)),
                 st.integers(0, 30), st.integers(0, 30), st.integers(1, 3))  # fmt: skip
calls = st.lists(st.tuples(st.integers(0, 3), few | many), max_size=40)
"""How far each call moves on, and its facts."""


class LastArrivals:
    """The definition: a fact holds as long as its last arrival is in the window."""

    def __init__(self, window: int) -> None:
        self.window, self.time = window, 0
        self.last: dict[int, int] = {}

    def advance(self, time: int, facts: Iterable[int]) -> list[str]:
        changes = []
        for point in range(self.time, time):  # what ends when point + 1 comes, unless it arrives then
            again = facts if point + 1 == time else ()
            gone = [fact for fact, at in self.last.items() if at + self.window < point + 1 and fact not in again]
            changes += [f"{point + 1} - q({fact})" for fact in gone]
            for fact in gone:
                del self.last[fact]
        self.time = time
        changes += [f"{time} + q({fact})" for fact in facts if fact not in self.last]
        self.last.update((fact, time) for fact in facts)
        return sorted(changes)


@given(st.integers(0, 6), calls, st.integers(0, 40))
def test_sets_agree_with_the_last_arrivals(window: int, moves: list[Call], restored_after: int) -> None:
    program = f"q(X) :- p(X) in [{window}]."
    reasoner, model = Reasoner(program, start=0), LastArrivals(window)
    time, answers, expected = 0, [], []
    for number, (step, facts) in enumerate(moves):
        time += step
        answers.append(reasoner.advance(time, [("p", fact) for fact in facts]))
        expected.append(model.advance(time, facts))
        assert {atom.args[0] for atom in reasoner.holding()} == model.last.keys()
        assert {atom.args[0]: at for at, atom in reasoner.evidence()} == model.last
        if number == restored_after:
            reasoner = Reasoner.restore(program, reasoner.save())
    # read at the end only: changes that were given away stay what they were
    assert [sorted(map(str, changes)) for changes in answers] == expected


def test_a_repeated_fact_is_stored_once() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [1000].", start=0)
    for t in range(3000):
        reasoner.advance(t, [("p", k) for k in range(10) if t % (k + 1) == 0])
    (relation,) = reasoner._machine.inputs
    assert sum(map(len, relation.due.values())) == len(reasoner.holding()) == 10


def test_booleans_are_never_confused_with_numbers() -> None:
    reasoner = Reasoner("q(X) :- p(X) in [5].", start=0)
    for t, value in enumerate([1, True, 1.0, False, 0]):
        reasoner.advance(t, [("p", 1), ("p", value)])
    assert {str(atom) for atom in reasoner.holding()} == {"q(1)", "q(true)", "q(false)", "q(0)"}
