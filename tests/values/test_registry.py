"""The laws that every value type keeps, over values of all types, the odd ones first."""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laser.errors import FactError
from laser.io.formats import FORMATS
from laser.io.formats.format import LineFormat
from laser.io.records import ParsedLine
from laser.syntax.parser import parse_tree
from laser.syntax.tree import Constant, Fact
from laser.ticks import Tick
from laser.values import (
    BY_CLASS,
    CODE_NAMES,
    PLAIN_CLASSES,
    TYPES,
    Atom,
    Iri,
    Value,
    from_json,
    static_type_of,
    to_json,
    to_value,
    type_of,
    value_order,
    write_code,
    write_value,
)  # fmt: skip
from laser.values.facts import read_literal, read_value
from laser.values.iri import IRI
from laser.values.number import NUMBER, is_writable, number
from laser.values.string import RESERVED, STRING
from laser.values.time import DURATION, TIME, Duration, Time
from laser.values.value_type import ValueType

HARD_TEXTS = [
    "", "a", "x1", "X", "_", "1", "1.0", "-1", "1e16", "0x10", "true", "not", "two words", 'a"b', "a\\b", "\\", '"', "<a:b>", "a:b",
    "http://e.org/a", "2026-03-02T22:00:00Z", "90 s", "-5min", "2026-03-02", "12:30", "%", "//", "tab\tline\nreturn\r", "\0", "\x1f", "\x7f", "\x85", "\u2028", "\ufeff", "é", "𝄞", "\ud800", "\udfff",
]  # fmt: skip
HARD_NUMBERS = [
    0, -0.0, 1, 1.0, -1, 0.5, 0.1, 1e16, 1e23, 1e300, 2.0**53, 2**53 + 1, 5e-324, 1.7976931348623157e308, 10**30, -(10**30), 2**1024,
    10**4299, 10**5000, -(10**5000),
]  # fmt: skip
HARD_IRIS = ["a:", "a:b", "http://e.org/a", "http://e.org/b?c=d#e", "urn:x:é", "http://e.org/%20", "x+y.-z:𝄞"]

HARD_TIMES = [
    0,
    1,
    -1,
    1_000_000,
    1_772_488_800_000_000,
    1_772_488_800_250_000,
    1_772_488_800_000_001,
    -62_135_596_800_000_000,
    253_402_300_799_999_999,
]
HARD_DURATIONS = [
    0,
    1,
    -1,
    3,
    4,
    1_000,
    90_000_000,
    -90_000_000,
    600_000_000,
    86_400_000_000,
    1_500_000,
    2**63 - 1,
    -(2**63) + 1,
]

