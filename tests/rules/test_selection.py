"""Which facts matter: a program over the selected facts answers, and reports, as it does over all."""

from __future__ import annotations

import itertools
import json
import logging
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.rules import selection as module
from laser.rules.selection import Place, Selection, Test, covers, read_selection, select
from laser.settings import RunSettings
from laser.syntax.parser import parse_tree
from laser.values import Predicate, Time
from laser.values.static_type import ANY, DURATION, INTEGER, NUMBER, STRING, TIME
from tests.cases_reader import read_lines
from tests.laws import QUIET, Given, facts_that_are_not_selected_do_not_matter, is_kept, is_legal, types_of
from tests.strategies import NUMBERS, Generator, Seeded, Trial

Test.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for tests

TEMP = Predicate("temp", 2)


@pytest.fixture(autouse=True)
def _quiet():
    level = logging.getLogger("laser").level
    logging.getLogger("laser").setLevel(QUIET)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.getLogger("laser").setLevel(level)


def selected(rules, types=(STRING, NUMBER)):
    dated = TIME in types or DURATION in types
    core = accept(parse(rules), replace(RunSettings.read({}), dates=dated))
    found = select(core, {TEMP: list(types)}).get(TEMP)
    return None if found is None else found.to_text(["m", "v"])


CONDITIONS = [
    ("q(M) :- temp(M, V) in [5 min], V > 90.", "v > 90"),
    ("q(M) :- temp(M, V), 90 >= V, V != 7.", "v != 7 and v <= 90"),
    ("q(V) :- temp(m1, V) at T in [3].", "m = m1"),
    ("q(M) :- temp(M, V), V > 90. r(M) :- temp(M, V), V >= 95. s(V) :- temp(m1, V).", "m = m1 or v > 90"),
    ("q :- not temp(m1, _) in [5].", "m = m1"),
    ("q(M) :- temp(M, V) always in [5], V > 90.", "v > 90"),
    ("q(M) :- temp(M, V) at least 3 times in [5], V > 90.", "v > 90"),
    ("q(M, N) :- N = count(V, T : temp(M, V) at T in [5], V > 90).", "v > 90"),
    ("q(M, N) :- temp(M, V), V > 90, N = count(W : temp(M, W) in [5], W < 0).", "v < 0 or v > 90"),
    ("#const n = 30. q(M) :- temp(M, V), V > 3 * n.", "v > 90"),
    ("temp(M, V) :- other(M, V).", "never"),
    ("q(M) :- temp(M, V) in [last 3 per M], V > 90, M != m1.", "m != m1"),
    ("q(M) :- temp(M, V) at T, V > 90.", "v > 90"),
    ("#record q/1. q(M) :- temp(M, V), V > 90. q(M) :- q(M) in [1 ago], not temp(M, 0).", "v = 0 or v > 90"),
]
ALL = [
    "q(M) :- temp(M, _) in [5].",
    "q(M) :- temp(M, V), V > 90. r(M) :- temp(M, _).",
    "q(M) :- temp(M, V), V > 90, other in [3 #].",  # counts all facts
    "q(M) :- temp(M, V) in [last 3], V > 90.",
    "q(M) :- temp(M, V) in [last 3 per M], V > 90.",
    "q(M) :- temp(M, V), M > 3, V > 90.",  # reports that a string is compared with a number
    "q(M) :- temp(M, V), V / 2 > 3, V > 90.",
    "q(M) :- temp(M, V), W = V + 1, W > 90.",
    "q(M) :- temp(M, V), starts_with(M, m).",
    'q(M) :- temp(M, V), V > "a".',
    "q(M) :- temp(M, V), V > 9007199254740993.",  # not a double
]


@pytest.mark.parametrize(("rules", "condition"), CONDITIONS)
def test_the_condition_is_that_of_all_atoms(rules, condition):
    assert selected(rules) == condition


@pytest.mark.parametrize("rules", ALL)
def test_every_fact_matters(rules):
    assert selected(rules) is None


