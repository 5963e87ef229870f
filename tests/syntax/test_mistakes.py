"""Syntax errors: the right place, a code, and a hint that helps. The full texts are in tests/cases/errors."""

import pytest

from laser.errors import Diagnostic, ProgramError
from laser.syntax.parser import parse_tree


def findings(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(ProgramError) as caught:
        parse_tree(text)
    return caught.value.diagnostics


CASES = [
    ("Temp(X) :- a(X).", "capital-name", "Temp", "write `temp`"),
    ("a :- Temp(X).", "capital-name", "Temp", "write `temp`"),
    ("a :- b(X), X =< 3.", "unknown-symbol", "=<", "write `<=`"),
    ("a :- b && c.", "unknown-symbol", "&&", "commas"),
    ("a := b.", "unknown-symbol", ":=", "write `:-`"),
    ("a :- !b.", "unknown-symbol", "!", "`not`"),
    ("a :- ~b.", "unknown-symbol", "~", "`not`"),
    ("a :- -b(X).", "syntax", "-b", "`not b(…)`"),
    ("a :- b in 5.", "bare-window", "5", "`in [5]`"),
    ("a :- b in [5 m].", "unknown-unit", "m", "`min`"),
    ("#input a(x: strng).", "unknown-type", "strng", "`string`"),
    ("#const size = 3. a :- b in [sise].", "unknown-constant", "sise", "`size`"),
    ("a :- b in [X].", "variable-window", "X", None),
    ("a :- b", "missing-dot", "b", "'.'"),
    ("a :- b c.", "missing-comma", "c", "','"),
    ("a(X :- b(X).", "unclosed-bracket", "(", "')'"),
    ("ex:a :- b.", "unknown-prefix", "ex:a", "#prefix ex:"),
    ('a("x).', "unclosed-string", '"x).', None),
    ("a. %* b", "unclosed-comment", "%*", "'*%'"),
    ("a(1..3) :- b.", "range-outside-fact", "1..3", "value(1..5)"),
    ("a :- b(X), not X < 3.", "syntax", "not", "`>=`"),
    ("#shw a/1.", "unknown-directive", "#shw", "`#show`"),
    ("a :- ⊞3 b.", "missing-modality", "b", "◇"),
    (":- a.", "missing-head", ":-", "violated"),
    ("a :- .", "empty-body", ":-", "`a.`"),
    ('a("\\q").', "bad-escape", "\\q", "\\\\"),
    ("min(X) :- b(X).", "reserved-word", "min", None),
    ("a(b(X)) :- c(X).", "unknown-function", "b(X)", None),
    ("36: a(x1, y).", "no-program", "36: a(x1, y).", "did you swap PROGRAM and STREAM?"),
    ("2026-01-01T00:00:36Z: a(x1).", "no-program", "2026-01-01T00:00:36Z: a(x1).", "swap"),
    ('{"time": 36, "predicate": "a"}', "no-program", '{"time": 36, "predicate": "a"}', "swap"),
    ("36,a,x1,y", "no-program", "36,a,x1,y", "swap"),
]


@pytest.mark.parametrize(("text", "code", "underlined", "hint"), CASES)
def test_a_mistake_is_found_where_it_is_and_explained(text: str, code: str, underlined: str, hint: str | None) -> None:
    (finding,) = findings(text)
    assert finding.code == code
    assert finding.span
    assert text[finding.span.column - 1 : finding.span.end_column - 1] == underlined
    assert finding.message[:1] == finding.message[:1].lower() or finding.message[:1] in "'`\""
    if hint:
        assert finding.hint
        assert hint in finding.hint


def test_the_statement_after_a_missing_dot_is_still_read() -> None:
    found = findings("a(X) :- b(X)\nc :- d in 5.\ne <- f\ng <- h.")
    assert [(d.code, d.span and d.span.line) for d in found] == [
        ("missing-dot", 1),
        ("bare-window", 2),
        ("missing-dot", 3),
    ]


def test_the_statement_after_an_unclosed_string_is_still_read() -> None:
    assert [d.code for d in findings('a("x).\nb :- c in 5.')] == ["unclosed-string", "bare-window"]


def test_one_statement_has_one_syntax_error() -> None:
    assert len(findings("a :- b in 5, c in 6, d && e.")) == 1


def test_a_run_of_odd_characters_is_one_finding() -> None:
    assert len(findings("a :- ☃☃☃☃.")) == 1


def test_a_text_that_is_not_a_program_gets_a_short_report() -> None:
    found = findings("this is no program; at all.\n" * 500)
    assert len(found) == 101
    assert found[-1].code == "too-many-errors"
