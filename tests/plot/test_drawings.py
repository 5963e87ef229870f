"""The drawings themselves: characters, SVG, PNG, pages, notebooks."""

from __future__ import annotations

import re
import struct
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from laser.phrases import columns_of
from laser.plot import Timeline, timeline
from laser.plot.axis import time_marks, value_marks
from laser.ticks import Tick
from tests.plot.test_timeline import example

SVG = "{http://www.w3.org/2000/svg}"


def test_a_timeline_is_drawn_with_characters() -> None:
    made = timeline(
        "hot :- temp(V) in [1], V > 9.\nr(X) :- s(X).",
        [(1, ["temp(3)"]), (2, ["temp(20)"]), (4, ["s(a)", "temp(5)"]), (6, [])],
    )
    assert made.to_text(40).splitlines() == [
        "hot        ██████████",
        "r/1",
        "  a                  █████",
        "temp/1",
        "   20       ⢠⠊⠒⢄⡀",
        "           ⡰⠁   ⠈⠒⠤⡀",
        "         ⢀⠜        ⠈⠑⠤⡀",
        "    3   ⢠⠊            ⠈⠑",
        "s/1",
        "  a                  █████",
        "           2         4         6",
    ]


def test_all_time_points_have_the_same_width() -> None:
    text = example("access").to_text(90)
    runs = {len(run) for line in text.splitlines() for run in re.findall("█+", line)}
    assert all(length % min(runs) == 0 for length in runs)


def test_a_long_stream_is_shaded() -> None:
    made = timeline("", [(3 * n, ["p"]) for n in range(1000)])
    assert set(made.to_text(60).splitlines()[0].split()[1]) <= set("░▒▓█")


def test_colours_are_for_terminals_that_want_them() -> None:
    assert "\x1b[" in example("cooling").to_text(80, colour=True)
    assert "\x1b[" not in example("cooling").to_text(80)


def test_dates_are_written_as_dates() -> None:
    made = timeline("q :- p in [2].", [(1767225600, ["p"]), (1767225660, [])], dates=True)
    assert "from 2026-01-01T00:00:00Z" in made.to_text(80)
    assert 'data-since="2026-01-01T00:00:00Z"' in made.to_svg()


def svg(made: Timeline, **options: object) -> ElementTree.Element:
    return ElementTree.fromstring(made.to_svg(**options))  # type: ignore[arg-type]


def test_an_svg_has_a_mark_for_every_bar_and_point() -> None:
    made = example("cooling")
    root = svg(made)
    bars = [node for node in root.iter(f"{SVG}rect") if node.get("data-atom")]
    assert len(bars) == sum(len(row.bars) for group in made.groups for row in group.rows)
    assert len(list(root.iter(f"{SVG}circle"))) == 16
    alarm = next(node for node in bars if node.get("data-atom") == "alarm")
    assert (alarm.get("data-since"), alarm.get("data-until")) == ("8", "9")
    assert alarm.find(f"{SVG}title").text == "alarm  [8, 9]"  # type: ignore[union-attr]


def test_nothing_sticks_out_of_an_svg() -> None:
    for name in ("cooling", "traffic", "access", "network"):
        root = svg(example(name), width=600)
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        for node in root.iter(f"{SVG}rect"):
            assert 0 <= float(node.get("x", 0)) <= width
            assert float(node.get("x", 0)) + float(node.get("width", 0)) <= width + 1
            assert float(node.get("y", 0)) + float(node.get("height", 0)) <= height


def test_text_from_a_stream_stays_text() -> None:
    made = timeline("", [(1, [("p", '<script>alert("x")</script>&')])])
    for drawing in (made.to_svg(), made.to_html(), made._repr_html_()):
        assert "<script>alert" not in drawing
    assert "alert" in svg(made).find(f".//{SVG}title").text  # type: ignore[operator,union-attr]


def patients(names: list[str]) -> Timeline:
    """The pulse of some patients, each minute; the third is not measured for a while."""
    stream = [
        (
            minute,
            [("hr", name, 60 + 9 * n + minute % 3) for n, name in enumerate(names) if n != 2 or not 9 < minute < 30],
        )
        for minute in range(40)
    ]
    return timeline("fast(P) :- hr(P, B), B > 100.\nslow(P) :- hr(P, B), B < 70.", stream)


