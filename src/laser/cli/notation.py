"""Rewrites the rules of a text in the other notation; everything around them stays."""

from __future__ import annotations

from os import PathLike

from laser.syntax.lexer import lex
from laser.syntax.parser import parse_tree
from laser.syntax.printer import write_statement
from laser.syntax.program import Notation
from laser.syntax.tree import Alternatives, Rule

__all__ = ["convert"]


def convert(text: str, name: str, notation: Notation, folder: str | PathLike[str] | None = None) -> str:
    """Rewrite each rule in its place; comments inside a rule move above it.

    >>> print(convert("% why\\nalarm :- hot always in [3].  % here", "p.lars", "formal"))
    % why
    alarm ← ⊞3 □ hot.  % here
    """
    program = parse_tree(text, name, folder)
    lexed = lex(text)
    first = {(token.line, token.column): token.start_pos or 0 for token in lexed.tokens}
    last = {(token.end_line, token.end_column): token.end_pos or 0 for token in lexed.tokens}
    for rule in reversed(program.statements):
        if not isinstance(rule, Rule | Alternatives):
            continue
        assert rule.span is not None, "the parser gives every rule its position"
        if program.file_line(rule.span.line)[0] is not None:  # the rule is in an included file
            continue
        start = first[rule.span.line, rule.span.column]
        end = last[rule.span.end_line, rule.span.end_column]
        inside = "".join(f"{comment.text}\n" for comment in lexed.comments if start <= comment.start < end)
        written = write_statement(rule, notation, program.prefixes, program.constants)
        text = f"{text[:start]}{inside}{written}{text[end:]}"
    return text
