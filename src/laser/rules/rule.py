"""Resolved programs: constants and durations have values, each ``_`` has its own name, and negation has one form."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from laser.rules.body import Aggregate, BodyElement, Comparison, ExtendedAtom
from laser.syntax import tree
from laser.syntax.terms import variables
from laser.ticks import SECOND, Tick
from laser.values import Atom, Predicate
from laser.windows import TimeWindow

__all__ = ["ResolvedProgram", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; ``time`` is the term of an ``@T`` head, ``text`` the source text."""

    predicate: Predicate
    args: tuple[tree.Term, ...]
    time: tree.Term | None
    body: tuple[BodyElement, ...]
    text: str = field(default="", compare=False, repr=False)
    origin: tree.Rule | None = field(default=None, compare=False, repr=False)
    line: int | None = field(default=None, compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)
    """The line on which it begins, and the file, if it is an included file."""

    @property
    def atoms(self) -> tuple[ExtendedAtom, ...]:
        """All atoms that its body reads, positive or negative, including those inside aggregates."""
        return tuple(reading.atom for element in self.body for reading in element.reads())

    @property
    def positives(self) -> tuple[ExtendedAtom, ...]:
        """The atoms that must hold for it to fire."""
        return tuple(e for e in self.body if isinstance(e, ExtendedAtom) and e.is_positive)

    @property
    def own_atoms(self) -> tuple[ExtendedAtom, ...]:
        """The atoms of the body, without those inside aggregates."""
        return tuple(e for e in self.body if isinstance(e, ExtendedAtom))

    @property
    def found_atoms(self) -> tuple[ExtendedAtom, ...]:
        """The atoms of the body, and of those aggregates that have a tuple whenever the rule fires."""
        some = [atom for aggregate in self.aggregates if not aggregate.may_be_empty for atom in aggregate.atoms]
        return (*self.own_atoms, *some)

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return tuple(e for e in self.body if isinstance(e, Aggregate))

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(e for e in self.body if isinstance(e, Comparison))

    @property
    def head_terms(self) -> tuple[tree.Term, ...]:
        """The arguments of the head, and its time."""
        return self.args if self.time is None else (*self.args, self.time)

    def terms(self) -> Iterator[tree.Term]:
        """The outermost terms of the head and the body; for aggregates, the terms that the rest of the rule sees."""
        yield from self.head_terms
        for element in self.body:
            yield from element.terms

    def variables(self) -> Iterator[tree.Variable]:
        """Every occurrence of a variable."""
        return variables(self.terms())


@dataclass(frozen=True)
class ResolvedProgram:
    """A program ready to be evaluated, with its background data."""

    rules: tuple[Rule, ...]
    background: frozenset[Atom] = frozenset()
    shown: frozenset[Predicate] | None = None
    recorded: frozenset[Predicate] = frozenset()
    """The predicates whose derived atoms are remembered."""
    tick: Tick = SECOND
    dates: bool = False
    """Whether its times are dates."""
    warmup: int = 0
    """The number of ticks at the start of the timeline without output."""

    @cached_property
    def derived(self) -> frozenset[Predicate]:
        """The predicates that some rule derives."""
        return frozenset(rule.predicate for rule in self.rules)

    @cached_property
    def pinned(self) -> frozenset[Predicate]:
        """The predicates that some rule derives for a given time point (``@T``)."""
        return frozenset(rule.predicate for rule in self.rules if rule.time is not None)

    def looks_only_back(self, atom: ExtendedAtom) -> bool:
        """Whether an atom reads only what was recorded earlier, and so does not depend on what is derived now."""
        if atom.predicate not in self.recorded or atom.predicate in self.pinned:
            return False
        return isinstance(atom.window, TimeWindow) and atom.window.shows_present is False

    @cached_property
    def reads(self) -> frozenset[Predicate]:
        """The predicates that bodies read."""
        return frozenset(atom.predicate for rule in self.rules for atom in rule.atoms)

    @cached_property
    def given(self) -> frozenset[Predicate]:
        """The predicates of the background data."""
        return frozenset(atom.signature for atom in self.background)

    @cached_property
    def fingerprint(self) -> str:
        """The id of the program in saved states and checkpoints; computed once, because it includes all background data."""
        from laser.rules.fingerprint import fingerprint  # that module imports this one

        return fingerprint(self)

    @cached_property
    def _by_head(self) -> dict[Predicate, list[Rule]]:
        by_head: dict[Predicate, list[Rule]] = {}
        for rule in self.rules:
            by_head.setdefault(rule.predicate, []).append(rule)
        return by_head

    def rules_of(self, predicate: Predicate) -> list[Rule]:
        """The rules that derive a predicate."""
        return self._by_head.get(predicate, [])

    def static(self, inputs: Collection[Predicate] | None = None) -> frozenset[Predicate]:
        """The predicates with background data only. Without ``inputs``, predicates with background data count as not streamed."""
        known = self.given if inputs is None else (self.given | self.reads) - frozenset(inputs)
        return known - self.derived

    def shows(self, predicate: Predicate) -> bool:
        """Whether a derived predicate is part of the output."""
        return self.shown is None or predicate in self.shown