@pytest.mark.parametrize(
    ("rules", "types", "condition"),
    [
        ("q(M) :- temp(M, V), V > 2.5.", (STRING, INTEGER), "v > 2"),
        ("q(M) :- temp(M, V), V >= 2.5.", (STRING, INTEGER), "v > 2"),
        ("q(M) :- temp(M, V), V < 2.5.", (STRING, INTEGER), "v <= 2"),
        ("q(M) :- temp(M, V), V < -2.5.", (STRING, INTEGER), "v <= -3"),
        ("q(M) :- temp(M, V), V != 2.5.", (STRING, INTEGER), None),
        ("q(M) :- temp(M, V), V > 9007199254740993.", (STRING, INTEGER), "v > 9007199254740993"),
        ("q(M) :- temp(M, V), V > 9223372036854775808.", (STRING, INTEGER), None),
        ("q(M) :- temp(M, V), V > 1.", (STRING, ANY), None),
        ("q(M) :- temp(M, 1).", (STRING, ANY), None),
        ("q(M) :- temp(M, V), V > 1.", (STRING, STRING), None),
        ("q(M) :- temp(M, V), V > 5 min.", (STRING, DURATION), "v > 5 min"),
        ("q(M) :- temp(M, V), V < 3.", (STRING, TIME), None),
        ("q(M) :- temp(M, V), V < 2026-01-01T00:00:00Z.", (STRING, TIME), "v < 2026-01-01T00:00:00Z"),
        ('q(M) :- temp(M, V), V < "2026-01-01".', (STRING, TIME), None),
        ("q(X) :- temp(X, X).", (NUMBER, NUMBER), "v = m"),
        ("q(X) :- temp(X, X).", (INTEGER, NUMBER), None),
        ("q(X) :- temp(X, Y), Y > X.", (STRING, STRING), "v > m"),
    ],
)
def test_types_decide_what_is_compared(rules, types, condition):
    assert selected(rules, types) == condition


def test_a_condition_of_very_many_tests_is_left_out():
    assert selected(" ".join(f"q{i}(V) :- temp(m{i}, V)." for i in range(100))).count("or") == 99
    assert selected(" ".join(f"q{i}(V) :- temp(m{i}, V)." for i in range(101))) is None


# -- the law


def numeric_trial(seed: str) -> Trial:
    """A random program over numbers: their comparisons are always defined, so that many facts do not matter."""
    generator = Generator(Seeded(seed))
    generator.words = replace(generator.words, values=NUMBERS)
    generator.functions = False
    generator.choose_records()
    program = generator.program()
    return Trial(program, *generator.stream())


def test_random_programs_answer_the_same_over_the_selected_facts():
    left_out = 0
    for seed in range(120):
        trial = numeric_trial(f"selection/{seed}")
        if is_legal(trial):
            given = Given(trial)
            facts_that_are_not_selected_do_not_matter(given, Seeded(seed))
            selections = select(given.core, types_of(trial.stream))
            left_out += any(not is_kept(fact, selections) for _, facts in trial.stream for fact in facts)
    assert left_out >= 30


# -- planted mistakes


class Mistake(NamedTuple):
    """What is replaced in the module, and a program that finds it."""

    what: str
    name: str
    replacement: Any
    rules: str
    stream: str


def only(choose: Callable[[Any], Any]) -> Any:
    """The atoms that a mistaken search looks at, with the comparisons beside them."""
    real = module._Finder.scopes

    class Finder(module._Finder):
        def scopes(self, rule):
            return ((choose(rule, atoms), tests) for atoms, tests in real(self, rule))

    return Finder


