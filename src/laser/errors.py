"""Everything that can go wrong, as one tree.

LaserError
├── ProgramError   the program is refused; carries every finding, with places and hints
├── FactError      a fact is malformed; nothing of the call was accepted
│   └── LiteralError   a value is written as its type is, and means nothing; says where in the text
├── TimeError      a time lies before the present, or is no time point
├── LimitError     one tick derived more than the limit allows; names the rule
├── StateError     a saved state is of another program, another version, or damaged
├── RecordError    a record of a stream file does not fit; carries its line number
└── ProofError     a step of a proof does not follow; says which, and why
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "Diagnostic",
    "FactError",
    "LaserError",
    "LimitError",
    "LiteralError",
    "ProgramError",
    "ProofError",
    "RecordError",
    "SourceFile",
    "Span",
    "StateError",
    "TimeError",
]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source text; lines and columns count from 1, the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that a program includes, with its text."""

    name: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a program: what is wrong (or odd), where, by which law, and what to do."""

    code: str
    message: str
    span: Span | None
    note: str | None = None
    hint: str | None = None
    severity: Literal["error", "warning"] = "error"
    file: SourceFile | None = None
    """The file in which the place is, if it is not the program's own."""

    def render(self, source: str = "", name: str = "<program>") -> str:
        """The finding as people read it: place, message, the line underlined, note and hint."""
        if self.file is not None:
            source, name = self.file.text, self.file.name
        head = f"{self.severity}[{self.code}]: {self.message}"
        if self.span is None:
            lines = [f"{name}: {head}"]
        else:
            lines = [f"{name}:{self.span.line}:{self.span.column}: {head}", *self._excerpt(source)]
        if self.note:
            lines.append(f"  note: {self.note}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def _excerpt(self, source: str) -> list[str]:
        assert self.span is not None
        rows = source.splitlines()
        if not 1 <= self.span.line <= len(rows):
            return []
        row = "".join(c if c.isprintable() else " " for c in rows[self.span.line - 1])
        first = self.span.column - 1
        last = self.span.end_column - 1 if self.span.end_line == self.span.line else len(row)
        gutter = str(self.span.line)
        return [
            f"  {gutter} | {row}",
            f"  {' ' * len(gutter)} | {' ' * first}{'^' * max(1, last - first)}",
        ]


class LaserError(Exception):
    """The root of all errors that Laser raises on purpose."""


class ProgramError(LaserError):
    """A program that is refused, with all findings of one report."""

    def __init__(self, diagnostics: Sequence[Diagnostic], source: str = "", name: str = "<program>") -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        self.name = name
        first = next((d for d in self.diagnostics if d.severity == "error"), self.diagnostics[0])
        self.file = first.file.name if first.file else name
        self.line = first.span.line if first.span else None
        self.column = first.span.column if first.span else None
        self.hint = first.hint
        self.note = first.note
        self.code = first.code
        super().__init__("\n".join(d.render(source, name) for d in self.diagnostics))

    def __reduce__(self) -> tuple[object, ...]:
        return (ProgramError, (self.diagnostics, self.source, self.name))


class FactError(LaserError):
    """A fact that is not one: no atom, or with a term that is refused (None, NaN, infinity)."""


class LiteralError(FactError):
    """A literal without a value: a number that is too large, a string with a bad escape.

    It has what a diagnostic needs, because only the value type knows it: the reader of programs adds the place of the
    literal, the reader of facts takes the message alone. ``where`` are the characters of the literal that are wrong.
    """

    def __init__(self, code: str, message: str, where: slice | None, note: str, hint: str | None = None) -> None:
        self.code, self.where, self.note, self.hint = code, where, note, hint
        super().__init__(message)


class TimeError(LaserError):
    """A time before the present, or something that is no time point."""


class LimitError(LaserError):
    """One tick made more derivations than the limit allows, and ``rule`` is the rule's text; or a silence has too many ticks."""

    def __init__(self, message: str, rule: str) -> None:
        self.rule = rule
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return (LimitError, (str(self), self.rule))


class StateError(LaserError):
    """A saved state that cannot be restored here."""


class RecordError(LaserError):
    """A record of a stream that does not fit; ``line`` is its line number, counted from 1."""

    def __init__(self, message: str, line: int, name: str = "<stream>") -> None:
        self.reason = message
        self.line = line
        self.name = name
        super().__init__(f"{name}:{line}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return (RecordError, (self.reason, self.line, self.name))


class ProofError(LaserError):
    """A step of a proof that does not follow from the definition."""
