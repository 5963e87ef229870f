"""Parses text into a program, and reports all syntax errors of the text at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import chain, islice
from os import PathLike

from lark import Lark, Token, UnexpectedToken
from lark.lexer import Lexer

from laser.errors import Diagnostic, ProgramError, Span
from laser.syntax.builder import MAX_DEPTH, Builder, CallError, StatementError, too_deep
from laser.syntax.includes import read_tokens
from laser.syntax.lexer import span_of
from laser.syntax.looks_like import stream_in_place_of_program
from laser.syntax.mistakes import explain, missing_dot
from laser.syntax.names import resolve_names
from laser.syntax.program import Program
from laser.syntax.statements import begins_statement, less_than_minus
from laser.syntax.tree import Statement

__all__ = ["parse_tree"]

MAX_FINDINGS = 100
"""A text with more errors than this is not a program, so the rest is not listed."""


def parse_tree(text: str, name: str = "<program>", folder: str | PathLike[str] | None = None) -> Program:
    """Parse a program; raises ProgramError with all syntax errors. If ``folder`` is None, ``#include`` is an error.

    >>> parse_tree("alarm :- hot always in [30 s].").rules[0].head.name
    'alarm'
    """
    read = read_tokens(text, name, folder)
    tokens, findings = resolve_names(list(chain.from_iterable(read.statements)))
    findings, rest = [*read.findings, *findings], iter(tokens)
    parts = [list(islice(rest, len(part))) for part in read.statements]
    statements = [s for part in parts for s in _parse_statements(part, findings)]
    program = Program(tuple(statements), text, name, tuple(read.files))
    if findings:
        stream = stream_in_place_of_program(text)
        raise ProgramError([stream] if stream else list(map(program.located, _report(findings))), text, name)
    return program


def _report(findings: list[Diagnostic]) -> list[Diagnostic]:
    """The findings sorted by place; the list is cut if there are too many."""
    ordered = sorted(findings, key=_place)
    left = len(ordered) - MAX_FINDINGS
    if left <= 0:
        return ordered
    more = Diagnostic("too-many-errors", "there are more errors after these; correct these first", None)
    return [*ordered[:MAX_FINDINGS], more]


def _place(finding: Diagnostic) -> Span:
    return finding.span or Span(0, 0, 0, 0)


def _parse_statements(tokens: list[Token], findings: list[Diagnostic]) -> Iterator[Statement]:
    """One statement, or both statements if the dot between them is missing."""
    if any(token.type == "ERROR" for token in tokens):
        return  # the lexer has reported the error
    while tokens and len(findings) <= MAX_FINDINGS:
        try:
            yield _parse_statement(tokens)
            return
        except StatementError as refused:
            findings.append(refused.diagnostic)
            return
        except UnexpectedToken as error:
            at = _index(tokens, error.token)
            accepted = error.accepts or set()
        if "DOT" not in accepted or not begins_statement(tokens, at):
            findings.append(explain(tokens, at, accepted))
            return
        findings.append(missing_dot(tokens[at - 1]))
        tokens = tokens[at:]


def _parse_statement(tokens: list[Token]) -> Statement:
    _check_depth(tokens)
    signs = less_than_minus(tokens)
    try:
        statement: Statement = _grammar().parse(signs)  # type: ignore[assignment]
    except CallError:
        _grammar(any_call=True).parse(signs)
        raise
    return statement


def _check_depth(tokens: list[Token]) -> None:
    """Refuse terms that are nested too deep, before the tree is built."""
    if len(tokens) <= MAX_DEPTH:
        return
    depth = 0
    for token in tokens:
        depth += (token.type == "LPAR") - (token.type == "RPAR")
        if depth > MAX_DEPTH:
            raise StatementError(too_deep(span_of(token)))


def _index(tokens: list[Token], token: Token) -> int:
    """The index of a token that the parser did not accept; the number of tokens if that was the end of the text."""
    if token.type == "$END":
        return len(tokens)
    return next(i for i, t in enumerate(tokens) if (t.end_pos or 0) > (token.start_pos or 0))


class _Tokens(Lexer):
    """A lexer that passes on tokens that already exist."""

    def __init__(self, _conf: object) -> None:
        pass

    def lex(self, tokens: Iterable[Token], _state: object = None) -> Iterator[Token]:  # type: ignore[override]
        return iter(tokens)


@cache
def _grammar(any_call: bool = False) -> Lark:
    text = files("laser.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=_Tokens, transformer=Builder(any_call))
