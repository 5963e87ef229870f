"""All errors that Laser raises, as one tree.

LaserError
├── ProgramError   the program is refused; carries every finding, with places and hints
├── FactError      a fact is malformed; nothing of the call was accepted
│   └── LiteralError   a literal has no value, such as a number that is too large; says where in the text
├── TimeError      a time is before the present, or is not a time point
├── LimitError     one tick derived more than the limit allows; names the rule
├── StateError     a saved state belongs to another program or version, or is damaged
├── RecordError    a record of a stream file is not valid; carries its line number
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
    """A place in a source text; lines and columns count from 1, and the end column is exclusive."""

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
    """One finding about a program: what is wrong or suspicious, where, which general rule applies (note), what to do (hint)."""

    code: str
    message: str
    span: Span | None
    note: str | None = None
    hint: str | None = None
    severity: Literal["error", "warning"] = "error"
    file: SourceFile | None = None
    """The included file that contains the place; None for the program's own text."""

    def render(self, source: str = "", name: str = "<program>") -> str:
        """The finding as text for people: place, message, the underlined line, note and hint."""
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
    """The base class of all errors that Laser raises on purpose."""


class ProgramError(LaserError):
    """A program is refused; the error has all findings."""

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
    """A fact is not valid: it is not an atom, or has a term that is not allowed (None, NaN, infinity)."""


class LiteralError(FactError):
    """A literal has no value: a number that is too large, or a string with a bad escape.

    It carries what a diagnostic needs, because only the value type knows it. The program parser adds the place of the literal;
    the fact reader uses only the message. ``where`` gives the wrong characters of the literal.
    """

    def __init__(self, code: str, message: str, where: slice | None, note: str, hint: str | None = None) -> None:
        self.code, self.where, self.note, self.hint = code, where, note, hint
        super().__init__(message)


class TimeError(LaserError):
    """A time is before the present, or is not a time point."""


class LimitError(LaserError):
    """One tick made more derivations than the limit allows (``rule`` is the text of the rule), or a silence has too many ticks."""

    def __init__(self, message: str, rule: str) -> None:
        self.rule = rule
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        return (LimitError, (str(self), self.rule))


class StateError(LaserError):
    """A saved state cannot be restored."""


class RecordError(LaserError):
    """A record of a stream is not valid; ``line`` is its line number, counted from 1."""

    def __init__(self, message: str, line: int, name: str = "<stream>") -> None:
        self.reason = message
        self.line = line
        self.name = name
        super().__init__(f"{name}:{line}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return (RecordError, (self.reason, self.line, self.name))


class ProofError(LaserError):
    """A step of a proof does not follow from the definition."""
