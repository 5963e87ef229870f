"""Common syntax errors: one function for each known mistake; the first one that recognises the case reports it."""

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
    missing_comma,  # a missing comma could explain almost anything, so it comes late
    unfinished,
    anything_else,
)


def explain(tokens: list[Token], at: int, accepted: set[str]) -> Diagnostic:
    """The finding about the first unexpected token of a statement."""
    case = Case(tokens, at, accepted)
    return next(finding for mistake in MISTAKES if (finding := mistake(case)))


def missing_dot(last: Token) -> Diagnostic:
    """The finding about a statement without its final dot."""
    return Diagnostic(
        "missing-dot",
        "the dot at the end of this statement is missing",
        span_of(last),
        "every rule, fact and directive ends with '.'",
        f"write '.' after `{last}`",
    )
