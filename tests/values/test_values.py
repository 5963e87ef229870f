"""Atoms and values from Python, and whole numbers from everywhere."""

from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest

from laser import Atom, FactError, Iri, ProgramError, Reasoner
from laser.io.formats.csv import CSV
from laser.io.formats.jsonl import JSONL
from laser.io.formats.rows import atom_of
from laser.ticks import Tick
from laser.values import to_value


@pytest.mark.parametrize("args", ["xyz", b"xyz", 1, None, Iri("http://example.org/a")], ids=repr)
def test_arguments_are_a_list_even_if_there_is_one(args: object) -> None:
    with pytest.raises(FactError, match="the arguments of an atom must be a list, even if there is only one: write "):
        Atom("a", args)


def test_any_iterable_gives_arguments() -> None:
    assert Atom("a", ["xyz"]) == Atom("a", iter(("xyz",))) == ("a", "xyz")


def test_errors_raised_by_the_caller_are_not_reported_as_fact_errors() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Atom("a", (n + "" for n in [1]))


class Colour(str, Enum):  # noqa: UP042  (the str() of a StrEnum is its value anyway)
    RED = "red"


class Count(int):
    pass


class Place(Iri):
    pass


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (True, "true"),
        (np.bool_(True), "true"),
        (np.bool_(False), "false"),
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (np.float64(2.0), 2),
        (np.str_("x"), "x"),
        (Colour.RED, "red"),
        (Count(3), 3),
        (Place("http://e.org/a"), Iri("http://e.org/a")),
        (Decimal("1e23"), 10**23),
        (Fraction(1, 2), 0.5),
        (-0.0, 0),
    ],
    ids=repr,
)
def test_objects_of_other_classes_become_values(given: object, value: object) -> None:
    assert to_value(given) == value
    assert type(to_value(given)) is type(value)


@pytest.mark.parametrize("given", [None, [], (), b"x", float("nan"), float("-inf"), Decimal("NaN"), 1j], ids=repr)
def test_objects_that_are_not_values_are_refused(given: object) -> None:
    with pytest.raises(FactError, match="is not a term"):
        to_value(given)


@pytest.mark.parametrize("text", ["http://a\0b", "http://a\x1fb", "http://a\x85b", "http://a\ud800b", "a b:c", "b", ""])
def test_an_iri_that_is_not_absolute_is_refused(text: str) -> None:
    with pytest.raises(FactError, match="is not an absolute IRI"):
        Iri(text)
    with pytest.raises(FactError, match="is not a predicate"):
        Atom(f"<{text}>")
    with pytest.raises(FactError, match="is not a predicate"):
        Reasoner("r(X) :- a(X).").advance(1, [(f"<{text}>", 1)])
    with pytest.raises(FactError):
        Reasoner("r(X) :- a(X).").advance(1, [f"a(<{text}>)"])
    with pytest.raises(ProgramError):
        Reasoner(f"r(X) :- <{text}>(X).")


@pytest.mark.parametrize("use", ["r(k) :- a.", "r :- a in [k].", "r :- a, 1 < k."])
def test_a_constant_that_no_program_can_write_is_refused(use: str) -> None:
    with pytest.raises(ProgramError, match="the number is too large: in a program, integers have at most 4300 digits"):
        Reasoner(f"#const k = 1. {use}", constants={"k": 10**5000})


WHOLE = {
    "1e16": 10**16,
    "1e23": 10**23,
    "10000000000000001.0": 10**16 + 1,
    "9007199254740993.0": 2**53 + 1,
    "1.5e3": 1500,
    "-1e23": -(10**23),
    "123456789012345678901234567890.00": 123456789012345678901234567890,
    "0.00000000000000000000001e23": 1,
}


@pytest.mark.parametrize("text", WHOLE)
def test_a_whole_number_is_exact_however_it_is_written(text: str) -> None:
    """Read as a double, 1e23 would be 99999999999999991611392."""
    (program,) = Reasoner(f"r(X) :- a, X = {text} + 1.").advance(1, ["a"])
    (fact,) = Reasoner("r(X) :- a(Y), X = Y + 1.").advance(1, [f"a({text})"])
    assert program.atom == fact.atom == ("r", WHOLE[text] + 1)
    for record in (
        CSV.parser(Tick())(f"1,a,{text}"),
        JSONL.parser(Tick())(f'{{"time": 1, "predicate": "a", "args": [{text}]}}'),
    ):
        assert record is not None
        assert record.facts == (("a", WHOLE[text]),)
        assert type(record.facts[0][1]) is int
    assert atom_of({"predicate": "a", "args": [Decimal(text)]}, None) == ("a", WHOLE[text])


def test_a_whole_number_is_exact_however_it_is_computed() -> None:
    reasoner = Reasoner("r(X + 1, 2 * 0.5, 7 / 2 * 2, 7.5 div 2, abs(-3.0), X - 0.0) :- a(X).")
    (change,) = reasoner.advance(1, [("a", 1e16)])
    assert change.atom == ("r", 10**16 + 1, 1, 7, 3, 3, 10**16)
    assert {type(value) for value in change.atom.args} == {int}


def test_a_number_that_is_not_whole_is_the_nearest_double() -> None:
    (change,) = Reasoner("r(X + Y) :- a(X, Y).").advance(1, ["a(0.1, 0.2)"])
    assert change.atom == ("r", 0.1 + 0.2)
    assert to_value(0.1) == 0.1
    assert Atom("a", ["1"]) != Atom("a", [1])