texts = st.sampled_from(HARD_TEXTS) | st.sampled_from(sorted(RESERVED)) | st.text(st.characters(), max_size=8)
numbers = (
    st.integers(0, len(HARD_NUMBERS) - 1).map(lambda i: HARD_NUMBERS[i])  # not sampled: some cannot be printed
    | st.integers()
    | st.integers(-(10**40), 10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
).map(to_value)
VALUES: Mapping[ValueType, st.SearchStrategy[Value]] = {
    STRING: texts,
    NUMBER: numbers,
    IRI: st.sampled_from(HARD_IRIS).map(Iri),
    TIME: (st.sampled_from(HARD_TIMES) | st.integers(HARD_TIMES[-2], HARD_TIMES[-1])).map(Time),
    DURATION: (st.sampled_from(HARD_DURATIONS) | st.integers(-(2**63) + 1, 2**63 - 1)).map(Duration),
}
"""A new type brings its own; content that other types also have belongs in it."""

values = st.one_of(VALUES.values())
SAMPLES: list[Value] = [
    *HARD_TEXTS,
    *map(to_value, HARD_NUMBERS),
    *map(Iri, HARD_IRIS),
    *map(Time, HARD_TIMES),
    *map(Duration, HARD_DURATIONS),
]


def test_every_type_has_test_values() -> None:
    assert set(VALUES) == set(TYPES) == {type_of(value) for value in SAMPLES}


def test_classes_ranks_and_tags_are_of_one_type_each() -> None:
    assert len(BY_CLASS) == sum(len(each.classes) for each in TYPES)
    assert len({each.rank for each in TYPES}) == len({each.name for each in TYPES}) == len(TYPES)
    tags = [each.json_tag for each in TYPES if each.json_tag]
    assert len(set(tags)) == len(tags)
    assert all(each.plain <= set(each.classes) for each in TYPES)
    assert sum(len(each.code_names) for each in TYPES) == len(CODE_NAMES)


@pytest.mark.parametrize("each", TYPES, ids=lambda each: each.name)
def test_patterns_have_no_groups(each: ValueType) -> None:
    """Readers put many of them into one expression, and count its groups."""
    assert re.compile(each.in_program).groups == re.compile(each.in_fact).groups == 0


def check_apart(one: Value, other: Value) -> None:
    """Values of two types are two values and two keys, and have no order but that of ``value_order``."""
    assert one != other
    assert other != one
    assert len({one, other}) == len({("p", one), ("p", other)}) == 2
    check_order(one, other)


def check_order(one: Value, other: Value) -> None:
    """Where Python has an order of two values, it is that of ``value_order``: either of them may sort answers."""
    try:
        native = one < other  # type: ignore[operator]
    except TypeError:
        assert type_of(one) is not type_of(other)
    else:
        assert native == (value_order(one) < value_order(other))


def test_values_of_different_types_are_never_equal() -> None:
    for one, other in combinations(SAMPLES, 2):
        if type_of(one) is not type_of(other):
            check_apart(one, other)


@given(values, values)
def test_values_of_different_types_are_never_one_key(one: Value, other: Value) -> None:
    if type_of(one) is not type_of(other):
        check_apart(one, other)


@given(values, values)
def test_equal_values_have_one_form(one: Value, other: Value) -> None:
    """So it does not matter which of two equal keys is kept: they hash, print and travel alike."""
    if one == other:
        assert hash(one) == hash(other)
        assert type(one) is type(other)
        assert write_value(one) == write_value(other)


@given(values, values)
def test_values_are_sorted_by_their_own_order_if_they_have_one(one: Value, other: Value) -> None:
    assert (value_order(one) == value_order(other)) == (one == other)
    check_order(one, other)


@given(st.lists(values))
def test_any_values_can_be_sorted(several: list[Value]) -> None:
    kinds = [type_of(value).rank for value in sorted(several, key=value_order)]
    assert kinds == sorted(kinds)


@given(values)
def test_a_value_is_read_as_it_is_written(value: Value) -> None:
    if not is_writable(value):
        with pytest.raises(FactError):
            read_value(write_value(value))
        return
    for again in (read_value(write_value(value)), _in_program(value)):
        assert again == value
        assert type(again) is type(value)


def _in_program(value: Value) -> Value:
    """Through the lexer, the grammar and the builder."""
    (fact,) = parse_tree(f"a({write_value(value)}).").statements
    assert isinstance(fact, Fact)
    (term,) = fact.atom.args
    assert isinstance(term, Constant)
    return term.value


@given(values)
def test_the_literal_of_a_type_is_of_that_type(value: Value) -> None:
    text = type_of(value).write(value)
    if is_writable(value) and not text.isidentifier():
        assert re.fullmatch(type_of(value).in_fact, text)
        assert read_literal(text) == value


@given(values)
def test_json_gives_a_value_back(value: Value) -> None:
    again = from_json(to_json(value))
    assert again == value
    assert type(again) is type(value)


@given(values)
def test_generated_code_is_the_value(value: Value) -> None:
    code = write_code(value)
    code.encode()  # half a surrogate pair would be no source text
    again = eval(code, dict(CODE_NAMES))
    assert again == value
    assert type(again) is type(value)
    assert eval(f"({code}).__class__", dict(CODE_NAMES)) is type(value)


@given(values)
def test_a_pickled_value_is_the_value(value: Value) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value
    assert type(again) is type(value)


@given(values)
def test_a_value_is_accepted_as_it_is(value: Value) -> None:
    assert to_value(value) is value or type(value) not in PLAIN_CLASSES
    assert type_of(value).accept(value) == value
    assert static_type_of(value) in type_of(value).classes.values()
    assert Atom("a", [value]) == ("a", value)


@given(values.filter(is_writable))
def test_streams_give_a_value_back(value: Value) -> None:
    atom = Atom("a", [value, "end"])
    for layout in FORMATS.values():
        if isinstance(layout, LineFormat) and not (layout.name == "jsonl" and has_half_a_character(value)):
            record = layout.parser(Tick())(layout.write_snapshot(1, [atom]))
            assert isinstance(record, ParsedLine)
            assert record.facts == (atom,)
            assert type(record.facts[0][1]) is type(value)


def has_half_a_character(value: Value) -> bool:
    """JSON Lines refuses such a string."""
    return isinstance(value, str) and bool(re.search("[\ud800-\udfff]", value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_whole_double_is_an_exact_integer(value: float) -> None:
    assert number(value) == value
    assert (type(number(value)) is int) == (value == int(value))
