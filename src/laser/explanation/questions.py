"""The rules of a program as they are asked: in which order a body is solved, which depends on what the question has bound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from laser.explanation.solve import HIGH, LOW, Binding, Emit, Step, binds, chain, is_ready, term_value
from laser.explanation.table import Entry, Key, Table
from laser.rules.body import BodyElement, Comparison, ExtendedAtom
from laser.rules.dependencies import components, cone, resolved_edges
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Atom, Predicate, Value, value_order

__all__ = ["Question", "Rules", "arrange", "emit_head", "in_order", "relevant", "solver"]

MOST_NESTED = 30

Given: TypeAlias = tuple[Key, Sequence[Value], int, int]
"""What is asked of a head: values for some places, and the first and the last time point."""


@dataclass(frozen=True, slots=True)
class Question:
    """A rule's head with some places given, at a time point or in a range: what is known before the body is solved."""

    rule: Rule
    bound: tuple[tuple[int, str], ...]
    """Places whose values variables of the head take."""
    ranged: str | None
    pinned: str | None
    step: Step
    args: tuple[Callable[[Binding], Value | None], ...]
    time: Callable[[Binding], Value | None] | None


@dataclass
class Rules:
    """The rules by what they derive, and the predicates that depend on themselves."""

    core: ResolvedProgram
    by_predicate: dict[Predicate, list[Rule]] = field(init=False, default_factory=dict)
    component: dict[Predicate, frozenset[Predicate]] = field(init=False, default_factory=dict)
    untimed: frozenset[Predicate] = field(init=False, default=frozenset())
    order: list[frozenset[Predicate]] = field(init=False, default_factory=list)
    """The components of derived predicates, each after those on which it depends."""
    is_high: bool = field(init=False, default=False)
    background: dict[tuple[str, int], Table] = field(init=False, default_factory=dict)
    questions: dict[tuple[int, Key, bool], Question] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for rule in self.core.rules:
            self.by_predicate.setdefault(rule.predicate, []).append(rule)
        self.untimed = frozenset(p for p, rules in self.by_predicate.items() if all(r.time is None for r in rules))
        self.background = _by_signature(self.core.background)
        edges = resolved_edges(self.core)
        loops = {edge.head for edge in edges if edge.head == edge.body}
        self.order = [part for part in components(edges, self.by_predicate) if part & self.core.derived]
        # Questions nest as predicates do, so that a very high tower of them is built from below instead.
        self.is_high = self._height() > MOST_NESTED
        self.component = {p: q for q in self.order if self.is_high or len(q) > 1 or q <= loops for p in q}

    def _height(self) -> int:
        """How many components stand on each other."""
        height: dict[Predicate, int] = {}
        for part in self.order:
            rules = [rule for predicate in part for rule in self.by_predicate[predicate]]
            below = {e.predicate for rule in rules for e in rule.body if isinstance(e, ExtendedAtom)}
            height.update(dict.fromkeys(part, 1 + max((height.get(p, 0) for p in below - part), default=0)))
        return max(height.values(), default=0)

    def question(self, rule: Rule, key: Key, point: bool) -> Question:
        """The rule, to be solved with the places of ``key`` given, for one time point or for a range."""
        name = (id(rule), key, point)
        if name not in self.questions:
            self.questions[name] = self._ask(rule, key, point)
        return self.questions[name]

    def _ask(self, rule: Rule, key: Key, point: bool) -> Question:
        terms = [(place, rule.args[place - 1]) for place in key]
        given = tuple((place, term.name) for place, term in terms if isinstance(term, tree.Variable))
        time = rule.time.name if isinstance(rule.time, tree.Variable) else None
        ranged = time if not point and time not in [name for _, name in given] else None
        bound = frozenset(name for _, name in given) | (frozenset([time]) if point and time else frozenset())
        return Question(
            rule,
            given,
            ranged,
            time if point else None,
            chain(arrange(rule.body, bound, ranged), bound, ranged),
            tuple(map(term_value, rule.args)),
            None if rule.time is None else term_value(rule.time),
        )


