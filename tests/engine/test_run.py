"""A reasoner driven through a stream."""

from __future__ import annotations

import pytest

from laser import Reasoner, intervals, run
from laser.engine.run import step_through
from laser.errors import FactError

PROGRAM = "q(X) :- p(X) in [1]. idle :- not r in [2]."


def steps(stream, start=None, until=None, by_entry=False):
    reasoner = Reasoner(PROGRAM, start)
    return [(step.time, len(step.facts)) for step in step_through(reasoner, stream, until, by_entry)]


def test_entries_of_one_time_point_are_one_step():
    assert steps([(3, ["p(a)"]), (3, ["p(b)", "p(a)"]), (4, [])]) == [(3, 3), (4, 0)]


def test_entries_are_separate_steps_if_each_is_answered():
    assert steps([(3, ["p(a)"]), (3, ["p(b)"]), (4, [])], by_entry=True) == [(3, 1), (3, 1), (4, 0)]


def test_the_last_step_is_at_the_requested_end():
    assert steps([(3, ["p(a)"])], until=9) == [(3, 1), (9, 0)]
    assert steps([(3, ["p(a)"]), (9, ["p(b)"])], until=9) == [(3, 1), (9, 1)]


def test_entries_after_the_end_are_ignored():
    def stream():
        yield 3, ["p(a)"]
        yield 10, ["p(b)"]
        pytest.fail("the stream was read on after its end")

    assert steps(stream(), until=5) == [(3, 1), (5, 0)]


@pytest.mark.parametrize(
    ("start", "until", "expected"),
    [(None, None, []), (None, 5, []), (2, None, [(2, 0)]), (2, 5, [(5, 0)]), (5, 2, [])],
)
def test_a_timeline_without_entries_needs_a_start(start, until, expected):
    assert steps([], start, until) == expected


def test_what_holds_between_the_start_and_the_first_entry_is_answered():
    answers = [(time, sorted(map(str, atoms))) for time, atoms in run(PROGRAM, [(4, ["r"])], start=2, until=5)]
    assert answers == [(2, ["idle"]), (3, ["idle"]), (4, []), (5, [])]
    assert [(str(i.atom), i.since, i.until) for i in intervals(PROGRAM, [(4, ["r"])], start=2)] == [("idle", 2, 3)]


def test_facts_that_are_not_in_a_list_are_refused():
    with pytest.raises(FactError, match="facts must be in a list"):
        steps([(3, "p(a)")])


def test_an_interval_is_returned_when_it_has_ended():
    taken = []

    def stream():
        for entry in [(3, ["p(a)"]), (5, []), (6, []), (7, [])]:
            taken.append(entry[0])
            yield entry

    ended = next(intervals("q(X) :- p(X) in [1].", stream()))
    assert (str(ended.atom), ended.since, ended.until) == ("q(a)", 3, 4)
    assert taken == [3, 5, 6]
