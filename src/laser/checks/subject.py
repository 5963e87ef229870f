"""What the checks look at: a program, and what is known about the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from laser.errors import Span
from laser.rules.graph import closure
from laser.rules.resolve import resolve_window
from laser.syntax import tree
from laser.syntax.printer import write_literal, write_term
from laser.syntax.program import Program, source_text
from laser.syntax.terms import evaluate
from laser.ticks import Tick
from laser.values import Duration, Predicate, Value
from laser.values.operations import COMPARISONS
from laser.windows import Ago, Between, TimeWindow, Tumbling, Window

__all__ = ["Subject"]


@dataclass(frozen=True)
class Subject:
    """A program with the inputs, the constants and the tick of the run; None means "not known"."""

    program: Program
    inputs: frozenset[Predicate] | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    tick: Tick | None = None
    given: frozenset[Predicate] = frozenset()
    """The predicates of the background data of the run."""

    @property
    def rules(self) -> tuple[tree.Rule, ...]:
        return tuple(self.program.rules)

    @property
    def rows(self) -> list[str]:
        """The lines of the source."""
        return self.program.rows

    @property
    def directives(self) -> Iterator[tree.ConstDirective]:
        return (s for s in self.program.statements if isinstance(s, tree.ConstDirective))

    @cached_property
    def derived(self) -> frozenset[Predicate]:
        """The predicates that rules derive."""
        return frozenset(rule.head.predicate for rule in self.rules)

    @cached_property
    def first_rule(self) -> dict[Predicate, tree.Rule]:
        """The first rule for each derived predicate."""
        return {rule.head.predicate: rule for rule in reversed(self.rules)}

    @cached_property
    def rule_counts(self) -> Counter[Predicate]:
        """How many rules derive each predicate."""
        return Counter(rule.head.predicate for rule in self.rules)

    @cached_property
    def background(self) -> frozenset[Predicate]:
        """The predicates of the facts in the program, and of background data."""
        return self.given | {fact.atom.predicate for fact in self.program.facts}

    @cached_property
    def read(self) -> frozenset[Predicate]:
        """The predicates that bodies mention."""
        return frozenset(self.readers)

    @cached_property
    def streamed(self) -> frozenset[Predicate]:
        """The predicates that stream in: as given, or as declared; otherwise those that nothing else provides."""
        if self.inputs is not None:
            return self.inputs
        return frozenset(self.program.inputs) or self.read - self.derived - self.background

    @cached_property
    def unknown(self) -> frozenset[Predicate]:
        """The predicates that bodies mention and nothing provides, as far as is known."""
        return self.read - self.derived - self.background - self.streamed

    @cached_property
    def plain(self) -> frozenset[Predicate]:
        """The predicates that rules derive only for the present and nothing else provides: they have no history."""
        timed = {rule.head.predicate for rule in self.rules if rule.time is not None}
        return self.derived - timed - self.background - self.streamed - self.program.recorded

    @cached_property
    def _timed(self) -> frozenset[Predicate]:
        return frozenset(rule.head.predicate for rule in self.rules if rule.time is not None)

    def looks_only_back(self, literal: tree.Literal) -> bool:
        """Whether a literal looks only at what was recorded at earlier time points."""
        predicate = literal.atom.predicate
        if predicate not in self.program.recorded or predicate in self._timed or literal.window is None:
            return False
        return self._excludes_present(literal.window)

    def _excludes_present(self, window: tree.Window) -> bool:
        resolved = self.window(window)
        if resolved is not None:
            return isinstance(resolved, TimeWindow) and resolved.shows_present is False
        if window.kind is Tumbling:
            return True
        nearest = self.value(window.sizes[0].term)  # enough, without the tick, to know if it is 0
        return window.kind in (Ago, Between) and nearest not in (0, None, Duration(0))

    @cached_property
    def literals(self) -> tuple[tuple[tree.Rule, tree.Literal], ...]:
        """Every literal with its rule, including those inside aggregates."""
        return tuple((rule, literal) for rule in self.rules for literal in rule.all_literals)

    @cached_property
    def readers(self) -> dict[Predicate, list[tree.Literal]]:
        """For each predicate that bodies mention, its literals."""
        readers: dict[Predicate, list[tree.Literal]] = {}
        for _, literal in self.literals:
            readers.setdefault(literal.atom.predicate, []).append(literal)
        return readers

    @cached_property
    def windows(self) -> tuple[tree.Window, ...]:
        return tuple(literal.window for _, literal in self.literals if literal.window is not None)

    @cached_property
    def keys(self) -> tuple[tuple[tree.Literal, tree.Variable], ...]:
        """Every variable after ``per``, with its literal."""
        windows = ((literal, literal.window) for _, literal in self.literals)
        return tuple((literal, key) for literal, window in windows if window is not None for key in window.per)

    @cached_property
    def counts(self) -> tuple[tuple[tree.Literal, tree.Times], ...]:
        """Every literal that counts time points, with the number that it needs."""
        modalities = ((literal, literal.modality) for _, literal in self.literals)
        return tuple((literal, times) for literal, times in modalities if isinstance(times, tree.Times))

    @cached_property
    def values(self) -> dict[str, Value]:
        """The values of the constants that have one."""
        return self.program.constant_values(self.overrides)

    def value(self, term: tree.Term) -> Value | None:
        """The value of a term without variables; None if it has no value."""
        return evaluate(term, {}, self.values)

    def window(self, window: tree.Window | None) -> Window | None:
        """A window as it is evaluated; None if it has no size, the tick is unknown, or the window depends on its atom."""
        return None if window is None else resolve_window(window, self.values, self.tick, zone=self.program.zone)

    def needs(self, rule: tree.Rule) -> Iterator[tree.Literal]:
        """The literals whose atom must hold for a rule to fire."""
        return (literal for literal in rule.literals if literal.is_positive)

    @cached_property
    def possible(self) -> frozenset[Predicate]:
        """The predicates that may hold at some time: given, or derived from given ones."""
        needed = (([need.atom.predicate for need in self.needs(rule)], rule.head.predicate) for rule in self.rules)
        return frozenset(closure(needed, self.streamed | self.background))

    def term_text(self, term: tree.Term) -> str:
        return source_text(self.rows, term.span) or write_term(term, self.program.prefixes)

    def atom_text(self, atom: tree.AtomPattern) -> str:
        return self.literal_text(tree.Literal(atom, span=atom.span))

    def alternative_text(self, rule: tree.Rule) -> str:
        """The body of a rule that comes from ``or``, as text; empty if the rule has only one body."""
        spans = [element.span for element in rule.body if element.span is not None]
        if rule.alternative is None or not spans:
            return ""
        first, last = spans[0], spans[-1]
        return source_text(self.rows, Span(first.line, first.column, last.end_line, last.end_column))

    def literal_text(self, literal: tree.Literal) -> str:
        text = source_text(self.rows, literal.span)
        return text or write_literal(literal, "readable", self.program.prefixes)

    def comparison_text(self, test: tree.Comparison) -> str:
        left, right = map(self.term_text, test.terms)
        return (
            f"{left} {test.operator} {right}" if test.operator in COMPARISONS else f"{test.operator}({left}, {right})"
        )

    def window_text(self, window: tree.Window) -> str:
        """A window in the readable notation, which can follow any atom."""
        return window.kind.written(
            list(map(self.size_text, window.sizes)), False, list(map(self.term_text, window.per))
        )

    def size_text(self, size: tree.Size) -> str:
        return f"{self.term_text(size.term)} {size.unit}" if size.unit else self.term_text(size.term)
