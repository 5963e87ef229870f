"""Atoms and values from Python."""

import pytest

from laser import Atom, FactError, Iri


@pytest.mark.parametrize("args", ["xyz", b"xyz", 1, None, Iri("http://example.org/a")], ids=repr)
def test_arguments_are_a_list_even_if_there_is_one(args: object) -> None:
    with pytest.raises(FactError, match="the arguments of an atom are a list, even if there is one: write "):
        Atom("a", args)


def test_any_iterable_gives_arguments() -> None:
    assert Atom("a", ["xyz"]) == Atom("a", iter(("xyz",))) == ("a", "xyz")


def test_errors_of_the_caller_are_not_taken_for_errors_of_facts() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Atom("a", (n + "" for n in [1]))
