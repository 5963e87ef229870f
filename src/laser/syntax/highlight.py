"""Which parts of a program's text are comments, variables, numbers, words …: for its colours in notebooks and pages."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import zip_longest

from lark import Token

from laser.syntax.lexer import COUNT_WORDS, DIRECTIVES, WINDOW_WORDS, lex
from laser.values.texts import TESTS

__all__ = ["marked_parts", "write_html"]

_WORDS = frozenset({*WINDOW_WORDS.values(), *COUNT_WORDS.values(), *DIRECTIVES.values(), "FOLD", "OR"})
# Colours that can be read on white and on black.
_COLOURS = {
    "comment": "#808890",
    "VARIABLE": "#2a8fd0",
    "NUMBER": "#d0682a",
    "DURATION": "#d0682a",
    "LITERAL": "#2a9d6e",
    "IRI": "#2a9d6e",
    "word": "#b8579a",
}


def marked_parts(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each part begins and ends, and what it is: "comment", "word" or a kind of token; in order, none within another."""
    lexed = lex(text)
    marks = [
        (token.start_pos or 0, token.end_pos or 0, "word" if _is_word(token, following) else token.type)
        for token, following in zip_longest(lexed.tokens, lexed.tokens[1:])
    ]
    marks += [(comment.start, comment.end, "comment") for comment in lexed.comments]
    done = 0
    for start, end, kind in sorted(marks):
        if kind in _COLOURS and start >= done:
            yield start, end, kind
            done = end


def write_html(text: str) -> str:
    """The text as ``<pre>``, its words coloured; a text that cannot be read to its end is plain from there on."""
    parts, done = [], 0
    for start, end, kind in marked_parts(text):
        parts += [
            escape(text[done:start]),
            f'<span style="color: {_COLOURS[kind]}">{escape(text[start:end])}</span>',
        ]
        done = end
    return f'<pre style="line-height: 1.4">{"".join(parts)}{escape(text[done:])}</pre>'


def _is_word(token: Token, following: Token | None) -> bool:
    """Whether it is a word of the language; the name of a test is one before its bracket."""
    return token.type in _WORDS or (token in TESTS and following is not None and following.type == "LPAR")