def relevant(program: ResolvedProgram, goal: Predicate) -> ResolvedProgram:
    """The rules on which a predicate depends, with their background data."""
    needed = cone(program, [goal])
    background = frozenset(atom for atom in program.background if atom.signature in needed)
    return replace(program, rules=tuple(r for r in program.rules if r.predicate in needed), background=background)


def solver(question: Question, key: Key, values: Sequence[Value], low: int, high: int) -> Binding | None:
    """The binding with which a question begins; None where the head cannot be what is asked for."""
    binding: Binding = {LOW: low, HIGH: high}
    if question.pinned is not None:
        binding[question.pinned] = low
    for place, name in question.bound:
        value = values[key.index(place)]
        if name in binding and binding[name] != value:
            return None
        binding[name] = value
    for place, value in zip(key, values, strict=True):
        term = question.rule.args[place - 1]
        if isinstance(term, tree.Constant) and term.value != value:
            return None
    return binding


def arrange(
    elements: Sequence[BodyElement], bound: frozenset[str], ranged: str | None, first: BodyElement | None = None
) -> list[BodyElement]:
    """An order in which every element is ready, and what filters most comes early."""
    rest, order = list(elements), []
    while rest:
        ready = [element for element in rest if is_ready(element, bound)]
        element = first if first is not None else min(ready, key=lambda e: _cost(e, bound, ranged))
        first = None
        rest = [other for other in rest if other is not element]
        order.append(element)
        bound |= binds(element, bound)
    return order


def _cost(element: BodyElement, bound: frozenset[str], ranged: str | None) -> tuple[int, int]:
    """How much work an element is likely to make: how many variables it leaves open, and of which kind it is."""
    if isinstance(element, Comparison):
        return (0, 0)
    open_args = sum(isinstance(term, tree.Variable) and term.name not in bound for term in element.args)
    time = element.time.name if isinstance(element.time, tree.Variable) else None
    open_time = time is not None and time not in bound
    if element.negated:
        return (1, 1)
    if element.negated_inside:
        return (3, 0) if open_time else (1, 1)
    # What binds the time of a head for which a range is given can use the range, and so it comes before what cannot.
    known = len(element.args) - open_args + (ranged is not None and time == ranged)
    return (1 if not open_args and not open_time else 2, open_args + open_time - 2 * known)


def emit_head(question: Question, given: Given, found: dict[Entry, None], now: int) -> Emit:
    """What to do with a solution of a body: make the head, and keep it if it is what was asked for.

    If only one atom at one time can be, the first solution is enough.
    """
    key, values, low, high = given
    name, args, time_of = question.rule.predicate.name, question.args, question.time
    places = dict(zip(key, values, strict=True))
    bare = Atom.of((name,))
    only_one = len(key) == len(args) and low == high
    computed = [place for place, term in enumerate(question.rule.args, 1) if isinstance(term, tree.Arithmetic)]

    def emit(binding: Binding) -> bool:
        time = now if time_of is None else time_of(binding)
        if type(time) is int and low <= time <= high:
            if not args:
                found[time, bare] = None
                return only_one
            flat = [arg(binding) for arg in args]
            if not computed or all(
                flat[p - 1] is not None and places.get(p, flat[p - 1]) == flat[p - 1] for p in computed
            ):
                found[time, Atom.of((name, *flat))] = None
                return only_one
        return False

    return emit


def _by_signature(atoms: Collection[Atom]) -> dict[tuple[str, int], Table]:
    """Background data, as if they were there at time 0 only: whoever asks knows that they are there always."""
    tables: dict[tuple[str, int], Table] = {}
    for atom in in_order(atoms):
        tables.setdefault((atom[0], len(atom)), Table()).add((0, atom))
    return tables


def in_order(atoms: Collection[Atom]) -> list[Atom]:
    """Atoms in their order; their own comparison would work out the order of both for each pair."""
    return sorted(atoms, key=lambda atom: (atom[0], len(atom), *map(value_order, atom[1:])))
