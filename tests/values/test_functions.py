"""Functions and tests of texts: total, bounded, of the type that they promise, and exact at the edges."""

from __future__ import annotations

import builtins
import itertools
import logging
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import laser
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.explanation.check import check as check_proof
from laser.rules.types import argument_types
from laser.settings import RunSettings
from laser.values import Predicate, Time, static_type_of, texts
from laser.values.functions import FUNCTIONS, LONGEST
from laser.values.number import HUGE
from laser.values.operations import apply, compare
from laser.values.static_type import INTEGER, STRING, TIME
from laser.values.texts import TESTS, negated
from tests.values.test_registry import SAMPLES, values

CALLS = [(name, count) for name, each in FUNCTIONS.items() for count in range(each.least, (each.most or 3) + 1)]


def check(name: str, args: tuple) -> None:
    """A function has a value in the one form of its type, or none; and the type that was promised."""
    value = apply(name, *args)
    if value is None:
        return
    assert laser.Atom("a", [value]).args == (value,)
    promised = FUNCTIONS[name].gives([static_type_of(arg) for arg in args])
    assert static_type_of(value).fits(promised), f"{name}{args} is {value!r}, and not {promised}"
    if isinstance(value, str):
        assert len(value) <= max([LONGEST, *(len(arg) for arg in args if isinstance(arg, str))])
    if isinstance(value, int) and name == "pow":
        assert abs(value) < HUGE


@pytest.mark.parametrize(("name", "count"), CALLS)
def test_every_function_is_total(name: str, count: int) -> None:
    some = SAMPLES if count < 3 else SAMPLES[::9]
    for args in itertools.product(some, repeat=count):
        check(name, args)


@given(st.sampled_from(CALLS), st.lists(values, min_size=3, max_size=3))
def test_every_function_is_total_at_random(call: tuple[str, int], args: list) -> None:
    check(call[0], tuple(args[: call[1]]))


@given(st.sampled_from(sorted(TESTS)), values, values)
def test_a_test_and_its_opposite_are_defined_together(name: str, one: object, other: object) -> None:
    found, opposite = compare(name, one, other), compare(negated(name), one, other)
    assert opposite == (None if found is None else not found)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (("round", 2.5), 3),
        (("round", -2.5), -3),
        (("round", 0.49999999999999994), 0),
        (("round", 2.675, 2), 2.68),
        (("round", 1.005, 2), 1.01),
        (("round", -1.15, 1), -1.2),
        (("round", 2**53 + 1), 2**53 + 1),
        (("round", 10**22 + 5, -1), 10**22 + 10),
        (("round", -15, -1), -20),
        (("round", 14, -1), 10),
        (("round", 5, -1), 10),
        (("round", 4, -1), 0),
        (("round", 49.9, -2), 0),
        (("round", 50.0, -2), 100),
        (("round", 1, -(10**9)), 0),
        (("round", 1.5, 10**9), 1.5),
        (("round", 1.5, -(10**9)), 0),
        (("round", 10**3000 + 1, -1), None),
        (("round", 5e-324, 323), 1e-323),
        (("round", 1.7e308, -308), None),  # 2e308 is more than the largest number
        (("round", 1.5, 0.5), None),
        (("floor", -1.5), -2),
        (("ceil", -1.5), -1),
        (("floor", 1e300), int(1e300)),
        (("sqrt", 10**40), 10**20),
        (("sqrt", (2**60 + 1) ** 2), 2**60 + 1),
        (("sqrt", 2), 2**0.5),
        (("sqrt", -1), None),
        (("log", 1), 0),
        (("log", 0), None),
        (("log", -1), None),
        (("pow", 10, 22), 10**22),
        (("pow", 10, 10**9), None),
        (("pow", -10, 10**4000), None),
        (("pow", -1, 10**4000 + 1), -1),
        (("pow", 0, 0), 1),
        (("pow", 0, -1), None),
        (("pow", 2, -1), 0.5),
        (("pow", 4, 0.5), 2),
        (("pow", -8, 0.5), None),
        (("pow", 2, 1023), 2**1023),
        (("pow", 2, 1024), None),
        (("length", "a\U0001f600e\u0301"), 4),
        (("upper", "straße"), "STRASSE"),
        (("lower", "İ"), "i̇"),
        (("concat", "a", 1, -2.5, ""), "a1-2.5"),
        (("concat", "a", Time(0)), None),
        (("concat", "a" * LONGEST, ""), "a" * LONGEST),
        (("concat", "a" * LONGEST, "b"), None),
        (("min", 1, "a"), None),
        (("hour", 36), None),
    ],
    ids=lambda each: f"{each}"[:40],
)
def test_functions_give_the_documented_values_at_the_edges(call: tuple, value: object) -> None:
    assert apply(*call) == value


