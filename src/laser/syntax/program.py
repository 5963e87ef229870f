"""A parsed program: its statements in order, and views of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from laser.syntax.tree import ConstDirective, Fact, PrefixDirective, Rule, ShowDirective, Statement
from laser.terms import Predicate

__all__ = ["Notation", "Program", "expect_program"]

Notation = Literal["readable", "formal"]


@dataclass(frozen=True)
class Program:
    """A program as it was written; two are equal where their statements are."""

    statements: tuple[Statement, ...]
    source: str = field(default="", compare=False, repr=False)
    name: str = field(default="<program>", compare=False, repr=False)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return tuple(s for s in self.statements if isinstance(s, Rule))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The background data of the text, in order."""
        return tuple(s for s in self.statements if isinstance(s, Fact))

    @cached_property
    def constants(self) -> dict[str, ConstDirective]:
        """What ``#const`` declares, by name."""
        return {s.name: s for s in self.statements if isinstance(s, ConstDirective)}

    @cached_property
    def prefixes(self) -> dict[str, str]:
        """What ``#prefix`` declares: prefix to IRI."""
        return {s.prefix: s.iri for s in self.statements if isinstance(s, PrefixDirective)}

    @cached_property
    def shown(self) -> frozenset[Predicate] | None:
        """The predicates of all ``#show`` directives, or None where there are none."""
        directives = [s for s in self.statements if isinstance(s, ShowDirective)]
        return frozenset(p for d in directives for p in d.predicates) if directives else None

    def to_text(self, notation: Notation = "readable") -> str:
        """The program as text that parses to the same program."""
        from laser.syntax.printer import write_program  # the printer knows programs, not the reverse

        return write_program(self, notation)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from laser.syntax.markup import write_html

        return write_html(self.source or self.to_text())


def expect_program(given: object) -> Program:
    """What is given as a program, or TypeError where it is none."""
    if isinstance(given, Program):
        return given
    cure = "read it with laser.load" if hasattr(given, "__fspath__") else "give its text, or what laser.parse returns"
    raise TypeError(f"{given!r} ({type(given).__name__}) is no program: {cure}")
