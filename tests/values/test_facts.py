"""Ground atoms from text: exactly those of the language, and errors that show the place."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from laser.errors import FactError, ProgramError
from laser.syntax.parser import parse_tree
from laser.syntax.tree import Constant, Fact
from laser.values import Atom, Iri
from laser.values.facts import parse_fact, parse_facts
from tests.syntax.trees import iris, numbers, texts

GOOD = {
    "a": ("a",),
    " a( ) ": ("a",),
    "a.": ("a",),
    "a(x1, y)": ("a", "x1", "y"),
    'a( x1 ,"y z" ).': ("a", "x1", "y z"),
    "temp(s1, -21.5)": ("temp", "s1", -21.5),
    "a(- 5, 1.0, 1e3, 2.5e-1)": ("a", -5, 1, 1000, 0.25),
    'a("\\"q\\" \\\\ \\n")': ("a", '"q" \\ \n'),
    "<http://e.org/p>(<http://e.org/s>, o)": ("<http://e.org/p>", Iri("http://e.org/s"), "o"),
    'a("X", "not", "")': ("a", "X", "not", ""),
    "isSteam(x_1)": ("isSteam", "x_1"),
}

BAD = {
    "": "there is no atom",
    "A(x)": "'A' is a variable",
    "a(X)": "'X' is a variable, which a fact cannot contain",
    "a(_)": "'_' is a variable",
    "a(x": "ends before its ')'",
    "a(x,": "ends before its ')'",
    "a(x,)": "a term is missing before ')'",
    "a(x))": "more text follows",
    "a(x) b": "more text follows",
    "a(x), b": "more text follows",
    "a(1 + 2)": "arithmetic is not allowed",
    "a(7 div 2)": "arithmetic is not allowed",
    "a(f(x))": "terms cannot be nested",
    "a(1..3)": "ranges are allowed only in programs",
    "ex:a(x)": "'ex:a' has a prefix",
    "a(ex:b)": "'ex:b' has a prefix",
    "a(min)": "'min' is a reserved word",
    "not(x)": "'not' is a reserved word",
    "not a": "'not' is a reserved word",
    "@3 a": "the time is given separately",
    'a("x)': "the string is not closed",
    "a('x')": "double quotes",
    "a(12ab)": "'12ab' is not a term",
    "a(x y)": "',' or ')' is expected",
    "größe(1)": "an atom cannot begin with 'größe'",
    "a(größe)": "'größe' is not a term",
    "a(1e999)": "too large",
    "a(" + "9" * 5000 + ")": "too large",
    "a(\0)": "is not a term",
    "5": "an atom cannot begin with '5'",
    "a :- b": "more text follows",
}


@pytest.mark.parametrize("text", GOOD)
def test_ground_atoms_are_facts(text: str) -> None:
    assert parse_fact(text) == GOOD[text]
    assert parse_facts(text) == [GOOD[text]]


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_refused_with_the_reason_and_the_place(text: str) -> None:
    with pytest.raises(FactError) as caught:
        parse_fact(text)
    assert BAD[text] in str(caught.value)
    assert "»" in str(caught.value)
    assert str(caught.value).isprintable()


def test_the_error_marks_the_place() -> None:
    with pytest.raises(FactError, match=r"\(at », column 6\): a\(x, »X\)"):
        parse_fact("a(x, X)")


def test_several_facts_are_separated_by_commas() -> None:
    assert parse_facts('a(x, "y, z"),b , c(1).') == [("a", "x", "y, z"), ("b",), ("c", 1)]
    assert parse_facts(" ") == []


@pytest.mark.parametrize("text", ["a,", "a b", "a,, b", ", a", "a. b"])
def test_facts_that_are_not_separated_by_commas_are_refused(text: str) -> None:
    with pytest.raises(FactError):
        parse_facts(text)


@given(st.lists(st.one_of(numbers, texts, iris.map(Iri)), max_size=4))
def test_an_atom_is_read_back_as_it_is_printed(args: list[object]) -> None:
    atom = Atom("a", args)
    assert parse_fact(str(atom)) == atom
    assert parse_facts(f"{atom}, {atom}") == [atom, atom]


@given(st.text('aX_1.,()"\\n -e<:>é+', max_size=12))
@settings(max_examples=1000)
def test_facts_are_what_programs_accept_as_ground_facts(text: str) -> None:
    assume(not text.rstrip().endswith("."))
    assert _fact(text) == _fact_of_program(text)


def _fact(text: str) -> Atom | None:
    try:
        return parse_fact(text)
    except FactError:
        return None


def _fact_of_program(text: str) -> Atom | None:
    try:
        statements = parse_tree(f"{text}\n.").statements
    except ProgramError:
        return None
    if len(statements) != 1 or not isinstance(statements[0], Fact):
        return None
    atom = statements[0].atom
    values = [arg.value for arg in atom.args if isinstance(arg, Constant)]
    return Atom(atom.name, values) if len(values) == len(atom.args) else None
