"""The goal of a question: an atom, or a pattern with variables that several atoms may match."""

from __future__ import annotations

from dataclasses import dataclass

from laser.errors import FactError, ProgramError
from laser.explanation.table import Positions
from laser.syntax import tree
from laser.syntax.parser import parse_tree
from laser.syntax.printer import write_statement, write_term
from laser.syntax.program import Program
from laser.values import Atom, Predicate, Value
from laser.values.facts import FactInput, to_atom

__all__ = ["Pattern", "as_pattern", "read_goal"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """An atom with variables: ``q(X, y)``; each ``_`` is a separate variable."""

    predicate: str
    terms: tuple[tree.Variable | tree.Constant, ...]

    @property
    def signature(self) -> Predicate:
        return Predicate(self.predicate, len(self.terms))

    @property
    def positions(self) -> Positions:
        """The argument positions that have values."""
        return tuple(place for place, term in enumerate(self.terms, 1) if isinstance(term, tree.Constant))

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(term.value for term in self.terms if isinstance(term, tree.Constant))

    def matches(self, atom: Atom) -> bool:
        """Whether an atom matches the pattern."""
        found: dict[str, Value] = {}
        return atom.signature == self.signature and all(
            map(self._fits, self.terms, atom.args, [found] * len(self.terms))
        )

    @staticmethod
    def _fits(term: tree.Variable | tree.Constant, value: Value, found: dict[str, Value]) -> bool:
        if isinstance(term, tree.Constant):
            return term.value == value
        return term.name == "_" or found.setdefault(term.name, value) == value

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(map(write_term, self.terms))})" if self.terms else self.predicate


def read_goal(goal: FactInput | Pattern, program: Program | None = None) -> Atom | Pattern:
    """The goal of a question: a fact as users give it, or text with variables, prefixes and constants of the program."""
    if isinstance(goal, Pattern):
        return goal
    try:
        return to_atom(goal)
    except FactError as error:
        if not isinstance(goal, str):
            raise
        found = _read(goal, program)
        if found is None:
            raise FactError(str(error)) from None
        return found


def _read(text: str, program: Program | None) -> Atom | Pattern | None:
    """Read an atom as written in programs."""
    statements = program.statements if program else ()
    directives = [s for s in statements if isinstance(s, tree.PrefixDirective | tree.ConstDirective)]
    head = "\n".join(write_statement(s) for s in directives)
    try:
        found = parse_tree(f"{head}\nask :- {text.strip().removesuffix('.')}.")
    except ProgramError:
        return None
    body = found.rules[0].body if len(found.rules) == 1 and len(found.statements) == len(directives) + 1 else ()
    if len(body) != 1 or not isinstance(body[0], tree.Literal) or body[0] != tree.Literal(body[0].atom):
        return None
    return _goal(body[0].atom)


def _goal(atom: tree.AtomPattern) -> Atom | Pattern | None:
    terms = [term for term in atom.args if isinstance(term, tree.Variable | tree.Constant)]
    if len(terms) < len(atom.args):
        return None
    values = [term.value for term in terms if isinstance(term, tree.Constant)]
    return Atom.of((atom.name, *values)) if len(values) == len(terms) else Pattern(atom.name, tuple(terms))


def as_pattern(goal: Atom | Pattern) -> Pattern:
    """An atom as a pattern without variables."""
    return goal if isinstance(goal, Pattern) else Pattern(goal.predicate, tuple(map(tree.Constant, goal.args)))
