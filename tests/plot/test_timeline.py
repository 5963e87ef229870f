"""What a timeline holds, and what becomes of it when there is too much."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

import laser
from laser.plot import Bar, Timeline, timeline
from laser.plot.reduce import reduce
from laser.plot.tracks import Tracks, make_timeline
from laser.values import Atom, Predicate
from tests.cases_reader import EXAMPLES, read_case

COOLING = "cooling"


def example(name: str, **options: object) -> Timeline:
    case = read_case(EXAMPLES / f"{name}.lars")
    return timeline(laser.load(EXAMPLES / f"{name}.lars"), case.stream, **options)  # type: ignore[arg-type]


def bars(made: Timeline) -> dict[str, list[tuple[int, int]]]:
    return {str(row.atom): [bar[:2] for bar in row.bars] for group in made.groups for row in group.rows}


def test_bars_are_the_intervals_of_the_output_and_the_runs_of_facts() -> None:
    case = read_case(EXAMPLES / "access.lars")
    made = example("access")
    derived = [group for group in made.groups if not group.given]
    found = {(row.atom, *bar[:2]) for group in derived for row in group.rows for bar in row.bars}
    assert found == set(laser.intervals(laser.load(EXAMPLES / "access.lars"), case.stream))
    assert bars(made)["badge(carol, hall)"] == [(3, 3), (6, 6), (8, 8)]


def test_measured_values_are_lines() -> None:
    first = example(COOLING).groups[-1]
    assert str(first.predicate) == "temp/1"
    assert not first.rows
    assert first.curves[0].points[:2] == ((1, 42), (2, 57))
    assert first.range == (-2, 158)
    assert str(first.curves[0].atom("temp", 42)) == "temp(42)"


def test_answers_are_above_the_facts_in_the_order_of_the_rules() -> None:
    names = [group.predicate.name for group in example(COOLING).groups]
    assert names[:4] == ["steam", "liquid", "isSteam", "isLiquid"]
    assert names[-1] == "temp"


def test_lines_can_be_chosen_and_refused() -> None:
    assert not example(COOLING, lines={}).groups[-1].curves
    chosen = next(group for group in example("traffic", lines={Predicate("speed", 3): None}).groups if group.curves)
    assert {curve.label for curve in chosen.curves} >= {"c1, s1, ·", "c4, s4, ·"}
    assert not any(group.curves for group in example("traffic", lines={Predicate("slow", 1): 0}).groups)


def test_identifiers_are_not_measured_values() -> None:
    stream = [(1, ["car(1)", "car(2)", "car(3)"]), (2, ["car(2)", "car(4)"])]
    assert not timeline("q :- car(_).", stream).groups[-1].curves


def test_bars_that_reach_the_end_are_open() -> None:
    made = timeline("q :- p in [5].", [(1, ["p"]), (3, [])])
    assert made.groups[0].rows[0].bars == (Bar(1, 3, True),)


def test_an_empty_timeline_can_be_drawn() -> None:
    made = timeline("q :- p.", [])
    assert made.groups == ()
    assert str(made) == "nothing to draw"
    assert "<svg" in made.to_svg()


def test_many_atoms_become_few_rows_that_count_the_rest() -> None:
    stream = [(n, [f"p(a{n})"]) for n in range(50)]
    made = reduce(timeline("q(X) :- p(X).", stream), 1000, 10)
    assert made.reduced
    for group in made.groups:
        assert len(group.rows) == 10
        assert group.rows[-1].others == 41
        assert group.rows[-1].label == "… 41 more"


def test_the_longest_rows_are_kept_in_their_order() -> None:
    stream = [(n, ["p(z)", "p(b)", *([f"p(c{n})"])]) for n in range(9)]
    made = reduce(timeline("", stream), 1000, 3)
    assert [str(row.atom) for row in made.groups[0].rows[:2]] == ["p(b)", "p(z)"]


def test_many_runs_become_bars_that_say_how_much_is_held() -> None:
    stream = [(2 * n, ["p"]) for n in range(10_000)]
    row = reduce(timeline("", stream), 100, 10).groups[0].rows[0]
    assert len(row.bars) <= 101
    assert sum(bar.runs for bar in row.bars) == 10_000
    assert 0.4 < row.bars[0].share < 0.6


def test_a_long_curve_keeps_its_peaks() -> None:
    values = [n % 7 for n in range(10_000)]
    values[5_432] = 1_000
    made = reduce(timeline("", [(n, [f"v({value})"]) for n, value in enumerate(values)]), 200, 10)
    points = made.groups[0].curves[0].points
    assert len(points) <= 201 * 4
    assert (5_432, 1_000) in points


def test_of_many_lines_a_few_are_drawn_and_the_rest_counted() -> None:
    stream = [(n, [f"v(m{m}, {n * m % 7})" for m in range(20)]) for n in range(10)]
    group = reduce(timeline("", stream), 100, 10).groups[0]
    assert (len(group.curves), group.hidden) == (8, 12)
    assert "… 17 more" in timeline("", stream).to_text(80)
    assert "… 12 more" in timeline("", stream).to_svg()


def test_one_or_two_points_do_not_make_a_line() -> None:
    assert not example("traffic").groups[0].curves


_spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8)), min_size=1, max_size=20)


@settings(max_examples=200, deadline=None)
@given(_spans, st.integers(1, 70), st.integers(2, 5))
def test_bars_cover_exactly_the_given_time_points(spans: list[tuple[int, int]], columns: int, rows: int) -> None:
    tracks, told = Tracks(), set()
    for since, length in spans:
        tracks.span(Atom("p"), since, since + length)
        told |= set(range(since, since + length + 1))
    made = make_timeline(Tracks(), tracks, None, (), None)
    bars = made.groups[0].rows[0].bars
    assert {time for bar in bars for time in range(bar.since, bar.until + 1)} == told
    assert all(one.until + 1 < two.since for one, two in pairwise(bars))
    reduced = reduce(made, columns, rows).groups[0].rows[0].bars
    assert sum(bar.held or bar.until - bar.since + 1 for bar in reduced) == len(told)
    assert {time for bar in reduced for time in range(bar.since, bar.until + 1)} >= told


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 300), st.sampled_from("abcdef"), st.integers(-5, 5)), max_size=40),
    st.integers(1, 200),
)
def test_every_drawing_fits_its_width(facts: list[tuple[int, str, int]], width: int) -> None:
    stream = [(time, [f"{name}({value})"]) for time, name, value in sorted(facts)]
    made = timeline("q(X) :- a(X) in [3].", stream)
    assert all(len(line) <= max(width, 24) for line in made.to_text(width).splitlines())
    assert made.to_svg(max(width, 40)).count("<svg") == 1
