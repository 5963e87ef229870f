"""Which facts of an input can matter to a program, so that a source can leave out all others before anything reads them.

A fact matters if some atom of some body can match it, in an instance of the rule whose comparisons hold. Each such atom gives an
*alternative*: a conjunction of tests of the arguments alone, made of its constants, its repeated variables, and the comparisons
beside it. A fact that passes no alternative takes part in no instance, positive or negated, at any time, in any window: all facts
with the same arguments pass or fail together, so it changes no count of time points either.

Three things limit the tests:

- *Windows that count facts.* ``[n #]`` counts all facts, so every fact matters. ``[last n per X]`` counts the facts with the same
  X, so only tests of X are exact there: they leave out whole keys.
- *Undefined comparisons.* The order of a number and a string is undefined, and reported. So a test needs arguments of a known type,
  and comparisons that follow one that may be undefined are not used: the report must not depend on them.
- *Exact translation.* Types and values are such that SQL compares them exactly: whole numbers with whole numbers of 64 bits, other
  numbers with doubles.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import floor
from typing import Any, TypeAlias

from laser.rules.body import Aggregate, Comparison, ExtendedAtom
from laser.rules.rule import ResolvedProgram, Rule
from laser.rules.types import Given, settled_types
from laser.syntax import tree
from laser.syntax.terms import evaluate
from laser.values import Predicate, Value, static_type_of, write_value
from laser.values.facts import read_value
from laser.values.fold import Fold
from laser.values.operations import COMPARISONS, compare
from laser.values.static_type import ANY, INTEGER, NUMBER, StaticType
from laser.windows import LastFacts, LastOf

__all__ = ["Place", "Selection", "Selections", "Test", "covers", "read_selection", "select"]

MOST_ALTERNATIVES = 100
"""With more alternatives, every fact is read: a condition of thousands of tests costs more than it saves."""
_FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EXACT = 2**53
_LONG = 2**63


@dataclass(frozen=True, slots=True)
class Place:
    """An argument of a fact, counted from 0."""

    position: int


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of an argument with a value of its type, or with another argument."""

    position: int
    operator: str
    other: Value | Place

    @property
    def positions(self) -> frozenset[int]:
        """The arguments that it looks at."""
        more = {self.other.position} if isinstance(self.other, Place) else set()
        return frozenset({self.position, *more})

    def holds(self, args: Sequence[Value]) -> bool:
        other = args[self.other.position] if isinstance(self.other, Place) else self.other
        return compare(self.operator, args[self.position], other) is True

    def implies(self, other: Test) -> bool:
        """Whether all facts that pass this test pass the other one."""
        if self == other:
            return True
        if self.position != other.position or isinstance(self.other, Place) or isinstance(other.other, Place):
            return False
        if self.operator == "=":
            return compare(other.operator, self.other, other.other) is True
        if self.operator == "!=" or self.operator[0] != other.operator[0]:
            return False
        direction, is_wider = self.operator[0], len(self.operator) > len(other.operator)
        return compare(direction if is_wider else direction + "=", self.other, other.other) is True

    def to_text(self, names: Sequence[str]) -> str:
        other = names[self.other.position] if isinstance(self.other, Place) else write_value(self.other)
        return f"{names[self.position]} {self.operator} {other}"


Alternative: TypeAlias = frozenset[Test]


@dataclass(frozen=True, slots=True)
class Selection:
    """The facts of a predicate that can matter: those that pass all tests of an alternative. Without alternatives, none does."""

    alternatives: frozenset[Alternative]

    def keeps(self, args: Sequence[Value]) -> bool:
        """Whether a fact with these arguments can matter."""
        return any(all(test.holds(args) for test in tests) for tests in self.alternatives)

    def to_text(self, names: Sequence[str]) -> str:
        """The condition in words, with the names of the arguments."""
        several = sorted(" and ".join(sorted(t.to_text(names) for t in tests)) for tests in self.alternatives)
        return " or ".join(several) or "never"

    def plain(self) -> list[list[list[Any]]]:
        """The condition as lists, which ``read_selection`` reads."""
        return sorted(sorted(map(_plain, tests)) for tests in self.alternatives)


Selections: TypeAlias = Mapping[Predicate, Selection]
"""The facts that matter, by predicate. Of other predicates, every fact matters."""


def _plain(test: Test) -> list[Any]:
    other = (
        ["argument", str(test.other.position)] if isinstance(test.other, Place) else ["value", write_value(test.other)]
    )
    return [test.position, test.operator, *other]


