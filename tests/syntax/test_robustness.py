"""Whatever the text, there is a program or a ProgramError, and soon."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laser.errors import ProgramError
from laser.syntax.formatter import format_source
from laser.syntax.lexer import lex
from laser.syntax.parser import parse_tree
from laser.syntax.program import Program
from tests.syntax.trees import programs

PIECES = [
    "a", "B", "_", "1", "2.5", '"s"', '"', "(", ")", "[", "]", ",", ".", "..", ":-", "<-", "@", "#", "^", "+", "-", "*", "/",
    "=", "<", ">=", "⊞", "◇", "□", "¬", "not", "in", "at", "always", "min", "abs", "#const", "#show", "#prefix", "ex:", "ex:a",
    "<urn:a>", "n", "%", "%*", "*%", "\n", "é", "\0", "☃", "'", "if", "and", "s",
]  # fmt: skip


def outcome(text: str) -> Program | ProgramError:
    try:
        return parse_tree(text)
    except ProgramError as error:
        return error


def check(text: str) -> None:
    result = outcome(text)
    if isinstance(result, Program):
        for notation in ("readable", "formal"):
            assert parse_tree(result.to_text(notation)) == result
        assert parse_tree(format_source(text)) == result
        return
    rows = text.splitlines()
    for finding in result.diagnostics:
        assert finding.message
        if finding.span:
            assert 1 <= finding.span.line <= len(rows)
            assert 1 <= finding.span.column <= len(rows[finding.span.line - 1]) + 1
            assert (finding.span.end_line, finding.span.end_column) > (finding.span.line, finding.span.column)


@given(st.lists(st.sampled_from(PIECES), max_size=15).map(" ".join))
@settings(max_examples=1000, deadline=None)
def test_any_sequence_of_words_is_a_program_or_a_report(text: str) -> None:
    check(text)


@given(st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_program_or_a_report(text: str) -> None:
    check(text)


@given(programs, st.data())
@settings(max_examples=300, deadline=None)
def test_a_program_with_a_word_lost_or_added_is_a_program_or_a_report(program: Program, data: st.DataObject) -> None:
    words = [str(token) for token in lex(program.to_text()).tokens]
    at = data.draw(st.integers(0, len(words) - 1))
    words[at : at + data.draw(st.integers(0, 1))] = data.draw(st.lists(st.sampled_from(PIECES), max_size=1))
    check(" ".join(words))


N = 20_000
HARD = {
    "parentheses": f"a :- X = {'(' * N}1{')' * N}.",
    "open parentheses": "a" + "(" * N,
    "brackets": "[" * N,
    "minuses": f"a :- X = {'-' * N}Y.",
    "a long sum": f"a :- X = 1{'+1' * N}.",
    "a deep sum": f"a :- X = {'1+(' * N}1{')' * N}.",
    "no dots": "a\n" * N,
    "many arguments": f"a({'1,' * N}1).",
    "a long body": f"a :- {'b,' * N}b.",
    "arrows": "a" + " <- b" * N,
    "colons": ":" * N,
    "less than": "<a" * N,
    "quotation marks": '"' * N,
    "comments": "/**/" * N,
    "a long name": "a" * N + "é.",
    "garbage": "\0é☃ .\n" * N,
    "a huge integer": f"a({'9' * N}).",
    "a huge decimal": f"a({'9' * N}.5).",
    "a huge exponent": "a(1e99999999999999).",
    "a huge window": f"a :- b in [{'9' * N}].",
    "a lone surrogate": 'a("\ud800") \udfff.',
    "strange lines": 'a("\u2028\x85\x0b").\x0bb c.\u2028d e.',
}


@pytest.mark.parametrize("name", HARD)
def test_parsing_difficult_texts_ends(name: str) -> None:
    outcome(HARD[name])


def test_terms_nested_too_deep_are_refused() -> None:
    for name in ("parentheses", "open parentheses", "minuses", "a long sum", "a deep sum"):
        result = outcome(HARD[name])
        assert isinstance(result, ProgramError)
        assert result.code == "too-deep"


def test_terms_of_the_greatest_depth_can_be_printed_and_compared() -> None:
    text = "a :- X = 1" + "+ 1" * 99 + ", Y = " + "(" * 99 + "1" + ")" * 99 + ", Z = " + "-" * 99 + "X."
    program = parse_tree(text)
    assert parse_tree(str(program)) == program
    assert hash(program) == hash(parse_tree(text))
    assert repr(program)


def test_a_thousand_rules_parse_in_a_moment() -> None:
    rule = "q(X, Y, Z) :- a(X, Y) in [3], b(Y, Z) in [3 #], not c(Y, _) always in [30 s], X >= Y + 1.  % why\n"
    parse_tree(rule)
    begin = time.process_time()
    assert len(parse_tree(rule * 1000).rules) == 1000
    assert time.process_time() - begin < 2
