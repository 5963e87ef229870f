"""Finds where statements begin and end among the tokens of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lark import Token

from laser.syntax.lexer import DIRECTIVES

__all__ = ["begins_statement", "less_than_minus", "split"]


def split(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement with its final dot, which the last one may lack."""
    part: list[Token] = []
    for token in tokens:
        part.append(token)
        if token.type == "DOT":
            yield part
            part = []
    if part:
        yield part


def less_than_minus(tokens: list[Token]) -> list[Token]:
    """The tokens of a statement; a ``<-`` after the arrow is read as ``<`` and ``-``, as in ``a :- b(X), X<-1.``"""
    arrows = [i for i, token in enumerate(tokens) if token.type == "_ARROW"]
    if len(arrows) < 2:
        return tokens
    later = {i for i in arrows[1:] if tokens[i] == "<-"}
    return [sign for i, token in enumerate(tokens) for sign in (_two_signs(token) if i in later else (token,))]


def _two_signs(arrow: Token) -> Iterator[Token]:
    start, line, column = arrow.start_pos or 0, arrow.line, arrow.column or 1
    yield Token("COMPARE", "<", start, line, column, line, column + 1, start + 1)
    yield Token("MINUS", "-", start + 1, line, column + 1, line, column + 2, start + 2)


_DIRECTIVES = frozenset(DIRECTIVES.values())
_HEADS = frozenset({"NAME", "CNAME", "IRI", "ATSIGN", "VARIABLE"})


def begins_statement(tokens: list[Token], at: int) -> bool:
    """Whether an unexpected token looks like the start of a new statement after a missing dot."""
    if at == len(tokens) or (at and tokens[at].type in _DIRECTIVES):
        return True
    if not at or tokens[at].type not in _HEADS:
        return False
    token = tokens[at]
    is_new_line = token.line != tokens[at - 1].end_line
    is_indented = (token.column or 0) > (tokens[0].column or 0)
    return (is_new_line and not is_indented) or _is_head(tokens, at)


def _is_head(tokens: list[Token], at: int) -> bool:
    """Whether an arrow follows, without a comma before it except between arguments."""
    depth = 0
    for token in tokens[at:]:
        depth += (token.type in ("LPAR", "LBRACE")) - (token.type in ("RPAR", "RBRACE"))
        if token.type == "_ARROW" or (token.type == "_COMMA" and depth == 0):
            return token.type == "_ARROW"
    return False