def read_selection(plain: Iterable[Iterable[Sequence[Any]]]) -> Selection:
    """A selection from its lists."""
    return Selection(frozenset(frozenset(map(_read_test, tests)) for tests in plain))


def _read_test(plain: Sequence[Any]) -> Test:
    position, operator, kind, text = plain
    return Test(position, operator, Place(int(text)) if kind == "argument" else read_value(text))


def covers(kept: Selection | None, needed: Selection | None) -> bool:
    """Whether it is certain that all facts of ``needed`` are among those of ``kept``; None stands for all facts."""
    if kept is None:
        return True
    return needed is not None and all(_is_covered(tests, kept.alternatives) for tests in needed.alternatives)


def _is_covered(tests: Alternative, by: Iterable[Alternative]) -> bool:
    return any(all(any(mine.implies(test) for mine in tests) for test in wider) for wider in by)


# -- what a program needs


def select(core: ResolvedProgram, given: Given) -> dict[Predicate, Selection]:
    """The facts that can matter, for each input with facts that cannot; ``given`` has the types of the arguments of all inputs.

    >>> from laser.checks.accept import accept
    >>> from laser.checks.load import parse
    >>> from laser.values.static_type import STRING
    >>> core = accept(parse("hot(M) :- temp(M, V) in [5 min], V > 90. near(V) :- temp(m1, V)."))
    >>> for predicate, selection in select(core, {Predicate("temp", 2): [STRING, NUMBER]}).items():
    ...     print(f"{predicate}: {selection.to_text(['machine', 'value'])}")
    temp/2: machine = m1 or value > 90
    """
    windows = {atom.window for rule in core.rules for atom in rule.atoms}
    if any(isinstance(window, LastFacts) for window in windows):
        return {}
    finder = _Finder(core, given, settled_types(core, given))
    counted = [window for window in windows if isinstance(window, LastOf)]
    found: dict[Predicate, Selection] = {}
    for predicate in given:
        open_ = frozenset(range(predicate.arity)).intersection(*(w.per for w in counted if w.predicate == predicate))
        alternatives = _widest({_within(tests, open_) for tests in finder.alternatives(predicate)})
        if frozenset() not in alternatives and len(alternatives) <= MOST_ALTERNATIVES:
            found[predicate] = Selection(alternatives)
    return found


def _within(tests: Alternative, positions: Collection[int]) -> Alternative:
    return frozenset(test for test in tests if test.positions.issubset(positions))


def _widest(alternatives: Collection[Alternative]) -> frozenset[Alternative]:
    """Without those alternatives that another one covers."""
    if frozenset() in alternatives or len(alternatives) > MOST_ALTERNATIVES**2:
        return frozenset([frozenset()])
    kept: list[Alternative] = []
    for tests in sorted(alternatives, key=lambda tests: (len(tests), sorted(map(_plain, tests)))):
        if not _is_covered(tests, kept):
            kept = [other for other in kept if not _is_covered(other, [tests])] + [tests]
    return frozenset(kept)


@dataclass(frozen=True)
class _Finder:
    """Finds the tests for the atoms of a program."""

    core: ResolvedProgram
    given: Given
    types: Mapping[Predicate, Sequence[StaticType | None]]

    def alternatives(self, predicate: Predicate) -> Iterator[Alternative]:
        for rule in self.core.rules:
            if any(atom.predicate == predicate for atom in rule.atoms):
                for atoms, tests in self.scopes(rule):
                    yield from (self.tests(atom, tests) for atom in atoms if atom.predicate == predicate)

    def scopes(self, rule: Rule) -> Iterator[tuple[Sequence[ExtendedAtom], Sequence[Comparison]]]:
        """The atoms of a rule and of its aggregates, each with the comparisons that must hold beside them."""
        kinds = self.kinds(rule)
        own = rule.comparisons if all(_is_defined(each, kinds) for each in rule.aggregates) else ()
        for atoms, tests in ((rule.own_atoms, own), *((each.atoms, each.comparisons) for each in rule.aggregates)):
            yield atoms, list(takewhile(lambda test: _is_certain(test, kinds), map(_computed, tests)))

    def kinds(self, rule: Rule) -> dict[str, StaticType | None]:
        """The kind of values that each variable of a rule can have, wherever it is bound; None if there may be several."""
        found: dict[str, StaticType | None] = {}
        for atom in rule.atoms:
            if atom.is_positive:
                for term, type_ in zip(atom.args, self.types.get(atom.predicate, [None] * len(atom.args)), strict=True):
                    if isinstance(term, tree.Variable):
                        kind = _kind(type_)
                        found[term.name] = kind if found.get(term.name, kind) == kind else None
            if isinstance(atom.time, tree.Variable):
                found[atom.time.name] = None
        for aggregate in rule.aggregates:
            found[aggregate.result.name] = None if aggregate.fold in (Fold.MIN, Fold.MAX) else NUMBER
        return found

    def tests(self, atom: ExtendedAtom, comparisons: Iterable[Comparison]) -> Alternative:
        types, places, found = self.given[atom.predicate], dict[tree.Term, int](), set[Test]()
        for position, term in enumerate(atom.args):
            if isinstance(term, tree.Constant):
                found.update(_test(position, "=", term.value, types))
            elif term in places:
                found.update(_test(position, "=", Place(places[term]), types))
            elif isinstance(term, tree.Variable):
                places[term] = position
        for comparison in comparisons:
            found.update(_of_comparison(comparison, places, types))
        return frozenset(found)


