"""Syntax errors as people make them: each known mistake is a function, and the first that recognises its case speaks."""

from __future__ import annotations

from collections.abc import Callable

from lark import Token

from laser.errors import Diagnostic
from laser.syntax.lexer import span_of
from laser.syntax.mistakes.bodies import BODY_MISTAKES, missing_comma
from laser.syntax.mistakes.case import Case
from laser.syntax.mistakes.directives import DIRECTIVE_MISTAKES
from laser.syntax.mistakes.expected import anything_else, unfinished
from laser.syntax.mistakes.heads import HEAD_MISTAKES
from laser.syntax.mistakes.terms import BRACKET_MISTAKES, TERM_MISTAKES
from laser.syntax.mistakes.windows import WINDOW_MISTAKES

__all__ = ["explain", "missing_dot"]

MISTAKES: tuple[Callable[[Case], Diagnostic | None], ...] = (
    *DIRECTIVE_MISTAKES,
    *HEAD_MISTAKES,
    *WINDOW_MISTAKES,
    *BODY_MISTAKES,
    *TERM_MISTAKES,
    *BRACKET_MISTAKES,
    missing_comma,  # a missing comma explains almost anything, so it speaks late
    unfinished,
    anything_else,
)


def explain(tokens: list[Token], at: int, accepted: set[str]) -> Diagnostic:
    """The finding about the first token of a statement that does not fit."""
    case = Case(tokens, at, accepted)
    return next(finding for mistake in MISTAKES if (finding := mistake(case)))


def missing_dot(last: Token) -> Diagnostic:
    """The finding about a statement that ends without its dot."""
    return Diagnostic(
        "missing-dot",
        "the final dot of this statement is missing",
        span_of(last),
        "every rule, fact and directive ends in '.'",
        f"write '.' after `{last}`",
    )
