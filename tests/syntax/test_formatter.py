"""Formatting changes the layout and nothing else, and what is formatted stays as it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laser.errors import ProgramError
from laser.syntax.formatter import format_source
from laser.syntax.lexer import lex
from laser.syntax.parser import parse_tree
from laser.syntax.program import Program
from tests.syntax.trees import programs

PAIRS = {
    "a(X):-b(X)in[3],not c .": "a(X) :- b(X) in [3], not c.\n",
    "a( X ,Y )<-b [3#],c[# 3] , d [30s].": "a(X, Y) :- b [3 #], c [# 3], d [30 s].\n",
    "a←⊞ 3◇b,⊞ ^ # 3□¬c , ⊞[ 30 s ] @ T  d.": "a ← ⊞3 ◇ b, ⊞^#3 □ ¬ c, ⊞[30 s] @T d.\n",
    "@ T + 1 a:-@(T+1)b(X-1), @T-1 c.": "@T+1 a :- @(T + 1) b(X - 1), @T-1 c.\n",
    "a:-X=-1,Y= - ( 2+X )*3,Z<-1,W==2,V<>3.": "a :- X = -1, Y = -(2 + X) * 3, Z < -1, W = 2, V != 3.\n",
    "a:-X=abs( -1 )  div min(2,Y).": "a :- X = abs(-1) div min(2, Y).\n",
    'a( 1 .. 5 ,"x  y").': 'a(1..5, "x  y").\n',
    "#const n=30 .": "#const n = 30.\n",
    "#show a/1,b / 2.": "#show a/1, b/2.\n",
    "#input hr( p:string,b : number ).": "#input hr(p: string, b: number).\n",
    "#prefix ex:<http://e/>. ex:a( ex:b ).": "#prefix ex: <http://e/>.\nex:a(ex:b).\n",
    "a. b. % c": "a.\nb.  % c\n",
    "a.\n\n\n\nb.\nc.": "a.\n\nb.\nc.\n",
    "\n\n% top\n\n\na.%trailing\n% own\nb.": "% top\n\na.  %trailing\n% own\nb.\n",
    "/* x\n   y */ a.": "/* x\n   y */\na.\n",
    "a :- b, % why\n c.": "a :-\n    b,  % why\n    c.\n",
    "a :- % why\n b,\n% own\nc /* in */ . % end": "a :-  % why\n    b,\n    % own\n    c.  /* in */ % end\n",
    "a(X, /* id */ Y).": "a(X, Y).  /* id */\n",
    "a(X, % one\n Y) % two\n.": "% one\na(X, Y).  % two\n",
    "a. /* x\n y */ b.": "a.\n/* x\n y */\nb.\n",
    "": "",
    "% only": "% only\n",
}


@pytest.mark.parametrize("text", PAIRS)
def test_the_layout_is_canonical(text: str) -> None:
    assert format_source(text) == PAIRS[text]


@pytest.mark.parametrize("text", PAIRS.values())
def test_canonical_text_stays_as_it_is(text: str) -> None:
    assert format_source(text) == text


def test_a_long_rule_has_a_line_for_each_part() -> None:
    parts = [f"aLongName{i}(X, Y) in [30 s]" for i in range(5)]
    expected = "h(X) :-\n    " + ",\n    ".join(parts) + ".\n"
    assert format_source(f"h(X) :- {', '.join(parts)}.") == format_source(expected) == expected


def test_each_rule_keeps_its_notation() -> None:
    text = "a :- b in [3].\na ← ⊞3 ◇ b.\na at T :- b at T [3].\n"
    assert format_source(text) == text


def test_a_text_with_errors_is_refused() -> None:
    with pytest.raises(ProgramError) as caught:
        format_source("a :- b & c.", "x.lars")
    assert caught.value.name == "x.lars"


COMMENTS = ["% c", "// c", "/* c */", "/* c\n  d */", "%* c *%", ""]
GAPS = [" ", "\n", "\n\n", "\n\n\n  ", "\r\n"]


@st.composite
def messy(draw: st.DrawFn) -> tuple[Program, str]:
    """A program, and a text of it with comments and line breaks strewn in between the tokens."""
    program = draw(programs)
    pieces = [str(token) for token in lex(program.to_text(draw(st.sampled_from(["readable", "formal"])))).tokens]
    text = ""
    for piece in pieces:
        text += piece + draw(st.sampled_from(GAPS))
        if draw(st.integers(0, 9)) == 0:
            text += draw(st.sampled_from(COMMENTS)) + "\n"
    return program, text


@given(messy())
@settings(max_examples=200, deadline=None)
def test_formatting_keeps_the_program_and_every_comment_and_is_idempotent(case: tuple[Program, str]) -> None:
    program, text = case
    formatted = format_source(text)
    assert parse_tree(formatted) == program == parse_tree(text)
    assert format_source(formatted) == formatted
    assert sorted(c.text for c in lex(formatted).comments) == sorted(c.text for c in lex(text).comments)
