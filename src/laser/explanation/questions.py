"""Prepares rules for questions: the order in which a body is solved depends on what the question has bound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from laser.explanation.element import HIGH, LOW, Binding, Emit, Step
from laser.explanation.explainers import explainer_of
from laser.explanation.solve import value_of
from laser.explanation.table import Positions, Table, TimedAtom, by_predicate
from laser.rules.body import BodyElement
from laser.rules.dependencies import components, cone, resolved_edges
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Atom, Predicate, Value, value_order

__all__ = ["RuleQuery", "Rules", "emit_head", "in_order", "relevant", "solver", "steps"]

MOST_NESTED = 30
"""Chains of at most this many predicates are evaluated top down."""

Given: TypeAlias = tuple[Positions, Sequence[Value], int, int]
"""What is needed of a head: values at some positions, and the first and the last time point."""


@dataclass(frozen=True, slots=True)
class RuleQuery:
    """A rule whose head has given values at some positions, at one time point or in a range, before its body is solved."""

    rule: Rule
    bound: tuple[tuple[int, str], ...]
    """The positions whose values go to variables of the head."""
    ranged: str | None
    pinned: str | None
    step: Step
    args: tuple[Callable[[Binding], Value | None], ...]
    time: Callable[[Binding], Value | None] | None
    names: tuple[str, ...]
    """The variables whose values identify a rule instance."""


@dataclass
class Rules:
    """The rules by derived predicate, and the predicates that depend on themselves."""

    core: ResolvedProgram
    component: dict[Predicate, frozenset[Predicate]] = field(init=False, default_factory=dict)
    """The predicates that are completed before use, each with those that are completed together with it."""
    untimed: frozenset[Predicate] = field(init=False, default=frozenset())
    order: list[frozenset[Predicate]] = field(init=False, default_factory=list)
    """The components of derived predicates, each after those that it depends on."""
    background: dict[Predicate, Table] = field(init=False, default_factory=dict)
    queries: dict[tuple[int, Positions, bool], RuleQuery] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        core = self.core
        self.untimed = frozenset(p for p in core.derived if all(r.time is None for r in core.rules_of(p)))
        # Stored at time 0 only: all readers know that background data hold at every time.
        self.background = by_predicate((0, atom) for atom in in_order(core.background))
        edges = resolved_edges(core)
        loops = {edge.head for edge in edges if edge.head == edge.body}
        self.order = [part for part in components(edges, sorted(core.derived)) if part & core.derived]
        # Questions nest as deep as predicates do. A chain that is too deep is evaluated bottom up, as recursions are.
        is_high = self._height() > MOST_NESTED
        self.component = {p: q for q in self.order if is_high or len(q) > 1 or q <= loops for p in q}

    def _height(self) -> int:
        """The length of the longest chain of components."""
        height: dict[Predicate, int] = {}
        for part in self.order:
            rules = [rule for predicate in part for rule in self.core.rules_of(predicate)]
            below = {atom.predicate for rule in rules for atom in rule.atoms}
            height.update(dict.fromkeys(part, 1 + max((height.get(p, 0) for p in below - part), default=0)))
        return max(height.values(), default=0)

    def query(self, rule: Rule, positions: Positions, point: bool) -> RuleQuery:
        """The rule, ready to be solved with values at these positions, for one time point or for a range."""
        name = (id(rule), positions, point)
        if name not in self.queries:
            self.queries[name] = self._query(rule, positions, point)
        return self.queries[name]

    def _query(self, rule: Rule, positions: Positions, point: bool) -> RuleQuery:
        terms = [(place, rule.args[place - 1]) for place in positions]
        given = tuple((place, term.name) for place, term in terms if isinstance(term, tree.Variable))
        time = rule.time.name if isinstance(rule.time, tree.Variable) else None
        ranged = time if not point and time not in [name for _, name in given] else None
        bound = frozenset(name for _, name in given) | (frozenset([time]) if point and time else frozenset())
        return RuleQuery(
            rule,
            given,
            ranged,
            time if point else None,
            steps(rule.body, bound, ranged),
            tuple(map(value_of, rule.args)),
            None if rule.time is None else value_of(rule.time),
            tuple(dict.fromkeys(v.name for v in rule.variables() if not v.is_anonymous)),
        )


def relevant(program: ResolvedProgram, goal: Predicate) -> ResolvedProgram:
    """The rules that a predicate depends on, with their background data."""
    needed = cone(program, [goal])
    background = frozenset(atom for atom in program.background if atom.signature in needed)
    return replace(program, rules=tuple(r for r in program.rules if r.predicate in needed), background=background)


def solver(query: RuleQuery, positions: Positions, values: Sequence[Value], low: int, high: int) -> Binding | None:
    """The initial binding of a query; None if the head cannot match what is needed."""
    binding: Binding = {LOW: low, HIGH: high}
    if query.pinned is not None:
        binding[query.pinned] = low
    for place, name in query.bound:
        value = values[positions.index(place)]
        if name in binding and binding[name] != value:
            return None
        binding[name] = value
    for place, value in zip(positions, values, strict=True):
        term = query.rule.args[place - 1]
        if isinstance(term, tree.Constant) and term.value != value:
            return None
    return binding


def steps(
    elements: Sequence[BodyElement], bound: frozenset[str], ranged: str | None = None, first: BodyElement | None = None
) -> Step:
    """A body, ready to be solved with some variables bound; ``first`` is solved before all others.

    ``ranged`` is the variable of the head's time if only a range for it is given.
    """
    turns = []
    for element in _arranged(elements, bound, ranged, first):
        turns.append((element, bound))
        bound |= element.binds(bound)
    step: Step = _solved
    for element, known in reversed(turns):
        step = explainer_of(element).step(element, known, ranged, step)
    return step


def _solved(world: object, binding: Binding, emit: Emit) -> bool:
    return emit(binding)


def _arranged(
    elements: Sequence[BodyElement], bound: frozenset[str], ranged: str | None, first: BodyElement | None
) -> list[BodyElement]:
    """An order in which every element is ready and the most selective elements come early."""
    rest, order = list(elements), []
    while rest:
        ready = [element for element in rest if element.is_ready(bound)]
        element = first if first is not None else min(ready, key=lambda e: explainer_of(e).cost(e, bound, ranged))
        first = None
        rest = [other for other in rest if other is not element]
        order.append(element)
        bound |= element.binds(bound)
    return order


def emit_head(query: RuleQuery, given: Given, found: dict[TimedAtom, None], now: int) -> Emit:
    """Called with each solution of a body: builds the head, and keeps it if it matches what is needed.

    If only one atom at one time can match, the first solution is enough.
    """
    positions, values, low, high = given
    name, args, time_of = query.rule.predicate.name, query.args, query.time
    places = dict(zip(positions, values, strict=True))
    bare = Atom.of((name,))
    only_one = len(positions) == len(args) and low == high
    computed = [place for place, term in enumerate(query.rule.args, 1) if isinstance(term, tree.Arithmetic)]

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


def in_order(atoms: Collection[Atom]) -> list[Atom]:
    """Sorted atoms. Comparing atoms directly would compute both sort keys for each pair."""
    return sorted(atoms, key=lambda atom: (atom[0], len(atom), *map(value_order, atom[1:])))
