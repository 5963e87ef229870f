"""The rules of a text in the other notation, with everything around them left as it is."""

from __future__ import annotations

from os import PathLike

from laser.syntax.lexer import lex
from laser.syntax.parser import parse_tree
from laser.syntax.printer import write_statement
from laser.syntax.program import Notation
from laser.syntax.tree import Alternatives, Rule

__all__ = ["convert"]


def convert(text: str, name: str, notation: Notation, folder: str | PathLike[str] | None = None) -> str:
    """Rewrite each rule where it stands; comments inside of a rule go above it.

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
        assert rule.span is not None, "the parser gives every rule its place"
        if program.file_line(rule.span.line)[0] is not None:  # it stands in a file of its own
            continue
        start = first[rule.span.line, rule.span.column]
        end = last[rule.span.end_line, rule.span.end_column]
        inside = "".join(f"{comment.text}\n" for comment in lexed.comments if start <= comment.start < end)
        written = write_statement(rule, notation, program.prefixes, program.constants)
        text = f"{text[:start]}{inside}{written}{text[end:]}"
    return text
