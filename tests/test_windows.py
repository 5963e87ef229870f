"""Every window agrees with itself: its points, entry and exit, the same as code, its reach and its text."""

from __future__ import annotations

from itertools import product

import pytest

from laser.checks.load import parse
from laser.reference import window_points
from laser.values import Predicate
from laser.windows import HISTORY, WRITTEN, LastFacts, LastOf, TimeWindow, TupleWindow, Window


def _windows(kind: type[Window]) -> list[Window]:
    """Windows of a kind with all small sizes that it may have."""
    sizes = product(*(range(rule.least, rule.least + 5) for rule in kind.SIZES))
    return [kind(*each) for each in sizes if not kind.ASCENDING or list(each) == sorted(each)]


TIMED = [HISTORY, *(window for kind in WRITTEN if issubclass(kind, TimeWindow) for window in _windows(kind))]
TIMES = range(24)
STARTS = (0, 1, 4, 7)


class Nothing:
    """A stream without facts."""

    def time_of(self, back: int) -> int | None:
        return None


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_an_atom_is_in_a_window_from_its_entry_to_its_exit(window: TimeWindow) -> None:
    for t0, t in product(STARTS, TIMES):
        points = window.points(t, t0, Nothing()) if t >= t0 else range(0)
        for u in range(t0, t + 1):
            last = window.exit(u)
            assert (u in points) == (window.entry(u) <= t and (last is None or t <= last)), (t0, t, u)


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_the_points_are_those_of_the_reference(window: Window) -> None:
    for t0, t in product(STARTS, TIMES):
        if t >= t0:
            assert list(window.points(t, t0, Nothing())) == list(window_points(window, [], t0, t)), (t0, t)


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_the_code_of_a_window_says_what_its_methods_say(window: TimeWindow) -> None:
    for t0, t in product(STARTS, TIMES):
        leaves = window.exit_code("t")
        assert eval(window.entry_code("t"), {"t": t}) == window.entry(t)
        assert (None if leaves is None else eval(leaves, {"t": t})) == window.exit(t)
        if t >= t0:
            length = eval(window.length_code(), {"t": t, "t0": t0, "max": max, "min": min})
            assert length == (len(window.points(t, t0, Nothing())) or -1)


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_entry_and_exit_are_monotone_and_an_atom_waits_only_if_the_window_is_delayed(window: TimeWindow) -> None:
    for u in TIMES:
        assert window.entry(u) >= u
        assert window.entry(u + 1) >= window.entry(u)
        assert (window.exit(u + 1) or 0) >= (window.exit(u) or 0)
        assert window.is_delayed or window.entry(u) == u


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_a_window_sees_nothing_beyond_its_reach(window: TimeWindow) -> None:
    for t in TIMES:
        points = window.points(t, 0, Nothing())
        assert window.reach.ticks is None or not points or points.start >= t - window.reach.ticks


@pytest.mark.parametrize("window", TIMED, ids=str)
def test_windows_know_if_they_include_the_present_and_if_they_can_be_empty(window: TimeWindow) -> None:
    shown = {t in window.points(t, 4, Nothing()) for t in TIMES if t >= 4}
    assert shown == {None: {True, False}, True: {True}, False: {False}}[window.shows_present]
    if not window.may_be_empty:
        assert all(window.points(t, t0, Nothing()) for t0, t in product(STARTS, TIMES) if t >= t0)


def test_a_tuple_window_begins_at_the_time_of_its_oldest_fact() -> None:
    class Two:
        def time_of(self, back: int) -> int | None:
            return {1: 9, 2: 5}.get(back)

    expected = [range(9, 11), range(5, 11), range(3, 11)]
    assert [LastFacts(n).points(10, 3, Two()) for n in (1, 2, 3)] == expected
    assert [LastOf(n, Predicate("temp", 2), (0,)).points(10, 3, Two()) for n in (1, 2, 3)] == expected


def test_a_window_for_each_key_knows_which_facts_it_counts_together() -> None:
    window = LastOf(3, Predicate("temp", 2), (0,))
    assert [window.counts(fact) for fact in [("temp", "a", 1), ("temp", "a"), ("job", "a", 1)]] == [True, False, False]
    assert window.key_of(("temp", "a", 1)) == ("a",)
    assert LastOf(3, Predicate("temp", 2)).key_of(("temp", "a", 1)) == ()
    assert str(window.reach) == "the last 3 facts of temp/2 for each argument 1"
    assert window.id != LastOf(3, Predicate("temp", 2), (1,)).id


@pytest.mark.parametrize("text", ["[last 3]", "[last 3 per X]", "[last n per X, Y]"])
def test_the_keys_of_a_window_are_written_in_both_notations(text: str) -> None:
    program = parse(f"#const n = 2. q :- a(X, Y) in {text}.")
    assert text in str(program)
    assert parse(program.to_text("formal")).rules == program.rules


@pytest.mark.parametrize("kind", WRITTEN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("formal", [False, True])
def test_what_is_written_is_read_back(kind: type[Window], formal: bool) -> None:
    sizes = [str(rule.least + 2) for rule in kind.SIZES]
    text = kind.written(sizes, formal)
    program = parse(f"q :- ⊞{text} ◇ a." if formal else f"q :- a in {text}.")
    window = program.rules[0].body[0].window  # type: ignore[union-attr]
    assert window is not None
    assert window.kind is kind
    assert issubclass(kind, TupleWindow) or kind in {type(window) for window in TIMED}