def test_labels_of_lines_do_not_run_into_each_other_or_out_of_the_drawing() -> None:
    root = svg(patients([f"patient {n}" for n in range(9)]), width=500)
    labels = [
        node for node in root.iter(f"{SVG}text") if "patient" in (node.text or "") and node.get("class") == "quiet"
    ]
    places = [(float(node.get("y", 0)), float(node.get("x", 0)), len(node.text or "") * 6.7) for node in labels]
    assert len(labels) == 8
    assert all(x + room <= 500 for _, x, room in places)
    for (y, x, room), (y_next, x_next, _) in pairwise(sorted(places)):
        assert y != y_next or x + room < x_next


def test_no_two_lines_or_groups_of_bars_share_a_colour() -> None:
    root = svg(patients([f"p{n}" for n in range(8)]))
    lines = {node.get("class", "").split()[1] for node in root.iter(f"{SVG}polyline")}
    bars = {node.get("class", "").split()[1] for node in root.iter(f"{SVG}rect") if node.get("data-atom")}
    assert len(lines) == 8
    assert len(bars) == 2
    assert not lines & bars


def test_no_line_is_drawn_across_an_outage() -> None:
    made = patients(["a", "b", "c"])
    curves = made.groups[-1].curves
    assert [[(piece[0][0], piece[-1][0]) for piece in curve.pieces] for curve in curves] == [
        [(0, 39)], [(0, 39)], [(0, 9), (30, 39)],
    ]  # fmt: skip
    assert len(list(svg(made).iter(f"{SVG}polyline"))) == 4
    outage = made.to_text(90).splitlines()[-5:-1]
    assert all(set(line[30:60]) <= {" "} for line in outage)


def test_a_value_that_lasts_is_not_an_outage() -> None:
    stream = [(time, [("level", 5 if time < 30 else time)]) for time in range(40)]
    assert [len(curve.pieces) for curve in timeline("", stream).groups[0].curves] == [1]


def test_the_labels_of_the_axis_stay_inside() -> None:
    for end in (3599, 3600, 3601):
        made = timeline("q :- p.", [(1767225600, ["p"]), (1767225600 + end, ["p"])], dates=True)
        texts = [node for node in svg(made).iter(f"{SVG}text") if node.get("class") == "quiet"]
        assert texts
        for node in texts:
            assert float(node.get("x", 0)) + len(node.text or "") * 6.7 <= 960
    made = timeline("q :- p.", [(1, ["p"]), (10000, ["p"])])
    assert max(float(node.get("x", 0)) for node in svg(made).iter(f"{SVG}text")) < 930


def test_many_facts_take_few_rows_and_their_number_is_in_full() -> None:
    made = timeline("q(X) :- p(X).", [(n, [f"p(a{n})"]) for n in range(50)])
    assert [line.split()[0] for line in made.to_text(60, rows=12).splitlines()].count("…") == 2
    lines = made.to_text(60, rows=12).splitlines()
    assert lines.index("p/1") == 13
    assert len(lines) == 13 + 5 + 1
    assert "… 47 more" in made.to_svg()


def test_wide_letters_take_two_columns() -> None:
    made = timeline("", [(1, [("p", "東京"), ("p", "ab")]), (2, [])])
    bars = [line for line in made.to_text(40).splitlines() if "█" in line]
    assert {columns_of(line[: line.index("█")]) for line in bars} == {9}


def test_themes() -> None:
    made = example("cooling")
    assert "prefers-color-scheme: dark" in made.to_svg()
    assert "prefers-color-scheme" not in made.to_svg(theme="light") + made.to_svg(theme="dark")
    assert made.to_svg(theme="light") != made.to_svg(theme="dark")


def test_a_page_needs_nothing_but_itself() -> None:
    page = example("cooling").to_html(title="a < b")
    assert "<title>a &lt; b</title>" in page
    assert not re.search(r"(src|href)=|@import|url\(", page)


def test_two_drawings_on_one_page_do_not_share_their_rules() -> None:
    made = example("cooling")
    first, second = (re.search(r'id="(laser\d+)"', made._repr_html_())[1] for _ in range(2))  # type: ignore[index]
    assert first != second


def test_a_png_is_a_picture_of_the_right_size() -> None:
    pytest.importorskip("resvg_py")
    data = example("cooling").to_png(width=400)
    assert data.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">I", data[16:20])[0] == 800


def test_marks_are_round_and_few() -> None:
    for end in (1, 7, 99, 12345, 10**12):
        marks = time_marks(0, end, 8)
        assert 1 <= len(marks) <= 10
        assert all(0 <= time <= end for time, _ in marks)
    assert [label for _, label in time_marks(0, 7200, 4, Tick())] == ["00:00", "00:30", "01:00", "01:30", "02:00"]
    assert [label for _, label in value_marks(0, 1, 5)] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
    assert value_marks(3, 3, 4) == [(3, "3")]