def _computed(test: Comparison) -> Comparison:
    """A comparison with the values of terms that have no variables."""
    return replace(test, left=_value_of(test.left), right=_value_of(test.right))


def _value_of(term: tree.Term) -> tree.Term:
    value = evaluate(term, {}) if isinstance(term, tree.Arithmetic) else None
    return term if value is None else tree.Constant(value)


def _of_comparison(test: Comparison, places: Mapping[tree.Term, int], types: Sequence[StaticType]) -> Iterator[Test]:
    """A comparison as a test of the arguments, if it compares nothing else."""
    if test.operator not in COMPARISONS:
        return
    match places.get(test.left), places.get(test.right), test.left, test.right:
        case int(left), int(right), _, _:
            yield from _test(left, test.operator, Place(right), types)
        case int(left), None, _, tree.Constant(value=value):
            yield from _test(left, test.operator, value, types)
        case None, int(right), tree.Constant(value=value), _:
            yield from _test(right, _FLIPPED[test.operator], value, types)


def _test(position: int, operator: str, other: Value | Place, types: Sequence[StaticType]) -> Iterator[Test]:
    """The test, if it is always defined, and exact in SQL."""
    type_ = types[position]
    if isinstance(other, Place):
        if _kind(type_) is not None and _storage(type_) == _storage(types[other.position]):
            yield Test(position, operator, other)
        return
    if _kind(type_) is None or _kind(type_) != _kind(static_type_of(other)) or not _is_text_or_other(other):
        return
    if not isinstance(other, int | float):
        yield Test(position, operator, other)
    elif not type_.fits(INTEGER):
        if isinstance(other, float) or abs(other) <= _EXACT:
            yield Test(position, operator, other)
    elif isinstance(other, int):
        if abs(other) < _LONG:
            yield Test(position, operator, other)
    elif operator not in ("=", "!=") and abs(other) < _LONG:
        yield Test(position, ">" if operator[0] == ">" else "<=", floor(other))


def _is_text_or_other(value: Value) -> bool:
    """False for a string with half a surrogate pair, which no column can have."""
    return not isinstance(value, str) or value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)


def _kind(type_: StaticType | None) -> StaticType | None:
    """The kind of values whose order is defined; None if a type has several."""
    if type_ is None:
        return None
    *_, widest = type_.widening()
    return None if widest == ANY else widest


def _storage(type_: StaticType) -> StaticType | None:
    """Whole numbers and other numbers are stored differently."""
    return INTEGER if type_.fits(INTEGER) else _kind(type_)


def _is_certain(test: Comparison, kinds: Mapping[str, StaticType | None]) -> bool:
    """Whether a comparison is defined for all values that its variables can have."""
    if test.operator not in COMPARISONS or any(isinstance(term, tree.Arithmetic) for term in test.terms):
        return False
    if test.operator in ("=", "!="):
        return True
    left, right = (_kind_of_term(term, kinds) for term in test.terms)
    return left is not None and left == right


def _kind_of_term(term: tree.Term, kinds: Mapping[str, StaticType | None]) -> StaticType | None:
    match term:
        case tree.Variable(name=name):
            return kinds.get(name)
        case tree.Constant(value=value):
            return _kind(static_type_of(value))
        case _:
            return None


def _is_defined(aggregate: Aggregate, kinds: Mapping[str, StaticType | None]) -> bool:
    """Whether an aggregate is defined for all values that it can fold."""
    return aggregate.fold is Fold.COUNT or _kind_of_term(aggregate.folded[0], kinds) == NUMBER
