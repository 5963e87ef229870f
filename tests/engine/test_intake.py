"""Facts in bulk are taken as they are one by one: the same facts, of the same kinds, or the same refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from laser.engine.intake import Groups, _one_by_one, receive
from laser.errors import FactError
from laser.values import Atom, Iri


class Word(str):
    """Text of somebody else's kind."""


iris = st.sampled_from(["http://e.org/a", "http://e.org/b"]).map(Iri)
plain = st.integers(-3, 3) | st.sampled_from(["x", "y", "1"]) | iris
decimals = st.sampled_from([0.5, 1.0, -0.0, 1e300, 2.5])
odd = st.sampled_from([True, False, float("nan"), float("inf"), None, (), ("http://e.org/a",), Word("x"), np.int64(1)])
names = st.sampled_from(["p", "q"])
odd_names = st.sampled_from([Word("p"), Iri("http://e.org/p"), "P", "not", 1, ""])


def facts(name: st.SearchStrategy[Any], value: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.builds(lambda n, values: (n, *values), name, st.lists(value, max_size=2)), max_size=6)


def kinds(taken: tuple[list[Any], Groups]) -> Any:
    """Facts with the kinds of all that is in them, which comparing them would not tell."""
    given, groups = taken

    def of(fact: Any) -> Any:
        return (type(fact), *((type(value), value) for value in fact))

    return list(map(of, given)), {signature: set(map(of, several)) for signature, several in groups.items()}


def outcome(take: Callable[[], tuple[list[Any], Groups]]) -> Any:
    try:
        return kinds(take())
    except FactError as error:
        return str(error)


@given(
    facts(names, plain)
    | facts(names, plain | decimals)
    | facts(names, plain | decimals | odd)
    | facts(names | odd_names, plain)
    | st.lists(st.sampled_from([(), ("p",), "p(1)", Atom("p", [1]), ["p", 1], 7]), max_size=3)
)
@example([("p", 1), ("p", True)])
@example([("p", 1, 1.0), ("p", 1.5)])
def test_many_facts_at_once_are_the_same_as_one_by_one(given: list[Any]) -> None:
    assert outcome(lambda: receive(given, set())) == outcome(lambda: _one_by_one(given))


def test_the_facts_of_the_caller_are_not_changed() -> None:
    given = [("p", 1.0), ("p", 2.5)]
    receive(given, set())
    assert [type(fact[1]) for fact in given] == [float, float]
