"""A parsed program: its statements in order, and ways to look at them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from laser.errors import Diagnostic, FactError, SourceFile, Span
from laser.syntax.terms import evaluate, in_zone, subterms
from laser.syntax.tree import (
    Alternatives,
    Constant,
    ConstDirective,
    Fact,
    InputDirective,
    PrefixDirective,
    RecordDirective,
    Rule,
    ShowDirective,
    Statement,
    WarmupDirective,
    ZoneDirective,
)
from laser.values import Predicate, Time, Value, to_value
from laser.values.declared import Declared
from laser.values.number import is_writable

__all__ = ["Notation", "Program", "expect_program", "source_text", "to_constant"]

Notation = Literal["readable", "formal"]


@dataclass(frozen=True)
class Program:
    """A program as written. Two programs are equal if their statements are."""

    statements: tuple[Statement, ...]
    source: str = field(default="", compare=False, repr=False)
    name: str = field(default="<program>", compare=False, repr=False)
    included: tuple[SourceFile, ...] = field(default=(), compare=False, repr=False)
    """The files that it includes. Their lines are numbered after those of the program's own text (``located``)."""

    @cached_property
    def rows(self) -> list[str]:
        """The lines of the program's own text, then those of the files that it includes."""
        return [row for text in (self.source, *(file.text for file in self.included)) for row in text.splitlines()]

    def file_line(self, line: int) -> tuple[SourceFile | None, int]:
        """The file and the line in it for a line number; the file is None for the program's own text."""
        before = len(self.source.splitlines())
        if line <= before:
            return None, line
        for file in self.included:
            length = len(file.text.splitlines())
            if line <= before + length:
                return file, line - before
            before += length
        return None, line

    def located(self, finding: Diagnostic) -> Diagnostic:
        """A finding with its place, and the lines that it mentions, given by file and line."""
        if not self.included:
            return finding
        texts = [text and _LINE.sub(self._line_text, text) for text in (finding.message, finding.note, finding.hint)]
        told = replace(finding, message=texts[0] or "", note=texts[1], hint=texts[2])
        if finding.span is None:
            return told
        file, line = self.file_line(finding.span.line)
        shift = finding.span.line - line
        span = Span(line, finding.span.column, finding.span.end_line - shift, finding.span.end_column)
        return replace(told, span=span, file=file)

    def _line_text(self, match: re.Match[str]) -> str:
        file, line = self.file_line(int(match[1]))
        return f"line {line}" if file is None else f"line {line} of {file.name}"

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order; a statement with ``or`` counts as several rules."""
        several = (
            (s,) if isinstance(s, Rule) else s.rules for s in self.statements if isinstance(s, Rule | Alternatives)
        )
        return tuple(rule for rules in several for rule in rules)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The background data of the text, in order."""
        return tuple(s for s in self.statements if isinstance(s, Fact))

    @cached_property
    def constants(self) -> dict[str, ConstDirective]:
        """The ``#const`` directives by name."""
        return {s.name: s for s in self.statements if isinstance(s, ConstDirective)}

    def constant_values(self, overrides: Mapping[str, Any], zone: str = "UTC") -> dict[str, Value]:
        """The values of the constants that have one, in a run with these overrides and this zone."""
        values: dict[str, Value] = {}
        for statement in self.statements:
            if isinstance(statement, ConstDirective):
                value = _constant(statement, overrides, values, zone)
                if value is not None:
                    values[statement.name] = value
        return values

    @cached_property
    def inputs(self) -> dict[Predicate, InputDirective]:
        """The ``#input`` directives by predicate."""
        return {s.predicate: s for s in self.statements if isinstance(s, InputDirective)}

    @cached_property
    def has_dates(self) -> bool:
        """Whether the program contains a date. If so, times are dates in every run."""
        if any(declared is Declared.TIME for given in self.inputs.values() for _, declared in given.fields):
            return True
        terms = [term for rule in self.rules for term in rule.terms()]
        terms += [arg for fact in self.facts for arg in fact.atom.args]
        terms += [directive.value for directive in self.constants.values()]
        parts = (part for term in terms for part in subterms(term))
        return any(isinstance(part, Constant) and isinstance(part.value, Time) for part in parts)

    @cached_property
    def warmup(self) -> WarmupDirective | None:
        """The ``#warmup`` directive; a program with two is refused by a check."""
        return next((s for s in self.statements if isinstance(s, WarmupDirective)), None)

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """The IRI of each prefix that ``#prefix`` declares."""
        return {s.prefix: s.iri for s in self.statements if isinstance(s, PrefixDirective)}

    @cached_property
    def shown(self) -> frozenset[Predicate] | None:
        """The predicates of all ``#show`` directives, or None if there are no such directives."""
        directives = [s for s in self.statements if isinstance(s, ShowDirective)]
        return frozenset(p for d in directives for p in d.predicates) if directives else None

    @cached_property
    def zone(self) -> str | None:
        """The zone that ``#zone`` names."""
        return next((s.name for s in self.statements if isinstance(s, ZoneDirective)), None)

    @cached_property
    def recorded(self) -> frozenset[Predicate]:
        """The predicates of all ``#record`` directives."""
        return frozenset(p for s in self.statements if isinstance(s, RecordDirective) for p in s.predicates)

    def to_text(self, notation: Notation = "readable") -> str:
        """The program as text that parses to the same program."""
        from laser.syntax.printer import write_program  # the printer imports this module

        return write_program(self, notation)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from laser.syntax.highlight import write_html

        return write_html(self.source or self.to_text())


_LINE = re.compile(r"\bline (\d+)(?=[\s,;:.)]|\Z)")


def expect_program(given: object) -> Program:
    """The given program, or TypeError if it is not a program."""
    if isinstance(given, Program):
        return given
    cure = "read it with laser.load" if hasattr(given, "__fspath__") else "give its text, or what laser.parse returns"
    raise TypeError(f"{given!r} ({type(given).__name__}) is not a program: {cure}")


def _constant(
    directive: ConstDirective, overrides: Mapping[str, Any], values: Mapping[str, Value], zone: str
) -> Value | None:
    if directive.name not in overrides:
        return evaluate(in_zone(directive.value, zone), {}, values)
    try:
        return to_constant(overrides[directive.name])
    except FactError:
        return None


def to_constant(given: Any) -> Value:
    """The value that a run gives to a constant, or FactError. It must be a value that can be written in a program."""
    value = to_value(given)
    if not is_writable(value):
        raise FactError("the number is too large: in a program, integers have at most 4300 digits")
    return value


def source_text(rows: Sequence[str], span: Span | None) -> str:
    """The source text at a place, on one line; empty if the tree was not parsed from text."""
    lines = list(rows[span.line - 1 : span.end_line]) if span else []
    if span is None or not lines:
        return ""
    if len(lines) == 1:  # cut once: a program may be one long line
        return " ".join(lines[0][span.column - 1 : span.end_column - 1].split())
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())
