"""A Pygments lexer for programs, for sites, notebooks and terminals. Its name in Pygments is ``lars``."""

from __future__ import annotations

from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

from laser.syntax.highlight import marked_parts

__all__ = ["LarsLexer"]

_TOKENS = {
    "comment": Comment,
    "VARIABLE": Name.Variable,
    "NUMBER": Number,
    "DURATION": Number,
    "LITERAL": String,
    "IRI": String,
    "word": Keyword,
}


class LarsLexer(Lexer):  # type: ignore[misc]  # Pygments has no types
    """A program, or a stream of facts as text.

    >>> [(str(kind), text) for kind, text in LarsLexer().get_tokens("hot(M) :- temp(M, 9).") if "Text" not in str(kind)]
    [('Token.Name.Variable', 'M'), ('Token.Name.Variable', 'M'), ('Token.Literal.Number', '9')]
    """

    name = "LARS"
    aliases = ("lars",)
    filenames = ("*.lars",)

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, object, str]]:
        done = 0
        for start, end, kind in marked_parts(text):
            if start > done:
                yield done, Text, text[done:start]
            yield start, _TOKENS[kind], text[start:end]
            done = end
        if done < len(text):
            yield done, Text, text[done:]