@given(st.floats(-1e6, 1e6), st.integers(-3, 6))
def test_rounding_is_exact_and_half_goes_away_from_zero(x: float, digits: int) -> None:
    value = laser.Atom("a", [x]).args[0]
    rounded = apply("round", value, digits)
    assert rounded is not None
    unit, given = Fraction(10) ** -digits, Fraction(repr(value))
    nearest = (abs(given) / unit + Fraction(1, 2)) // 1 * unit
    assert rounded == float(nearest if given >= 0 else -nearest)


def at(*parts: int) -> Time:
    return Time.of(datetime(*parts, tzinfo=UTC))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("zone", "instant", "hour", "weekday", "began"),
    [
        ("UTC", at(2026, 3, 1, 23, 59, 59, 999999), 23, 7, at(2026, 3, 1)),
        ("Europe/Vienna", at(2026, 3, 1, 23, 0), 0, 1, at(2026, 3, 1, 23)),
        ("+05:30", at(2026, 3, 1, 18, 30), 0, 1, at(2026, 3, 1, 18, 30)),
        ("Europe/Vienna", at(2026, 3, 29, 12), 14, 7, at(2026, 3, 28, 23)),  # the day has 23 hours
        ("America/Sao_Paulo", at(2018, 11, 4, 12), 10, 7, at(2018, 11, 4, 3)),  # midnight is skipped
        ("America/Toronto", at(1919, 3, 31, 12), 8, 1, at(1919, 3, 31, 4, 30)),  # clocks go from 23:30 to 0:30
        ("America/Havana", at(2025, 11, 2, 12), 7, 7, at(2025, 11, 2, 4)),  # midnight comes twice
        ("UTC", at(1, 1, 1), 0, 1, at(1, 1, 1)),
        ("Asia/Tokyo", at(9999, 12, 31, 23), None, None, None),  # beyond the calendar
        ("America/New_York", at(1, 1, 1), None, None, None),
    ],
)
def test_the_calendar_of_a_zone(zone: str, instant: Time, hour: object, weekday: object, began: object) -> None:
    assert apply("hour", instant, zone) == hour
    assert apply("weekday", instant, zone) == weekday
    assert apply("date", instant, zone) == began


def test_the_zone_of_the_run_counts_in_rules_facts_and_constants() -> None:
    text = (
        "#const first = date(2026-03-01T23:30:00Z). began(first). day(weekday(2026-03-01T23:30:00Z))."
        "q(H, B, W) :- on at T in [0], H = hour(T), began(B), day(W)."
    )
    stream = [(datetime(2026, 3, 1, 23, 30, tzinfo=UTC), ["on"])]
    for zone, expected in (("UTC", (23, at(2026, 3, 1), 7)), ("Europe/Vienna", (0, at(2026, 3, 1, 23), 1))):
        ((_, found),) = laser.run(text, stream, zone=zone)
        assert found == {laser.Atom("q", expected)}
    assert len({accept(parse(text), RunSettings(zone=zone)).fingerprint for zone in ("UTC", "Europe/Vienna")}) == 2


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(laser.TimeError, match="not a time zone"):
        laser.Reasoner("q :- a.", zone="Mars/Olympus")


