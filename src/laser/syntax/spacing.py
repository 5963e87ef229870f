"""Puts canonical spaces between the tokens of a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lark import Token

__all__ = ["spaced"]

_SPELLING = {"==": "=", "<>": "!=", "<-": ":-", "◊": "◇", "⋄": "◇", "◻": "□"}
_NAMES = frozenset({"NAME", "IRI", "PREFIXED"})
_TERM_ENDS = _NAMES | {"VARIABLE", "NUMBER", "DURATION", "LITERAL", "RPAR", "RBRACE"}
_CALLED = _NAMES | {"ABS", "MIN", "MAX", "FOLD"}
_SIGNS = frozenset({"PLUS", "MINUS", "STAR", "SLASH"})
_NEVER_BEFORE = frozenset({"_COMMA", "RPAR", "RBRACKET", "DOT", "_RANGE", "_CARET", "_SEMICOLON", "LBRACE"})
_NEVER_AFTER = frozenset({"LPAR", "LBRACKET", "ATSIGN", "BOX", "_CARET", "_RANGE"})


def spaced(tokens: Sequence[Token]) -> str:
    """Tokens as a text with canonical spaces.

    >>> from laser.syntax.lexer import lex
    >>> spaced(lex("a( X,-Y*2 )   at T+1 in[30s]").tokens)
    'a(X, -Y * 2) at T + 1 in [30 s]'
    """
    parts: list[str] = []
    for i, token in enumerate(tokens):
        if i and _is_apart(tokens, i):
            parts.append(" ")
        parts.append(_spelled(token))
    return "".join(parts)


def _spelled(token: Token) -> str:
    if token.type == "DURATION":
        return re.sub(r"(?<=[0-9])\s*(?=[a-z])", " ", token)
    return _SPELLING.get(str(token), str(token))


def _is_apart(tokens: Sequence[Token], i: int) -> bool:
    before, kind = tokens[i - 1].type, tokens[i].type
    if "_RANGE" in (kind, before) and _in_window(tokens, i):
        return True
    if kind in _NEVER_BEFORE or before in _NEVER_AFTER:
        return False
    if _counts_times(tokens, i) or _counts_times(tokens, i - 1):
        return False
    if (kind == "LPAR" and before in _CALLED) or _tells_keys(tokens, i):
        return False
    if before == "_HASH" and kind == "FOLD":
        return False
    if kind == "_HASH" and tokens[i + 1 : i + 2] and tokens[i + 1].type == "FOLD":
        return True
    if "_HASH" in (kind, before):
        return not _in_box(tokens, i if kind == "_HASH" else i - 1)
    if before == "MINUS" and _is_unary(tokens, i - 1):
        return False
    if _steps(tokens, i) or _steps(tokens, i - 1):
        return False
    if _is_sign(tokens, i) or _is_sign(tokens, i - 1):
        return not _is_tight(tokens, i)
    return True


def _in_box(tokens: Sequence[Token], i: int) -> bool:
    """Whether a ``#`` belongs to ``⊞#n``."""
    return i > 0 and tokens[i - 1].type in ("BOX", "_CARET")


def _tells_keys(tokens: Sequence[Token], i: int) -> bool:
    """Whether a bracket belongs to ``⊞#n[X]``."""
    return tokens[i].type == "LBRACKET" and i > 2 and tokens[i - 2].type == "_HASH" and _in_box(tokens, i - 2)


def _in_window(tokens: Sequence[Token], i: int) -> bool:
    """Whether a place is between ``[`` and ``]``."""
    brackets = [token.type for token in tokens[:i] if token.type in ("LBRACKET", "RBRACKET")]
    return bool(brackets) and brackets[-1] == "LBRACKET"


def _steps(tokens: Sequence[Token], i: int) -> bool:
    """Whether a ``/`` belongs to ``⊞n/d``."""
    return tokens[i].type == "SLASH" and i > 1 and tokens[i - 2].type in ("BOX", "_CARET")


def _counts_times(tokens: Sequence[Token], i: int) -> bool:
    """Whether a comparison belongs to ``◇≥n``."""
    return tokens[i].type == "COMPARE" and i > 0 and tokens[i - 1].type == "DIAMOND"


def _is_sign(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].type in _SIGNS and not _is_unary(tokens, i)


def _is_unary(tokens: Sequence[Token], i: int) -> bool:
    return tokens[i].type == "MINUS" and (i == 0 or tokens[i - 1].type not in _TERM_ENDS)


def _is_tight(tokens: Sequence[Token], i: int) -> bool:
    """Whether a symbol has no spaces around it: in ``#show a/1``, and in the time of ``@T+1 a`` before the atom."""
    if tokens[0].type in ("SHOW", "RECORD") or (
        len(tokens) == 3 and tokens[1].type == "SLASH" and tokens[0].type in _NAMES
    ):
        return True
    depth = 0
    for j in range(i - 1, -1, -1):
        kind = tokens[j].type
        depth += (kind == "RPAR") - (kind == "LPAR")
        if depth < 0 or kind in ("_COMMA", "OR", "PREFIXED", "DIV", "MOD"):  # a hyphen would join the name before it
            return False
        if kind == "ATSIGN":
            return True
        if depth == 0 and kind in _NAMES and j and tokens[j - 1].type in _TERM_ENDS:
            return False
    return False
