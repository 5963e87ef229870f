"""The CSV format of streams."""

from __future__ import annotations

import csv as standard
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laser.errors import FactError
from laser.io.formats.csv import CSV, read_field
from laser.io.lines import Line
from laser.io.records import Malformed, ParsedChange, ParsedInterval, ParsedLine, Record, records_of
from laser.ticks import Tick
from laser.values import Atom, Iri

SECOND = Tick()
A = Atom("a", ("x1", "y"))


def items(text):
    lines = [Line(number, line) for number, line in enumerate(text.split("\n"), 1)]
    return list(records_of(CSV.read_lines(lines, CSV.parser(SECOND))))


@pytest.mark.parametrize(
    ("row", "time", "facts", "iso"),
    [
        ("36,a,x1,y", 36, (A,), False),
        ("36, a, x1, y\r", 36, (A,), False),
        ('"36","a","x1","y"', 36, (A,), False),
        ("1970-01-01T00:01:00Z,a,x1,y", 60, (A,), True),
        ("36,a,x1,y,,", 36, (A,), False),
        ("36,alarm", 36, (Atom("alarm"),), False),
        ("36", 36, (), False),
        ("36,,", 36, (), False),
        ('36,s,"a, b","say ""hi"""', 36, (Atom("s", ("a, b", 'say "hi"')),), False),
        ("36,m,1,1.5,-2,1e3,007,+1,x,<http://e.org/y>", 36,
         (Atom("m", (1, 1.5, -2, 1000, "007", "+1", "x", Iri("http://e.org/y"))),), False),
        ('36,m,"""1""","""""",,x', 36, (Atom("m", ("1", "", "", "x")),), False),
        ("36,<http://e.org/p>,x", 36, (Atom(Iri("http://e.org/p"), ("x",)),), False),
    ],
)  # fmt: skip
def test_a_row_is_a_record(row, time, facts, iso):
    assert CSV.parser(SECOND)(row) == (time, facts, iso)


@pytest.mark.parametrize("row", ["", ",,,", "time,predicate,args", "Time, Predicate, x, y", '"time","predicate"'])
def test_headers_and_blank_rows_are_ignored(row):
    assert CSV.parser(SECOND)(row) is None


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("x,a,1", "'x' is not a time"),
        ("time,x,y", "'time' is not a time"),
        ("36,A,1", "'A' is not a predicate"),
        ("36,,1", "'' is not a predicate"),
        ("36,a,<no iri>", "is not an absolute IRI"),
        ("36,a,1e999", "the number 1e999 is too large"),
        ('36,a,"x"y', "it is not CSV"),
        ('36,a,"x', "a quoted field does not end"),
        ("36,a," + "9" * 5000, "is too large"),
        ("36,a," + "x" * 200_000, "field larger"),
    ],
)
def test_malformed_rows_have_a_reason(row, words):
    (item,) = items(row)
    assert isinstance(item, Malformed)
    assert words in item.reason


def test_a_quoted_field_may_go_over_lines():
    first, second = items('1,s,"two\nlines"\n2,a,x1,y')
    assert isinstance(first, Record)
    assert (first.line, first.facts) == (1, (Atom("s", ("two\nlines",)),))
    assert isinstance(second, Record)
    assert (second.line, second.facts) == (3, (A,))


def test_a_stray_quote_does_not_swallow_the_next_line():
    first, second = items('1,pipe,5" wide\n2,a,x1,y')
    assert isinstance(first, Record)
    assert first.facts == (Atom("pipe", ('5" wide',)),)
    assert second.line == 2


def test_a_quote_that_is_never_closed_costs_a_bounded_number_of_lines():
    found = items('1,s,"open\n' + "2,a,x1,y\n" * 200)
    assert isinstance(found[0], Malformed)
    assert found[0].text.count("\n") == 99
    assert all(isinstance(item, Record) for item in found[1:])


def test_background_has_no_time():
    assert CSV.parse_background("a,x1,y") == (A,)


def test_changes_as_csv():
    assert CSV.write_change(36, A, True) == "36,true,a,x1,y"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time,holds,predicate,args\n36,true,a,x1,y", ParsedChange(36, A, True)),
        ("time,holds,predicate,args\n1970-01-01T00:01:00Z,False,a,x1,y", ParsedChange(60, A, False, True)),
        ("since,until,open,predicate,args\n36,39,true,a,x1,y", ParsedInterval(A, 36, 39, True)),
        ("time,predicate,args\n36,a,x1,y", ParsedLine(36, (A,))),
        ("time,holds,predicate,args\ntime,predicate,args\n36,a,x1,y", ParsedLine(36, (A,))),
    ],
)
def test_answers_are_understood_by_their_header(text, said):
    parse = CSV.parser(SECOND)
    *headers, row = text.split("\n")
    assert [parse(header) for header in headers] == [None] * len(headers)
    assert parse(row) == said


@pytest.mark.parametrize(
    ("row", "words"), [("36", "no predicate"), ("36,true", "no predicate"), ("36,perhaps,a", "neither `true` nor")]
)
def test_malformed_changes_have_a_reason(row, words):
    parse = CSV.parser(SECOND)
    parse("time,holds,predicate,args")
    with pytest.raises(FactError, match=words):
        parse(row)


values = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.just(Iri("http://e.org/x"))


@given(st.lists(values))
def test_snapshots_are_streams_again(args):
    atom = Atom("a", args)
    (item,) = items(CSV.write_snapshot(36, [atom]))
    assert isinstance(item, Record)
    assert item.facts == (atom,)


@given(st.lists(st.text().filter(lambda text: "\x00" not in text), min_size=1))
def test_written_csv_can_be_read_by_others(args):
    row = CSV.write_snapshot(36, [Atom("a", args)])
    (fields,) = standard.reader(io.StringIO(row, newline=""))
    assert [read_field(field) for field in fields[2:]] == args
