"""The place where a statement goes wrong, with access to the tokens around it."""

from __future__ import annotations

from dataclasses import dataclass

from lark import Token

from laser.errors import Diagnostic
from laser.syntax import lexer
from laser.syntax.lexer import span_of

__all__ = ["COMPARISONS", "DIRECTIVES", "NAMES", "Case"]

DIRECTIVES = frozenset(lexer.DIRECTIVES.values())
NAMES = frozenset({"NAME", "CNAME", "IRI"})
COMPARISONS = frozenset({"COMPARE", "_EQ"})


@dataclass(frozen=True, slots=True)
class Case:
    """A statement, the index of the first unexpected token, and the types of token that were expected there."""

    tokens: list[Token]
    at: int
    accepted: set[str]

    def kind(self, offset: int = 0) -> str:
        """The type of a token near the place; empty beyond the ends of the statement."""
        i = self.at + offset
        return self.tokens[i].type if 0 <= i < len(self.tokens) else ""

    def word(self, offset: int = 0) -> str:
        """The text of a token near the place; empty beyond the ends of the statement."""
        i = self.at + offset
        return str(self.tokens[i]) if 0 <= i < len(self.tokens) else ""

    @property
    def kinds_before(self) -> list[str]:
        return [token.type for token in self.tokens[: self.at]]

    @property
    def in_head(self) -> bool:
        return "_ARROW" not in self.kinds_before and self.tokens[0].type not in DIRECTIVES

    @property
    def open_brackets(self) -> list[Token]:
        """The brackets that are open at the place, the innermost last."""
        opened: list[Token] = []
        for token in self.tokens[: self.at]:
            if token.type in ("LPAR", "LBRACKET", "LBRACE"):
                opened.append(token)
            elif token.type in ("RPAR", "RBRACKET", "RBRACE") and opened:
                opened.pop()
        return opened

    @property
    def element_start(self) -> int:
        """The offset of the first token of the part of the body (or head) that contains the place."""
        depth = 0
        for i in range(self.at - 1, -1, -1):
            kind = self.tokens[i].type
            depth += (kind in ("RPAR", "RBRACKET", "RBRACE")) - (kind in ("LPAR", "LBRACKET", "LBRACE"))
            if kind == "_ARROW" or (kind in ("_COMMA", "OR") and depth <= 0):
                return i + 1 - self.at
        return -self.at

    def found(
        self,
        code: str,
        message: str,
        note: str | None = None,
        hint: str | None = None,
        *,
        offset: int = 0,
        to: int | None = None,
    ) -> Diagnostic:
        """A finding about the token at an offset, or about all tokens from one offset to another."""
        last = len(self.tokens) - 1
        ends = (offset, offset if to is None else to)
        first, end = (self.tokens[min(max(self.at + i, 0), last)] for i in ends)
        return Diagnostic(code, message, span_of(first, end), note, hint)
