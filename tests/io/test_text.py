"""The text format of streams."""

from __future__ import annotations

import pytest

from laser.errors import FactError, LaserError, TimeError
from laser.io.formats.text import TEXT, strip_comment
from laser.io.records import ParsedChange, ParsedInterval
from laser.ticks import Tick
from laser.values import Atom, Iri

parse = TEXT.parser(Tick())
A = Atom("a", ("x1", "y"))
B = Atom("b", ("y", "z"))


@pytest.mark.parametrize(
    ("line", "time", "facts"),
    [
        ("36: a(x1, y), b(y, z).", 36, (A, B)),
        ("36: a(x1, y), b(y, z)", 36, (A, B)),
        ("36:a(x1,y).", 36, (A,)),
        ("  36 :  a(x1, y).  \r", 36, (A,)),
        ("37:", 37, ()),
        ("37: .", 37, ()),
        ("37: % nothing", 37, ()),
        ("36: a(x1, y). // two kinds of comment", 36, (A,)),
        ('36: s("50 % of \\"it\\" // here").  % and this', 36, (Atom("s", ('50 % of "it" // here',)),)),
        ("36: <http://e.org/a%20b>(x).", 36, (Atom(Iri("http://e.org/a%20b"), ("x",)),)),
        ('36: s("12:30: noon").', 36, (Atom("s", ("12:30: noon",)),)),
        ("36: alarm.", 36, (Atom("alarm"),)),
    ],
)
def test_a_line_is_a_time_point_with_its_facts(line, time, facts):
    assert parse(line) == (time, facts, False)


@pytest.mark.parametrize(
    ("stamp", "time"),
    [
        ("1970-01-01T00:01:00Z", 60),
        ("1970-01-01T01:01:00+01:00", 60),
        ("1970-01-01 00:01:00", 60),
        ("1970-01-01T00:01", 60),
        ("1970-01-01T00:01:00.750", 60),
        ("1970-01-02", 86400),
        ("19700102T000000Z", 86400),
    ],
)
@pytest.mark.parametrize("colon", [":", ": ", " : "])
def test_a_time_may_be_a_date_that_contains_colons(stamp, time, colon):
    assert parse(f"{stamp}{colon}a(x1, y).") == (time, (A,), True)


def test_an_empty_time_point_may_be_a_date():
    assert parse("1970-01-01T00:01:00Z:") == (60, (), True)


@pytest.mark.parametrize("line", ["", "   ", "\t\r", "% comment", "  // comment", "% 36: a(x1, y)."])
def test_blanks_and_comments_are_ignored(line):
    assert parse(line) is None


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("a(x1, y).", TimeError, "must begin with its time"),
        ("-5: a(x1, y).", TimeError, "'-5' is not a time"),
        ("3.5: a(x1, y).", TimeError, "'3.5' is not a time"),
        ("12:30:45: a(x1, y).", TimeError, "'12:30:45' is not a time"),
        ("2026-13-01T00:00:00Z: a.", TimeError, "is not a time"),
        ("1969-12-31T00:00:00Z: a.", TimeError, "before 1970"),
        ("99999999999999999999999: a.", TimeError, "not a time point"),
        (": a.", TimeError, "is not a time"),
        ("36: A(x).", FactError, None),
        ("36: a(X).", FactError, None),
        ("36: a(x1, y", FactError, "column 12"),
        ("  36:  a(x1, Y).", FactError, "column 14"),
        ("36: a(x1, y). 37: b.", FactError, None),
        ("36: a(x1, y) b(y, z).", FactError, None),
        ("36: a(\x00).", FactError, None),
        ("36: " + "a(" * 100_000, LaserError, None),
    ],
)
def test_malformed_lines_have_a_reason(line, error, words):
    with pytest.raises(error, match=words):
        parse(line)


def test_a_comment_is_found_in_time_linear_in_the_line():
    assert strip_comment('"\\"' * 200_000 + "%") == '"\\"' * 200_000 + "%"


def test_background_has_no_time():
    assert TEXT.parse_background("a(x1, y), b(y, z).  % both") == (A, B)
    assert TEXT.parse_background("% none") == ()


def test_changes_snapshots_and_intervals_as_text():
    assert TEXT.write_change(36, A, True) == "36  + a(x1, y)"
    assert TEXT.write_change(40, A, False) == "40  - a(x1, y)"
    assert TEXT.write_snapshot(36, [A, B]) == "36: a(x1, y), b(y, z)."
    assert TEXT.write_snapshot(37, []) == "37: ."
    assert TEXT.write_interval(A, 36, 39, False) == "a(x1, y)  [36, 39]"
    assert TEXT.write_interval(A, 36, 41, True) == "a(x1, y)  [36, 41…]"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("36  + a(x1, y)", ParsedChange(36, A, True)),
        ("40 - a(x1, y)  % gone", ParsedChange(40, A, False)),
        (
            "1970-01-01T00:01:00Z  + s(<http://e.org/x>)",
            ParsedChange(60, Atom("s", (Iri("http://e.org/x"),)), True, True),
        ),
        ("a(x1, y)  [36, 39]", ParsedInterval(A, 36, 39)),
        ("a(x1, y) [36, 41…]", ParsedInterval(A, 36, 41, True)),
        ('s("[1, 2]")  [3, 4]', ParsedInterval(Atom("s", ("[1, 2]",)), 3, 4)),
    ],
)
def test_answers_are_read(line, said):
    assert parse(line) == said


@pytest.mark.parametrize("line", ["36  + a(", "36  + ", "a  [x, y]", "a  [1,2]", "[1, 2]", "36  * a", "x  + a"])
def test_answers_that_are_malformed_are_refused(line):
    with pytest.raises(LaserError):
        parse(line)


def test_a_line_is_read_in_time_linear_in_its_length():
    with pytest.raises(LaserError):
        parse("36: a" + " " * 300_000 + "]")
