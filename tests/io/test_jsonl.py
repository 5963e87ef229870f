"""The JSON Lines format of streams."""

from __future__ import annotations

import json

import pytest

from laser.io.formats.jsonl import JSONL
from laser.io.lines import Line
from laser.io.records import Malformed, ParsedChange, ParsedInterval
from laser.ticks import Tick
from laser.values import Atom, Iri

parse = JSONL.parser(Tick())
A = Atom("a", ("x1", "y"))
MIXED = Atom("m", (1, 2.5, "1", "<no iri>", "", Iri("http://e.org/x"), "ä\n"))


@pytest.mark.parametrize(
    ("line", "time", "facts", "iso"),
    [
        ('{"time": 36, "predicate": "a", "args": ["x1", "y"]}', 36, (A,), False),
        ('{"time": "36", "predicate": "a", "args": ["x1", "y"]}', 36, (A,), False),
        ('{"time": "1970-01-01T00:01:00Z", "predicate": "a", "args": ["x1", "y"]}', 60, (A,), True),
        ('{"time": 36, "predicate": "alarm"}', 36, (Atom("alarm"),), False),
        ('{"time": 36, "facts": []}', 36, (), False),
        ('{"time": 36, "facts": [{"predicate": "a", "args": ["x1", "y"]}]}', 36, (A,), False),
        ('{"time": 1, "predicate": "a", "args": [true, 2.0, -3]}', 1, (Atom("a", ("true", 2, -3)),), False),
        (
            '{"time": 1, "predicate": {"iri": "http://e.org/p"}, "args": []}',
            1,
            (Atom(Iri("http://e.org/p")),),
            False,
        ),
        ('{"time": 1, "predicate": "<http://e.org/p>"}', 1, (Atom(Iri("http://e.org/p")),), False),
        ('{"time": 1, "predicate": "s", "args": ["\\ud83d\\ude00"]}', 1, (Atom("s", ("😀",)),), False),
    ],
)
def test_a_line_is_a_record(line, time, facts, iso):
    assert parse(line) == (time, facts, iso)


def test_a_string_that_looks_like_an_iri_is_a_string():
    record = parse('{"time": 1, "predicate": "a", "args": ["<http://e.org/x>"]}')
    assert record is not None
    assert type(record.facts[0].args[0]) is str


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "it is not JSON"),
        ("[]", "a record must be an object, not a list"),
        ("36", "a record must be an object, not 36"),
        ('{"predicate": "a"}', "the key 'time' is missing"),
        ('{"time": 36}', "the key 'predicate' is missing"),
        ('{"time": 36, "predicate": "a", "arg": []}', "unknown key 'arg': did you mean 'args'?"),
        ('{"time": 36, "predicate": "a", "id": 7}', "unknown key 'id': a record has 'args', 'predicate', 'time'"),
        ('{"time": 36, "time": 37, "predicate": "a"}', "the key 'time' occurs twice"),
        ('{"time": 36.5, "predicate": "a"}', "'time' must be an integer or an ISO 8601 string, not 36.5"),
        ('{"time": true, "predicate": "a"}', "'time' must be an integer or an ISO 8601 string, not true"),
        ('{"time": null, "predicate": "a"}', "'time' must be an integer or an ISO 8601 string, not null"),
        ('{"time": -1, "predicate": "a"}', "-1 is not a time point"),
        ('{"time": "noon", "predicate": "a"}', "'noon' is not a time"),
        ('{"time": 1, "predicate": 7}', "'predicate' must be a string, not 7"),
        ('{"time": 1, "predicate": "A"}', "'A' is not a predicate"),
        ('{"time": 1, "predicate": "not"}', "is a reserved word"),
        ('{"time": 1, "predicate": "a", "args": "x"}', "'args' must be a list, not \"x\""),
        ('{"time": 1, "predicate": "a", "args": [null]}', "null is not a term"),
        ('{"time": 1, "predicate": "a", "args": [["x"]]}', "a list is not a term"),
        ('{"time": 1, "predicate": "a", "args": [{"x": 1}]}', "an object is not a term"),
        ('{"time": 1, "predicate": "a", "args": [{"iri": "no iri"}]}', "is not an absolute IRI"),
        ('{"time": 1, "predicate": "a", "args": [{"iri": 7}]}', "is not an absolute IRI"),
        ('{"time": 1, "predicate": "a", "args": [NaN]}', "NaN is not a term"),
        ('{"time": 1, "predicate": "a", "args": [-Infinity]}', "-Infinity is not a term"),
        ('{"time": 1, "predicate": "a", "args": [1e400]}', "the number 1e400 is too large"),
        ('{"time": 1, "predicate": "a", "args": ["\\ud800"]}', "surrogate"),
        ('{"time": 1, "facts": {}}', "'facts' must be a list of objects, not an object"),
        ('{"time": 1, "facts": [7]}', "'facts' must be a list of objects, and it contains 7"),
        ('{"time": 1, "facts": [], "predicate": "a"}', "unknown key 'predicate'"),
        (
            '{"time": 1, "predicate": "a", "args": [' + "9" * 5000 + "]}",
            "a number is too large: integers have at most 4300 digits",
        ),
        ('{"time": 1, "predicate": "a", "args": ' + "[" * 200_000, "nested too deeply"),
        ("\x00", "it is not JSON"),
    ],
)
def test_malformed_lines_have_a_reason(line, words):
    (item,) = JSONL.read_lines([Line(1, line)], parse)
    assert isinstance(item, Malformed)
    assert words in item.reason
    assert len(item.reason) < 400


