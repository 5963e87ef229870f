"""Syntax colours for notebooks and pages: finds the comments, variables, numbers and words of a program."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import zip_longest

from lark import Token

from laser.syntax.lexer import COUNT_WORDS, DIRECTIVES, WINDOW_WORDS, lex
from laser.values.texts import TESTS

__all__ = ["marked_parts", "write_html"]

_WORDS = frozenset({*WINDOW_WORDS.values(), *COUNT_WORDS.values(), *DIRECTIVES.values(), "FOLD", "OR"})
# These colours are readable on white and on black.
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
    """The start, end and kind ("comment", "word" or a kind of token) of each part, in order and without overlaps."""
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
    """The text as coloured ``<pre>``; from the first unreadable place on, the text has no colours."""
    parts, done = [], 0
    for start, end, kind in marked_parts(text):
        parts += [
            escape(text[done:start]),
            f'<span style="color: {_COLOURS[kind]}">{escape(text[start:end])}</span>',
        ]
        done = end
    return f'<pre style="line-height: 1.4">{"".join(parts)}{escape(text[done:])}</pre>'


def _is_word(token: Token, following: Token | None) -> bool:
    """Whether it is a word of the language. The name of a test counts as one if a bracket follows."""
    return token.type in _WORDS or (token in TESTS and following is not None and following.type == "LPAR")
