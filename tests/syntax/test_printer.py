"""What is printed parses to the same program, and reads as the specification writes it."""

import pytest
from hypothesis import given, settings

from laser.syntax.formatter import format_source
from laser.syntax.parser import parse_tree
from laser.syntax.printer import write_element, write_literal, write_rule, write_statement, write_term
from laser.syntax.program import Notation, Program
from laser.syntax.tree import Constant, ConstDirective, Rule
from tests.syntax.trees import programs

NOTATIONS: tuple[Notation, ...] = ("readable", "formal")

PAIRS = [
    ("a(X) :- b(X).", "a(X) ← b(X)."),
    ("q(X, Y, Z) :- a(X, Y) in [3], b(Y, Z) in [3 #].", "q(X, Y, Z) ← ⊞3 ◇ a(X, Y), ⊞#3 ◇ b(Y, Z)."),
    ("@T steam(V) :- temp(V) at T in [30 s], V >= 100.", "@T steam(V) ← ⊞[30 s] @T temp(V), V ≥ 100."),
    ("alarm :- isSteam always in [30 s].", "alarm ← ⊞[30 s] □ isSteam."),
    ("freeze :- not alarm, not normal.", "freeze ← not alarm, not normal."),
    ("idle(X) :- m(X), not job(X, _) in [5 min].", "idle(X) ← m(X), not ⊞[5 min] ◇ job(X, _)."),
    ("a :- b at T + 1, not c at 5.", "a ← @(T + 1) b, not @5 c."),
    ("a :- ⊞3 □ ¬ b, not ⊞3 @T ¬ b.", "a ← ⊞3 □ ¬ b, not ⊞3 @T ¬ b."),
    ("@(T + 1) a :- b at T, X != 2, Y <= 3.", "@(T + 1) a ← @T b, X ≠ 2, Y ≤ 3."),
    ("@5 a.", "@5 a."),
    ('a(1..5, "two words", x, -1.5).', 'a(1..5, "two words", x, -1.5).'),
]


@pytest.mark.parametrize(("readable", "formal"), PAIRS)
def test_each_notation_is_printed_as_the_specification_writes_it(readable: str, formal: str) -> None:
    for text in (readable, formal):
        program = parse_tree(text)
        assert program.to_text("readable") == str(program) == f"{readable}\n"
        assert program.to_text("formal") == f"{formal}\n"


@given(programs)
@settings(max_examples=300, deadline=None)
def test_what_is_printed_parses_to_the_same_program(program: Program) -> None:
    for notation in NOTATIONS:
        assert parse_tree(program.to_text(notation)) == program


@pytest.mark.parametrize(
    "text",
    ["1 + 2 * X", "(1 + 2) * X", "1 - (2 - X)", "1 - 2 - X", "-X * 2", "-(X * 2)", "-(-X)", "-(5)", "2 - -5", "X / (Y / 2)",
     "abs(X - 1) + min(X, Y)", "X mod 2 + 1", "X mod (2 + 1)"],
)  # fmt: skip
def test_parentheses_are_printed_only_where_they_are_needed(text: str) -> None:
    assert str(parse_tree(f"a :- Z = {text}.")) == f"a :- Z = {text}.\n"


def test_prefixes_are_used_where_they_fit() -> None:
    text = "#prefix ex: <http://e/>.\n#prefix exa: <http://e/a/>.\nex:b(exa:c, <http://e/x.y>, <http://e/>).\n"
    assert str(parse_tree(text)) == text


def test_a_string_with_the_name_of_a_constant_is_quoted() -> None:
    text = '#const n = 3.\na(n, "n", m).\n'
    assert str(parse_tree(text)) == text


def test_parts_of_programs_print_alone() -> None:
    (rule,) = parse_tree("a(<urn:x:b>) :- b(X) in [3], X < 2.").rules
    assert isinstance(rule, Rule)
    first, second = rule.body
    assert write_rule(rule, "formal", {"x": "urn:x:"}) == "a(x:b) ← ⊞3 ◇ b(X), X < 2."
    assert write_statement(rule) == "a(<urn:x:b>) :- b(X) in [3], X < 2."
    assert write_element(first, "formal") == write_literal(first, "formal") == "⊞3 ◇ b(X)"  # type: ignore[arg-type]
    assert write_element(second) == "X < 2"
    assert write_term(Constant("n"), constants=["n"]) == '"n"'


@pytest.mark.parametrize(
    "text",
    [
        "h(X) :- a(X), b(X) or c(X) in [3] or X = 3, d(X).",
        "or :- or or or(or), or = or or a at or or b.",
        "h :- or(X) at T or a at T + 1 or or(X) at least 3 times in [3] or ⊞3 @T ¬ or(X) or or at f.",
        "@T h :- a at T in [3] or b at T in [4].",
        "h :- count(C : or(C)) > 3 or -X < 3, a(X).",
        "#const or = 3.\nh :- X = or or a(X), X < or.",
    ],
)
def test_alternatives_print_as_they_are_written(text: str) -> None:
    program = parse_tree(text)
    assert str(program) == f"{text}\n"
    assert parse_tree(program.to_text("formal")) == program
    assert format_source(text) == f"{text}\n"
    assert len(program.rules) > len([s for s in program.statements if not isinstance(s, ConstDirective)])
