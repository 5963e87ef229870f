"""Formats source text in the canonical layout. Tokens stay as written, and comments stay where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike

from lark import Token

from laser.syntax.lexer import Comment, lex
from laser.syntax.parser import parse_tree
from laser.syntax.spacing import spaced
from laser.syntax.statements import less_than_minus, split

__all__ = ["format_source"]

WIDTH = 100
"""A longer statement gets one line for each part of its body."""

_INDENT = "    "
_OPEN, _CLOSE = frozenset({"LPAR", "LBRACKET", "LBRACE"}), frozenset({"RPAR", "RBRACKET", "RBRACE"})
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


def format_source(text: str, name: str = "<program>", folder: str | PathLike[str] | None = None) -> str:
    """The text in canonical layout; raises ProgramError if it is not a program. Included files are not touched.

    >>> print(format_source("a(X):-b(X)in[3],not c .  % why"), end="")
    a(X) :- b(X) in [3], not c.  % why
    """
    parse_tree(text, name, folder)
    lines: list[str] = []
    end = 0
    for block in _blocks(text):
        if lines and len(_LINE_BREAK.findall(text, end, block.start)) > 1:
            lines.append("")
        lines += block.lines()
        end = block.end
    return "".join(f"{line}\n" for line in lines)


@dataclass(slots=True)
class _Part:
    """A head or an element of a body, with the comments that belong to it."""

    tokens: list[Token]
    follows_or: bool = False
    above: list[Comment] = field(default_factory=list)
    beside: list[Comment] = field(default_factory=list)

    @property
    def start(self) -> int:
        return self.tokens[0].start_pos or 0

    @property
    def end(self) -> int:
        return self.tokens[-1].end_pos or 0

    def settle(self) -> None:
        """Keep one-line comments beside the line; nothing may follow a comment that runs to the end of the line."""
        closed = [c for c in self.beside if c.text.startswith(("%*", "/*")) and _is_short(c)]
        open_ended = [c for c in self.beside if not c.text.startswith(("%*", "/*"))]
        kept = closed + open_ended[-1:]
        self.above += [c for c in self.beside if c not in kept]
        self.beside = kept


@dataclass(slots=True)
class _Statement:
    """A head, the arrow, and the elements of the body; everything except the final dot."""

    head: _Part
    joint: str
    body: list[_Part]
    start: int
    end: int

    @property
    def parts(self) -> list[_Part]:
        return [self.head, *self.body]

    def add_inner(self, comment: Comment) -> None:
        """A comment on its own line stays above what follows it; any other comment stays beside what it follows."""
        if comment.own_line:
            next((p for p in self.parts if p.end > comment.start), self.parts[-1]).above.append(comment)
        else:
            [p for p in self.parts if p.start < comment.start][-1].beside.append(comment)

    def add_after(self, comment: Comment) -> None:
        self.parts[-1].beside.append(comment)
        self.end = comment.end

    def lines(self) -> Iterator[str]:
        for part in self.parts:
            part.settle()
        texts = [f"{' or ' if part.follows_or else ', '}{spaced(part.tokens)}" for part in self.body]
        flat = f"{spaced(self.head.tokens)}{self.joint} {''.join(texts).removeprefix(', ')}."
        if not self.body:
            yield from _lines(f"{spaced(self.head.tokens)}.", self.head.above, self.head.beside)
        elif len(flat) <= WIDTH and not self._has_inner_comments():
            yield from _lines(flat, self.head.above, self.body[-1].beside)
        else:
            yield from self._long_lines()

    def _has_inner_comments(self) -> bool:
        *inner, last = self.body
        return bool(last.above or self.head.beside or any(p.above or p.beside for p in inner))

    def _long_lines(self) -> Iterator[str]:
        yield from _lines(spaced(self.head.tokens) + self.joint, self.head.above, self.head.beside)
        for part, following in zip(self.body, [*self.body[1:], None], strict=True):
            mark = "." if following is None else "" if following.follows_or else ","
            word = "or " if part.follows_or else ""
            yield from _lines(word + spaced(part.tokens) + mark, part.above, part.beside, _INDENT)


@dataclass(frozen=True, slots=True)
class _LoneComment:
    """A comment between statements."""

    comment: Comment

    @property
    def start(self) -> int:
        return self.comment.start

    @property
    def end(self) -> int:
        return self.comment.end

    def lines(self) -> Iterator[str]:
        yield _written(self.comment)


def _lines(text: str, above: list[Comment], beside: list[Comment], indent: str = "") -> Iterator[str]:
    yield from (indent + _written(comment) for comment in above)
    yield f"{indent}{text}  {' '.join(map(_written, beside))}" if beside else indent + text


def _is_short(comment: Comment) -> bool:
    return not _LINE_BREAK.search(comment.text)


def _written(comment: Comment) -> str:
    return comment.text.rstrip()


def _blocks(text: str) -> Iterator[_Statement | _LoneComment]:
    """The statements and the comments between them, in order."""
    lexed = lex(text)
    comments = list(reversed(lexed.comments))
    for tokens in split(lexed.tokens):
        statement = _statement(less_than_minus(tokens))
        while comments and comments[-1].start < statement.start:
            yield _LoneComment(comments.pop())
        while comments and comments[-1].start < statement.end:
            statement.add_inner(comments.pop())
        while comments and _follows(text, statement.end, comments[-1]):
            statement.add_after(comments.pop())
        yield statement
    yield from map(_LoneComment, reversed(comments))


def _follows(text: str, end: int, comment: Comment) -> bool:
    """Whether a comment is on the same line as what ended before it."""
    return _is_short(comment) and not text[end : comment.start].strip() and not comment.own_line


def _statement(tokens: list[Token]) -> _Statement:
    *rest, dot = tokens
    place = (rest[0].start_pos or 0, dot.end_pos or 0)
    if rest[0].type == "SHOW":
        return _Statement(_Part(rest[:1]), "", list(_elements(rest[1:])), *place)
    arrow = next((i for i, token in enumerate(rest) if token.type == "_ARROW"), None)
    if arrow is None:
        return _Statement(_Part(rest), "", [], *place)
    return _Statement(_Part(rest[:arrow]), f" {spaced([rest[arrow]])}", list(_elements(rest[arrow + 1 :])), *place)


def _elements(tokens: Iterable[Token]) -> Iterator[_Part]:
    """The tokens between commas, or between ``or``, outside brackets."""
    element: list[Token] = []
    depth, follows_or = 0, False
    for token in tokens:
        depth += (token.type in _OPEN) - (token.type in _CLOSE)
        if token.type in ("_COMMA", "OR") and depth == 0:
            yield _Part(element, follows_or)
            element, follows_or = [], token.type == "OR"
        else:
            element.append(token)
    yield _Part(element, follows_or)
