"""``#include "file".``: the tokens of a program, with the tokens of the included files inserted.

The lines of included files are numbered after those of the program's own text, so one number identifies a line.
``Program.located`` turns that number into a file and a line for messages.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from lark import Token

from laser.errors import Diagnostic, LiteralError, ProgramError, SourceFile, Span
from laser.syntax.files import read_text
from laser.syntax.lexer import lex, span_of
from laser.syntax.statements import split
from laser.values.string import STRING

__all__ = ["Tokens", "inlined", "read_tokens"]

NOTE = "the path of an included file is relative to the file that includes it; each file is read once"


@dataclass
class Tokens:
    """The result of reading: the tokens by statement, the findings, and the included files.

    A statement ends at the end of its file, even if its dot is missing.
    """

    statements: list[list[Token]] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    files: list[SourceFile] = field(default_factory=list)
    text: str = ""
    """The whole program as one text."""


def read_tokens(text: str, name: str, folder: str | os.PathLike[str] | None) -> Tokens:
    """The tokens of a program and its included files. Paths are relative to ``folder``; if it is None, ``#include`` is an error."""
    reader = _Reader()
    own = None if folder is None else Path(folder)
    path = Path(name).resolve() if own is None else (own / Path(name).name).resolve()
    reader.result.text = reader.read(text, own, (path,))
    return reader.result


def inlined(text: str, path: Path) -> str:
    """The text of a program with the text of its included files inserted, for readers that have no access to files."""
    return read_tokens(text, str(path), path.parent).text


class _Reader:
    def __init__(self) -> None:
        self.result = Tokens()
        self.rows = 0
        self.characters = 0
        self.seen: set[Path] = set()

    def read(self, text: str, folder: Path | None, within: tuple[Path, ...]) -> str:
        """Read one text and the files that it includes, in order; returns the text with theirs inserted."""
        lexed = lex(text)
        rows, characters = self.rows, self.characters
        self.rows += len(text.splitlines())
        self.characters += len(text) + 1
        self.seen.add(within[-1])
        self.result.findings += [_shifted(finding, rows) for finding in lexed.findings]
        whole, done = "", 0
        for statement in split(lexed.tokens):
            tokens = [_moved(token, rows, characters) for token in statement] if rows else statement
            if statement[0].type == "INCLUDE" and _names_file(statement):
                begin, end = statement[0].start_pos or 0, statement[-1].end_pos or 0
                whole += text[done:begin] + self.include(tokens[1], folder, within)
                done = end
            else:
                self.result.statements.append(tokens)
        return whole + text[done:]

    def include(self, literal: Token, folder: Path | None, within: tuple[Path, ...]) -> str:
        """Read the file that an ``#include`` names; returns the text that replaces the statement."""
        try:
            given = STRING.read(str(literal))
        except LiteralError as error:
            return self.refuse(Diagnostic(error.code, str(error), span_of(literal), error.note, error.hint))
        if folder is None:
            message = "files cannot be included here"
            hint = "copy their rules into the program: only a program in a file on your own machine can include files"
            return self.refuse(Diagnostic("no-include", message, span_of(literal), NOTE, hint))
        path = folder / given
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError) as error:
            message = f"`{given}` cannot be read: {error}"
            return self.refuse(Diagnostic("missing-include", message, span_of(literal), NOTE))
        if real in within:
            names = [each.name for each in (*within[within.index(real) :], real)]
            message = f"`{given}` includes itself: {' -> '.join(names)}"
            hint = "remove one of these steps, or move what both files need into a third file"
            return self.refuse(Diagnostic("include-circle", message, span_of(literal), NOTE, hint))
        if real in self.seen:
            return f"% {given} is included above"
        try:
            text = read_text(path)
        except ProgramError as error:
            (finding,) = error.diagnostics
            reason = finding.message.removeprefix("the program cannot be read: ")
            message = f"`{given}` cannot be read: {reason}"
            return self.refuse(Diagnostic("missing-include", message, span_of(literal), NOTE, finding.hint))
        self.result.files.append(SourceFile(os.path.normpath(path), text))
        return f"% {given}:\n{self.read(text, path.parent, (*within, real)).rstrip()}\n"

    def refuse(self, finding: Diagnostic) -> str:
        self.result.findings.append(finding)
        return ""


def _names_file(statement: list[Token]) -> bool:
    """Whether an ``#include`` is well formed; if not, the grammar refuses it."""
    return [token.type for token in statement[1:]] == ["LITERAL", "DOT"] and statement[1][0] == '"'


def _moved(token: Token, rows: int, characters: int) -> Token:
    line, end_line = (token.line or 1) + rows, (token.end_line or 1) + rows
    start, end = (token.start_pos or 0) + characters, (token.end_pos or 0) + characters
    return Token(token.type, str(token), start, line, token.column, end_line, token.end_column, end)


def _shifted(finding: Diagnostic, rows: int) -> Diagnostic:
    span = finding.span
    if span is None:
        return finding
    return replace(finding, span=Span(span.line + rows, span.column, span.end_line + rows, span.end_column))
