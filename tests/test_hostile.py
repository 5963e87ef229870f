"""Input that is made to break something: each is refused in words, or answered, and never commands a terminal or a drawing."""

from __future__ import annotations

import logging
import xml.dom.minidom
from pathlib import Path

import pytest

import laser
from laser import Atom, FactError, LaserError, ProgramError, Reasoner, TimeError
from laser.engine import intake
from laser.io import lines
from laser.io.read import read_background
from laser.phrases import printable
from laser.plot.run import timeline
from laser.syntax import files
from laser.values.facts import parse_fact

COMMANDS = ["\x1b[31mred\x1b[0m", "a\x00b", "x\x07y", "\u202eabc", "z\x9b31m", "a\x7fb", "\u2028"]
RULE = "q(X) :- p(X) in [3]."


# -- what commands a terminal


@pytest.mark.parametrize("text", COMMANDS)
def test_a_value_is_written_without_control_characters_and_read_again(text: str) -> None:
    written = str(Atom("p", [text]))
    assert printable(written) == written
    assert written.isprintable()
    assert parse_fact(written) == Atom("p", [text])


def test_an_escape_names_any_character_but_half_a_pair() -> None:
    assert parse_fact(r'p("\u0041\u001b")') == Atom("p", ["A\x1b"])
    assert laser.parse(r'q :- p("\u0042").') == laser.parse('q :- p("B").')
    for wrong in (r'p("\u12")', r'p("\ud800")', r'p("\uzzzz")'):
        with pytest.raises(FactError):
            parse_fact(wrong)
        with pytest.raises(ProgramError, match="is not a valid escape"):
            laser.parse(f"q(X) :- {wrong}, r(X).")


@pytest.mark.parametrize("text", COMMANDS)
def test_drawings_are_xml_whatever_the_data(text: str) -> None:
    drawn = timeline(RULE, [(1, [("p", text)])])
    xml.dom.minidom.parseString(drawn.to_svg(600, "light", 20, f"title {text}"))
    explained = laser.explain(f"{RULE} % {text}", [(1, [("p", text)])], Atom("q", [text]), 1)
    xml.dom.minidom.parseString(explained.to_svg())
    assert "\x1b" not in explained.to_text()


@pytest.mark.parametrize("text", COMMANDS)
def test_a_png_is_drawn_whatever_the_data(text: str) -> None:
    pytest.importorskip("resvg_py")
    assert timeline(RULE, [(1, [("p", text)])]).to_png(300, "light", 20).startswith(b"\x89PNG")


# -- numbers and times of very many digits


@pytest.mark.parametrize("digits", [5000, 100_000])
def test_a_tick_of_very_many_digits_is_refused(digits: int) -> None:
    with pytest.raises(TimeError, match="is not a tick") as caught:
        Reasoner(RULE, tick=f"{'1' * digits} s")
    assert len(str(caught.value)) < 300


def test_times_of_very_many_digits_are_refused() -> None:
    for time in (10**5000, -(10**5000), "1" * 5000):
        with pytest.raises(TimeError):
            Reasoner(RULE).advance(time, ["p(1)"])
        with pytest.raises(LaserError):
            Reasoner(RULE, start=time)


def test_a_duration_of_very_many_digits_is_refused() -> None:
    for text in (f"q(D) :- p(D), D > {'1' * 5000} s.", f"q :- p in [{'1' * 5000} min]."):
        with pytest.raises(ProgramError) as caught:
            laser.parse(text)
        assert "too large" in str(caught.value) or "too long" in str(caught.value)
    with pytest.raises(FactError):
        parse_fact(f"p({'1' * 5000} s)")


def test_a_constant_of_very_many_digits_is_refused() -> None:
    with pytest.raises(ProgramError, match="too large"):
        Reasoner(f"{RULE} r(X) :- p(X), X > k. #const k = 1.", constants={"k": 10**5000})


def test_a_report_is_of_a_sensible_length(caplog: pytest.LogCaptureFixture) -> None:
    reasoner = Reasoner("q(X) :- p(X), X > 5. r(Y) :- p(X), Y = X * 2.")
    with caplog.at_level(logging.WARNING, "laser"):
        reasoner.advance(1, [("p", "x" * 100_000)])
    assert len(reasoner.reports) == 2
    assert all(len(report) < 1000 for report in reasoner.reports)


# -- names


@pytest.mark.parametrize("character", ["\0", "\ud800", "\x1b"])
def test_an_iri_with_illegal_characters_is_refused(character: str) -> None:
    with pytest.raises(ProgramError, match="is not allowed in an IRI"):
        laser.parse(f"q(X) :- <http://a{character}b>(X).")
    with pytest.raises(FactError):
        Reasoner(RULE).advance(1, [f"<http://a{character}b>(1)"])
    with pytest.raises(FactError):
        Reasoner(RULE).advance(1, [(f"http://a{character}b", 1)])


def test_predicates_that_are_no_longer_streamed_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MOST_KNOWN", 100)
    reasoner = Reasoner(RULE)
    for t in range(1000):
        reasoner.advance(t, [(f"p{t}", 1), ("p", t)])
    assert len(reasoner._known) <= 110
    with pytest.raises(FactError):
        reasoner.advance(1000, [("No", 1)])


# -- files


def test_an_endless_program_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    with pytest.raises(ProgramError, match="longer than 1,000 bytes"):
        laser.load("/dev/zero")


def test_an_endless_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 1000)
    monkeypatch.setattr(lines, "MOST_SKIPPED", 5000)
    with lines.open_lines("/dev/zero") as read, pytest.raises(LaserError, match="does not end within 5,000 bytes"):
        list(read)


def test_a_line_that_is_too_long_is_rejected_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 1000)
    path = tmp_path / "long.stream"
    path.write_text(f"1: p({'x' * 3000}).\n2: p(a).\n")
    with lines.open_lines(path) as read:
        first, second = read
    assert first.fault is not None
    assert len(first.text) <= 1000
    assert second.text == "2: p(a)."


def test_a_predicate_may_be_called_predicate_below_a_header(tmp_path: Path) -> None:
    path = tmp_path / "background.csv"
    path.write_text("predicate,args\nroad,a\npredicate,b\n")
    assert list(map(str, read_background(path))) == ["road(a)", "predicate(b)"]
