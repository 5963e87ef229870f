"""The drawings themselves: characters, SVG, PNG, pages, notebooks."""

from __future__ import annotations

import re
import struct
from xml.etree import ElementTree

import pytest

from laser.plot import Timeline, timeline
from laser.plot.axis import time_marks, value_marks
from laser.ticks import Tick
from tests.plot.test_timeline import example

SVG = "{http://www.w3.org/2000/svg}"


def test_a_drawing_of_characters() -> None:
    made = timeline(
        "hot :- temp(V) in [1], V > 9.\nr(X) :- s(X).",
        [(1, ["temp(3)"]), (2, ["temp(20)"]), (4, ["s(a)", "temp(5)"]), (6, [])],
    )
    assert made.to_text(40).splitlines() == [
        "temp/1",
        "   20       ⢠⠊⠒⢄⡀",
        "           ⡰⠁   ⠈⠒⠤⡀",
        "         ⢀⠜        ⠈⠑⠤⡀",
        "    3   ⢠⠊            ⠈⠑",
        "s/1",
        "  a                  █████",
        "hot        ██████████",
        "r/1",
        "  a                  █████",
        "           2         4         6",
    ]


def test_each_time_point_is_as_wide_as_another() -> None:
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