def test_blank_lines_are_ignored():
    assert parse("  \r") is None
    assert JSONL.parse_background("") == ()


def test_background_has_no_time():
    assert JSONL.parse_background('{"predicate": "a", "args": ["x1", "y"]}') == (A,)


def test_changes_snapshots_and_intervals_as_json():
    assert json.loads(JSONL.write_change(36, A, True)) == {
        "time": 36,
        "holds": True,
        "predicate": "a",
        "args": ["x1", "y"],
    }
    assert json.loads(JSONL.write_interval(A, 36, 39, False)) == {
        "predicate": "a", "args": ["x1", "y"], "since": 36, "until": 39, "open": False,
    }  # fmt: skip


@pytest.mark.parametrize("atoms", [(), (A,), (A, MIXED), (Atom(Iri("http://e.org/p"), (1,)),)])
def test_snapshots_are_streams_again(atoms):
    assert parse(JSONL.write_snapshot(36, atoms)) == (36, atoms, False)


@pytest.mark.parametrize("said", [ParsedChange(36, A, True), ParsedChange(36, MIXED, False)])
def test_changes_are_read_again(said):
    assert parse(JSONL.write_change(said.time, said.atom, said.holds)) == said


@pytest.mark.parametrize("said", [ParsedInterval(A, 36, 39, True), ParsedInterval(MIXED, 36, 36)])
def test_intervals_are_read_again(said):
    assert parse(JSONL.write_interval(said.atom, said.since, said.until, said.open)) == said


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"time": 1, "holds": "perhaps", "predicate": "q"}', "'holds' must be true or false, not \"perhaps\""),
        ('{"holds": true, "predicate": "q"}', "the key 'time' is missing"),
        ('{"since": 1, "predicate": "q"}', "the key 'until' is missing"),
        ('{"since": "soon", "until": 2, "predicate": "q"}', "'soon' is not a time"),
        ('{"time": 1, "holds": true, "predicat": "q"}', "did you mean 'predicate'?"),
    ],
)
def test_malformed_answers_have_a_reason(line, words):
    (item,) = JSONL.read_lines([Line(1, line)], parse)
    assert isinstance(item, Malformed)
    assert words in item.reason