MISTAKES = [
    Mistake("reports are lost", "_is_certain", lambda *_: True, 'q :- a(X, Y), X < "s", Y > 2.', "1: a(1, 1)."),
    Mistake(
        "[last n] counts selected facts only", "_within", lambda tests, _: tests, "q(X) :- a(X, V) in [last 1], V > 2.", "1: a(1, 5).\n2: a(1, 1)."
    ),
    Mistake(
        "[last n per X] selects by other arguments",
        "_within",
        lambda tests, _: tests,
        "q(X) :- a(X, V) in [last 1 per X], V > 2.",
        "1: a(1, 5).\n2: a(1, 1).",
    ),
    Mistake("[n #] counts selected facts only", "LastFacts", bool, "q(X) :- a(X) in [1 #], X > 2.", "1: a(3).\n2: a(1)."),
    Mistake(
        "negated atoms are forgotten",
        "_Finder",
        only(lambda _, atoms: [atom for atom in atoms if atom.is_positive]),
        "q(X) :- b(X) in [3], not a(X, _) in [3]. r(X) :- a(X, 5).",
        "1: b(1), a(1, 1).",
    ),
    Mistake(
        "aggregates are forgotten",
        "_Finder",
        only(lambda rule, atoms: [atom for atom in atoms if atom in rule.own_atoms]),
        "q(N) :- N = count(X : a(X, _) in [3]). r(X) :- a(X, 5).",
        "1: a(1, 1).",
    ),
    Mistake("numbers are rounded up", "floor", math.ceil, "q(X) :- a(X), X > 2.5.", "1: a(3).\n2: a(2)."),
    Mistake("sides are swapped", "_FLIPPED", {">": ">", "<": "<"}, "q(X) :- a(X), 2 < X.", "1: a(3).\n2: a(1)."),
    Mistake("an alternative stands for a narrower one", "_is_covered", lambda *_: True, "q(X) :- a(X), X > 5. r(X) :- a(X), X < 2.", "1: a(6), a(1)."),
    Mistake("a string is a number", "_kind", lambda type_: NUMBER, "q(X) :- a(X), X > 2.", "1: a(3).\n2: a(x)."),
]  # fmt: skip


def small(mistake: Mistake) -> Given:
    stream = [(time, list(facts)) for time, facts in read_lines(mistake.stream)]
    return Given(Trial(parse_tree(mistake.rules), stream))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.what)
def test_a_small_program_finds_the_mistake(mistake, monkeypatch):
    given = small(mistake)
    facts_that_are_not_selected_do_not_matter(given, Seeded(0))
    monkeypatch.setattr(module, mistake.name, mistake.replacement)
    with pytest.raises(AssertionError, match="with facts where"):
        facts_that_are_not_selected_do_not_matter(given, Seeded(0))


# -- conditions as data

GRID = list(itertools.product(range(-1, 4), repeat=2))


def drawn(choices: Seeded) -> Selection:
    def test() -> Test:
        other = Place(choices.integer(0, 1)) if choices.chance(20) else choices.integer(0, 2)
        return Test(choices.integer(0, 1), choices.pick(("=", "!=", "<", "<=", ">", ">=")), other)

    return Selection(
        frozenset(frozenset(test() for _ in range(choices.integer(1, 2))) for _ in range(choices.integer(0, 3)))
    )


def test_what_covers_a_condition_keeps_all_its_facts():
    found = 0
    for seed in range(4000):
        kept, needed = drawn(Seeded((seed, 1))), drawn(Seeded((seed, 2)))
        if covers(kept, needed):
            found += bool(needed.alternatives)
            assert all(kept.keeps(args) for args in GRID if needed.keeps(args)), (kept, needed)
    assert found > 100


def test_everything_covers_and_is_covered_only_by_everything():
    some = Selection(frozenset([frozenset([Test(0, ">", 1)])]))
    assert covers(None, None)
    assert covers(None, some)
    assert not covers(some, None)
    assert covers(some, Selection(frozenset()))


@pytest.mark.parametrize(
    ("narrow", "wide", "is_covered"),
    [
        ((">", 3), (">", 3), True),
        ((">", 3), (">=", 3), True),
        ((">=", 3), (">", 3), False),
        ((">=", 4), (">", 3), True),
        (("<", 3), ("<=", 3), True),
        (("<=", 3), ("<", 3), False),
        (("<", 3.5), ("<", 4), True),
        (("<", 4), ("<", 3.5), False),
        (("=", 3), ("<", 4), True),
        (("=", 3), ("!=", 4), True),
        (("=", 4), ("!=", 4), False),
        ((">", 3), ("<", 9), False),
        ((">", "b"), (">", "a"), True),
        ((">", "b"), (">", 1), False),
    ],
)
def test_a_test_implies_a_weaker_one(narrow, wide, is_covered):
    assert Test(0, *narrow).implies(Test(0, *wide)) is is_covered
    assert not Test(0, *narrow).implies(Test(1, *wide))


def test_a_condition_is_read_as_it_was_written():
    for seed in range(300):
        selection = drawn(Seeded(seed))
        assert read_selection(json.loads(json.dumps(selection.plain()))) == selection
    odd = Selection(frozenset([frozenset([Test(0, "=", 'two "words"'), Test(1, "<", Time(1)), Test(1, ">", 2.5)])]))
    assert read_selection(json.loads(json.dumps(odd.plain()))) == odd