def test_static_types_follow_functions_both_ways() -> None:
    program = accept(parse("q(length(S), lower(S), floor(X), round(X), pow(X, 2)) :- a(S, X, Y), contains(Y, b)."))
    types = argument_types(program, {})
    assert [str(t) for t in types[Predicate("q", 5)]] == ["integer", "string", "integer", "integer", "number"]
    assert [str(t) for t in types[Predicate("a", 3)]] == ["string", "number", "string"]
    dated = accept(parse("q(hour(T), date(T)) :- a(T)."), RunSettings(dates=True))
    assert argument_types(dated, {})[Predicate("q", 2)] == (INTEGER, TIME)
    assert argument_types(dated, {})[Predicate("a", 1)] == (TIME,)
    assert argument_types(accept(parse("q(concat(X, Y)) :- a(X, Y).")), {})[Predicate("q", 1)] == (STRING,)


@pytest.mark.parametrize(
    "rule",
    [
        "q :- a at T in [3], lower(T) = b.",
        "q :- a(X), hour(X) = 3, X = 5.",
        "q :- a at T in [3], contains(T, b).",
        "q(round(T)) :- a at T in [3].",
        "q :- count(X : a(X) at T in [3], length(T) > 2) > 0.",
    ],
)
def test_a_time_where_another_type_is_needed_is_refused(rule: str) -> None:
    with pytest.raises(laser.ProgramError, match="mixed-types"):
        laser.Reasoner(rule, dates=True)


def test_undefined_functions_are_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    reasoner = laser.Reasoner("q(X) :- a(X), not contains(X, b). r(X) :- a(X) at T in [0], hour(T) > 2.")
    with caplog.at_level(logging.WARNING, "laser"):
        reasoner.advance(1, [("a", 5)])
        reasoner.advance(2, [("a", 6)])
    assert [record.getMessage().split(", in the rule")[0] for record in caplog.records] == [
        "not defined: not contains(5, b)",
        "not defined: hour(1), of a number: it needs a date",
    ]


def test_a_recursion_that_makes_longer_strings_ends() -> None:
    reasoner = laser.Reasoner("s(concat(X, X)) :- s(X). s(X) :- a(X).")
    assert len(reasoner.advance(1, ["a(b)"])) == 16  # up to 2**15 characters
    grown = laser.Reasoner("s(concat(X, b)) :- s(X). s(X) :- a(X).", limit=500)
    with pytest.raises(laser.LimitError, match="concat"):
        grown.advance(1, ["a(b)"])


def test_without_the_package_a_program_with_matches_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fails(name: str, *rest: object, **named: object) -> object:
        if name == "re2":
            raise ImportError(name)
        return real(name, *rest, **named)  # type: ignore[arg-type]

    texts._compiled.cache_clear()
    monkeypatch.setattr(builtins, "__import__", fails)
    with pytest.raises(laser.LaserError, match=r"laser-reasoner\[re2\]"):
        laser.parse("q :- a(X, Y), matches(X, Y).")
    assert laser.parse("q :- a(X), contains(X, b).").rules


def test_explanations_show_functions_and_tests_with_their_values() -> None:
    text = 'bad(M) :- log(M), matches(M, "^err"), length(lower(M)) > 3, not contains(M, "retry").'
    stream = [(1, [("log", "error")]), (2, [("log", "err: retry")]), (3, [("log", 7)])]
    told = str(laser.explain(text, stream[:1], "bad(error)", 1))
    assert 'matches(error, "^err")' in told
    assert "length(lower(error)) > 3" in told
    assert "not contains(error, retry)" in told
    for proof in laser.explain(text, stream[:1], "bad(error)", 1).proofs:
        check_proof(proof)
    missing = str(laser.explain(text, stream[:2], 'bad("err: retry")', 2))
    assert 'but contains("err: retry", retry) holds' in " ".join(missing.split())
    undefined = str(laser.explain(text, stream, "bad(7)", 3))
    assert "is not defined: it needs two strings" in " ".join(undefined.split())
