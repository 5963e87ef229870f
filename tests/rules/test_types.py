"""Static types of arguments: from what is given, through the rules, and from use."""

from __future__ import annotations

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.errors import ProgramError
from laser.rules.types import ClashError, argument_types
from laser.settings import RunSettings
from laser.values import Predicate
from laser.values.static_type import ANY, BOOLEAN, INTEGER, NUMBER, STRING, TIME, StaticType

INT = StaticType("int", INTEGER)
A, B = Predicate("a", 1), Predicate("b", 1)


def types(text: str, given=None, dates=False, **options) -> dict[str, str]:
    found = argument_types(accept(parse(text), RunSettings(dates=dates)), given or {}, **options)
    return {predicate.name: " ".join(map(str, known)) for predicate, known in found.items()}


@pytest.mark.parametrize(
    ("program", "given", "expected"),
    [
        ("q(X) :- a(X).", INT, "int"),
        ("q(X + 1) :- a(X).", INT, "integer"),
        ("q(X / 2) :- a(X).", INT, "number"),
        ("q(Y) :- a(X), Y = Z * 2, Z = X - 1.", INT, "integer"),
        ("q(X * 2.5) :- a(X).", INT, "number"),
        ("q(T) :- a(X) at T.", INT, "integer"),
        ("q(on) :- a(X).", INT, "string"),
        ("q(X) :- a(X). q(2.5) :- a(X).", INT, "number"),
        ("q(X) :- a(X). q(off) :- a(X).", BOOLEAN, "string"),
        ("q(X) :- p(X). p(X) :- a(X). p(X) :- q(X).", INT, "int"),
        ("q(<http://e.org/x>) :- a(X).", INT, "any"),
        ("q(X) :- a(X), b(X).", ANY, "any"),
    ],
)
def test_given_types_flow_through_the_rules(program: str, given: StaticType, expected: str) -> None:
    assert types(program, {A: [given]})["q"] == expected


def test_the_time_of_an_atom_has_the_type_of_times() -> None:
    assert types("q(T) :- a(X) at T in [5].", {A: [INT]})["q"] == "integer"
    assert types("q(T) :- a(X) at T in [5].", {A: [INT]}, dates=True)["q"] == "time"


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("T - 2026-01-01T00:00:00Z", "duration"),
        ("T + 5", "time"),
        ("T + 10 min", "time"),
        ("(T - S) / 2", "duration"),
        ("(T - S) / 1 s", "number"),
        ("(T - S) div 1 s", "integer"),
        ("max(T, S)", "time"),
        ("abs(T - S)", "duration"),
    ],
)
def test_the_types_of_computed_times(term: str, expected: str) -> None:
    assert types(f"q(X) :- a(S), a(Y) at T in [5], X = {term}.", {A: [TIME]}, dates=True)["q"] == expected


def test_a_variable_in_two_places_has_the_type_that_matches_in_both() -> None:
    assert types("q(X) :- a(X), b(X).", {A: [ANY], B: [INT]})["q"] == "int"
    assert types("q(X) :- a(X), b(X).", {A: [INT], B: [NUMBER]})["q"] == "number"


def test_background_data_have_the_types_of_their_values() -> None:
    assert types("b(1). b(2.5). q(X) :- b(X).")["q"] == "number"
    assert types("b(1). b(2). q(X) :- b(X).")["q"] == "integer"


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "q(X) :- a(X). q(X) :- b(X).",
            "the types int and string are mixed in argument 1 of q/1 (rule `q(X) :- b(X).`)",
        ),
        ("q(X) :- a(X), b(X).", "the types int and string are mixed in variable X of the rule `q(X) :- a(X), b(X).`"),
        ('q :- a("one two").', 'the types string and int are mixed in "one two" of the rule `q :- a("one two").`'),
        ("a(x). q(X) :- a(X).", "the types int and string are mixed in argument 1 of a/1 (background data)"),
    ],
)
def test_types_without_a_common_one_are_refused_with_the_place(program: str, message: str) -> None:
    with pytest.raises(ClashError) as caught:
        types(program, {A: [INT], B: [STRING]})
    assert str(caught.value) == message


def test_or_the_argument_may_have_any_type_if_mixed_types_are_allowed() -> None:
    assert types("q(X) :- a(X). q(X) :- b(X).", {A: [INT], B: [STRING]}, mixed=True)["q"] == "any"


@pytest.mark.parametrize(
    ("program", "use"),
    [
        ("q :- a(X), X > 3.", "number"),
        ("q :- a(X), X = 3.", "number"),
        ("q :- a(X), X + 1 != 3.", "number"),
        ("q(X + 1) :- a(X).", "number"),
        ("q :- a(X), X < Y, Y = 2.5.", "number"),
        ("q :- a(X), X >= large.", "string"),
        ("q :- a(X), X != 3.", "None"),
        ("q :- a(X), X > 3. r :- a(X), X = off.", "None"),
        ("q :- a(<http://e.org/x>).", "None"),
        ("q :- p(X), X > 3. p(X) :- a(X).", "number"),
        ("q :- b(X), not a(X), X > 3.", "number"),
        ("q(X) :- a(X). r :- q(X), s(X). t :- s(X), X > 3.", "number"),
    ],
)
def test_without_given_types_the_use_in_rules_decides(program: str, use: str) -> None:
    assert types(program)["a"] == use


def test_given_types_take_precedence_over_use() -> None:
    assert types("q(X) :- a(X), X > 3.", {A: [STRING]}) == {"a": "string", "q": "string"}


def test_long_chains_of_rules_take_linear_time() -> None:
    chain = "q :- p0(X), X > 3. " + " ".join(f"p{i}(X) :- p{i + 1}(X)." for i in range(3000))
    assert types(chain)["p3000"] == "number"
    assert types(chain, {Predicate("p3000", 1): [INT]})["p0"] == "int"


@pytest.mark.parametrize(
    "test", ["D - T < 1 h", "T - D < 1 h", "T - D < T", "D + 5 > T", "D > T", "D - 1 h < T", "D / 2 < 1 h"]
)
def test_an_unknown_type_may_be_a_time(test: str) -> None:
    """Only a comparison that can never hold is refused; the columns of a run say the rest."""
    accept(parse(f"late(D) :- task(D) at T in [1 h], {test}."), RunSettings(dates=True))


@pytest.mark.parametrize("test", ["T < 5", "T + 5 > 90 s", "T = noon"])
def test_comparisons_that_can_never_hold_are_refused(test: str) -> None:
    with pytest.raises(ProgramError, match="mixed-types"):
        accept(parse(f"late(D) :- task(D) at T in [1 h], {test}."), RunSettings(dates=True))
