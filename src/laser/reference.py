"""The executable definition: sections 3, 8, 9 and 10 of the specification, word for word.

It is slow and short, so that people can check it against that text. Every faster implementation is tested against it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from statistics import stdev
from typing import TypeAlias, assert_never

from laser.rules.body import Aggregate, Always, At, AtLeast, BodyElement, Comparison, ExtendedAtom, Now, Sometime
from laser.rules.dependencies import strata
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Atom, Value
from laser.values.facts import FactInput, to_atoms
from laser.values.fold import Fold
from laser.values.number import number
from laser.values.operations import HUGE, apply, compare
from laser.windows import (
    Ago,
    Between,
    Growing,
    History,
    Hopping,
    LastFacts,
    LastOf,
    Sliding,
    Tumbling,
    TupleWindow,
    Window,
)

__all__ = ["answer", "answer_stream", "counted_facts", "derive", "output", "record", "window_points"]

Stream: TypeAlias = Sequence[tuple[int, Atom]]
"""The data stream: facts with their time points, in arrival order, without duplicates."""

Binding: TypeAlias = dict[str, Value]
Snapshot: TypeAlias = dict[int, set[Atom]]
"""Time points with the atoms that hold there."""


def answer_stream(
    core: ResolvedProgram,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    start: int | None = None,
    until: int | None = None,
) -> Iterator[tuple[int, frozenset[Atom]]]:
    """The output stream: the output at every time point of the timeline."""
    history: list[tuple[int, Atom]] = []
    times = []
    for time, facts in stream:
        times.append(time)
        history += dict.fromkeys((time, atom) for atom in to_atoms(facts) if (time, atom) not in history)
    if start is None and not times:
        return
    first = times[0] if start is None else start
    last = max([first, *times]) if until is None else until
    records: list[tuple[int, Atom]] = []
    for t in range(first, last + 1):
        there = derive(core, [(u, a) for u, a in history if u <= t], records, first, t)
        yield t, output(core, there, first, t)
        records += ((t, a) for a in there if a.signature in core.recorded)


def answer(core: ResolvedProgram, history: Stream, t0: int, t: int) -> frozenset[Atom]:
    """The output at t: the derived atoms in v(t), once the warm-up is over."""
    return output(core, derive(core, history, record(core, history, t0, t), t0, t), t0, t)


def output(core: ResolvedProgram, derived: Iterable[Atom], t0: int, t: int) -> frozenset[Atom]:
    """The derived atoms that are shown; none before the warm-up is over."""
    return frozenset(a for a in derived if core.shows(a.signature) and t >= t0 + core.warmup)


def record(core: ResolvedProgram, history: Stream, t0: int, t: int) -> Stream:
    """What has been recorded by t: for each earlier time point, what was derived when it was the present."""
    records: list[tuple[int, Atom]] = []
    for u in range(t0, t) if core.recorded else ():
        there = derive(core, [(w, a) for w, a in history if w <= u], records, t0, u)
        records += ((u, a) for a in there if a.signature in core.recorded)
    return records


def derive(core: ResolvedProgram, history: Stream, records: Stream, t0: int, t: int) -> frozenset[Atom]:
    """The derived atoms in v(t). Recorded atoms are part of v from the beginning, as facts are."""
    v: Snapshot = {u: set() for u in range(t0, t + 1)}
    for u, atom in (*history, *records):
        v[u].add(atom)
    derived: set[tuple[int, Atom]] = set()
    for stratum in strata(core):
        rules = [rule for rule in core.rules if rule.predicate in stratum]
        evaluation = Evaluation(core, history, v, t0, t)
        while new := {fact for rule in rules for fact in evaluation.apply(rule)} - derived:
            derived |= new
            for u, atom in new:
                v[u].add(atom)
    return frozenset(a for u, a in derived if u == t)


class Evaluation:
    """The meaning of rules and bodies at t, in the stream v over [t0, t]."""

    def __init__(self, core: ResolvedProgram, history: Stream, v: Snapshot, t0: int, t: int) -> None:
        self.core, self.history, self.v, self.t0, self.t = core, history, v, t0, t

    def apply(self, rule: Rule) -> Iterator[tuple[int, Atom]]:
        """Head ``a``: a joins v(t). Head ``@u a``: a joins v(u), if u ∈ [t0, t]."""
        for binding in self.body(rule.body, {}):
            args = [evaluate(term, binding) for term in rule.args]
            u = self.t if rule.time is None else evaluate(rule.time, binding)
            if None not in args and type(u) is int and self.t0 <= u <= self.t:
                yield u, Atom.of((rule.predicate.name, *args))

    def body(self, elements: Sequence[BodyElement], binding: Binding) -> Iterator[Binding]:
        """All ways to make the elements true; each element is evaluated when the variables that it needs are bound."""
        if not elements:
            yield binding
            return
        element = next(e for e in elements if is_ready(e, binding))
        rest = [e for e in elements if e is not element]
        for extended in self.element(element, binding):
            yield from self.body(rest, extended)

    def element(self, element: BodyElement, binding: Binding) -> Iterator[Binding]:
        if isinstance(element, Comparison):
            yield from satisfy(element, binding)
        elif isinstance(element, Aggregate):
            yield from self.aggregate(element, binding)
        elif not element.negated:
            yield from self.holds(element, binding)
        elif not any(True for _ in self.holds(element, binding)):
            yield binding

    def aggregate(self, aggregate: Aggregate, binding: Binding) -> Iterator[Binding]:
        """Each group with the value of its set of tuples; the set is empty only if atoms outside bind the groups."""
        groups = [variable.name for variable in aggregate.groups]
        known = {name: binding[name] for name in groups if name in binding}
        sets: dict[tuple[Value, ...], set[tuple[Value, ...]]] = {}
        for way in self.body(aggregate.body, known):
            values = [evaluate(term, way) for term in aggregate.folded]
            if None not in values:
                sets.setdefault(tuple(way[name] for name in groups), set()).add(
                    tuple(v for v in values if v is not None)
                )
        if aggregate.may_be_empty:
            sets.setdefault(tuple(binding[name] for name in groups), set())
        for group, tuples in sets.items():
            value = fold(aggregate.fold, [first for first, *_ in tuples], aggregate.level)
            if value is not None:
                yield from matches(aggregate.result, value, binding | dict(zip(groups, group, strict=True)))

    def holds(self, atom: ExtendedAtom, binding: Binding) -> Iterator[Binding]:
        """The bindings under which an extended atom (without its ``negated``) holds at t."""
        for keyed in self.keyed(atom, binding):
            yield from self.holds_in(self.window(atom, keyed), atom, keyed)

    def holds_in(self, points: Snapshot, atom: ExtendedAtom, binding: Binding) -> Iterator[Binding]:
        """The same in a window whose keys are bound."""
        match atom.modality:
            case Now():
                yield from match_any(atom, self.at(points, self.t), binding)
            case Sometime():
                for u in points:
                    yield from match_any(atom, self.at(points, u), binding)
            case Always():
                if points:
                    yield from match_any(atom, set.intersection(*(self.at(points, u) for u in points)), binding)
            case AtLeast(times=n):
                there = [a for u in points for a in self.at(points, u)]
                yield from match_any(atom, {a for a in there if there.count(a) >= n}, binding)
            case At(time=time):
                for u in points:
                    for timed in matches(time, u, binding):
                        found = list(match_any(atom, self.at(points, u), timed))
                        yield from found if not atom.negated_inside else [] if found else [timed]
            case _:
                assert_never(atom.modality)

    def at(self, points: Snapshot, u: int) -> set[Atom]:
        """What holds at u: the atoms at u, and background data, which hold everywhere."""
        return points[u] | self.core.background

    def keyed(self, atom: ExtendedAtom, binding: Binding) -> Iterator[Binding]:
        """The binding with values for the keys of the window: each key is a separate stream, evaluated alone."""
        terms = key_terms(atom)
        if all(name in binding for term in terms for name in variables(term)):
            yield binding
            return
        there = {a for _, a in self.history}.union(self.core.background)
        keys = {key_of(atom.window, a) for a in there if a.signature == atom.predicate}
        for key in keys:
            yield from match_all(terms, key, binding)

    def window(self, atom: ExtendedAtom, binding: Binding) -> Snapshot:
        """The time points of a window with what holds there; for a tuple window, only the facts that it counts."""
        window = atom.window
        if not isinstance(window, TupleWindow):
            return {u: self.v[u] for u in window_points(window, self.history, self.t0, self.t)}
        counted = counted_facts(window, self.history, tuple(evaluate(term, binding) for term in key_terms(atom)))
        last = counted[-window.size :]
        return {u: {a for w, a in last if w == u} for u in window_points(window, counted, self.t0, self.t)}


def counted_facts(window: LastFacts | LastOf, history: Stream, key: Sequence[Value | None]) -> Stream:
    """The part of the stream that a tuple window counts: all facts, or the facts of a predicate with a given key."""
    match window:
        case LastFacts():
            return history
        case LastOf(predicate=predicate):
            return [(u, a) for u, a in history if a.signature == predicate and key_of(window, a) == key]
        case _:
            assert_never(window)


def key_terms(atom: ExtendedAtom) -> list[tree.Term]:
    """The arguments that form the key of the window of an atom."""
    return [atom.args[place] for place in atom.window.per] if isinstance(atom.window, LastOf) else []


def key_of(window: Window, atom: Atom) -> tuple[Value, ...]:
    """The key of an atom for a window."""
    return tuple(atom.args[place] for place in window.per) if isinstance(window, LastOf) else ()


def window_points(window: Window, history: Stream, t0: int, t: int) -> range:
    """The time points of a window at t, on the timeline [t0, t]; for a tuple window, ``history`` is what it counts."""
    match window:
        case History():
            return range(t0, t + 1)
        case Sliding(ticks=n):
            return range(max(t0, t - n), t + 1)
        case Hopping(ticks=n):
            return range(max(t0, block_begin(window, t) - n), block_begin(window, t) + 1)
        case Tumbling():
            return range(max(t0, block_begin(window, block_begin(window, t) - 1)), block_begin(window, t))
        case Growing():
            return range(max(t0, block_begin(window, t)), t + 1)
        case Between(near=a, far=b):
            return range(max(t0, t - b), t - a + 1)
        case Ago(ticks=a):
            return range(max(t0, t - a), t - a + 1)
        case LastFacts(size=n) | LastOf(size=n):
            return range(history[-n][0] if len(history) >= n else t0, t + 1)
        case _:
            assert_never(window)


def block_begin(window: Hopping | Tumbling | Growing, t: int) -> int:
    """The start of the block of t: a multiple of d, or midnight if blocks are whole days of a zone."""
    return t // window.step * window.step if window.days is None else window.days.begin(t)


def fold(function: Fold, values: Sequence[Value], level: Fraction | None) -> Value | None:
    """The value of an aggregate, given one value per tuple of the set; None if it is not defined."""
    numbers = [Fraction(value) for value in values if isinstance(value, int | float)]
    exact = all(isinstance(value, int) for value in values)
    defined = bool(values) and len(numbers) == len(values)
    match function:
        case Fold.COUNT:
            return len(values)
        case Fold.SUM:
            return rounded(sum(numbers, Fraction(0)), exact) if len(numbers) == len(values) else None
        case Fold.AVG:
            return rounded(sum(numbers, Fraction(0)) / len(numbers), exact) if defined else None
        case Fold.MIN:
            return extreme("<=", values)
        case Fold.MAX:
            return extreme(">=", values)
        case Fold.MEDIAN:
            return between(numbers, Fraction(1, 2)) if defined else None
        case Fold.QUANTILE:
            assert level is not None
            return between(numbers, level) if defined else None
        case Fold.STDEV:
            return deviation(numbers) if defined and len(values) > 1 else None
        case _:
            assert_never(function)


def rounded(exact: Fraction, integers: bool) -> Value | None:
    """A whole result stays an integer if it came from integers; everything else becomes the nearest double."""
    try:
        value = exact.numerator if integers and exact.denominator == 1 else number(float(exact))
    except OverflowError:
        return None
    return value if abs(value) < HUGE else None


def extreme(symbol: str, values: Sequence[Value]) -> Value | None:
    """The smallest or largest value, if the values can be ordered."""
    return next((value for value in values if all(compare(symbol, value, other) for other in values)), None)


def between(numbers: Sequence[Fraction], level: Fraction) -> Value | None:
    """The quantile of a level, linear between neighbours; the neighbours decide if the result came from integers."""
    ordered, place = sorted(numbers), level * (len(numbers) - 1)
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return rounded(low + (high - low) * (place - math.floor(place)), low.denominator == high.denominator == 1)


def deviation(numbers: Sequence[Fraction]) -> Value | None:
    """The standard deviation of a sample: the square root of the exact variance, rounded once."""
    try:
        return number(float(stdev(numbers)))
    except OverflowError:
        return None


def satisfy(test: Comparison, binding: Binding) -> Iterator[Binding]:
    """A comparison filters; ``=`` with an unbound variable on one side assigns."""
    if test.operator == "=":
        for variable, other in ((test.left, test.right), (test.right, test.left)):
            if isinstance(variable, tree.Variable) and variable.name not in binding:
                value = evaluate(other, binding)
                if value is not None:
                    yield binding | {variable.name: value}
                return
    left, right = evaluate(test.left, binding), evaluate(test.right, binding)
    if left is not None and right is not None and compare(test.operator, left, right):
        yield binding


def match_any(atom: ExtendedAtom, candidates: Iterable[Atom], binding: Binding) -> Iterator[Binding]:
    for candidate in candidates:
        if candidate.signature == atom.predicate:
            yield from match_all(atom.args, candidate.args, binding)


def match_all(terms: Sequence[tree.Term], values: Sequence[Value], binding: Binding) -> Iterator[Binding]:
    if not terms:
        yield binding
        return
    for extended in matches(terms[0], values[0], binding):
        yield from match_all(terms[1:], values[1:], extended)


def matches(term: tree.Term, value: Value, binding: Binding) -> Iterator[Binding]:
    """A term matches a value if it is unbound, or equal to it."""
    if isinstance(term, tree.Variable) and term.name not in binding:
        yield binding | {term.name: value}
    elif evaluate(term, binding) == value:
        yield binding


def evaluate(term: tree.Term, binding: Binding) -> Value | None:
    """The value of a term whose variables are bound; None if arithmetic is not defined."""
    match term:
        case tree.Variable(name=name):
            return binding[name]
        case tree.Constant(value=value):
            return value
        case tree.Arithmetic(operator=operator, operands=operands):
            values = [evaluate(operand, binding) for operand in operands]
            return apply(operator, *(v for v in values if v is not None)) if None not in values else None
        case _:
            raise AssertionError(f"{term} is resolved before evaluation")


def is_ready(element: BodyElement, binding: Binding) -> bool:
    """Whether an element can be evaluated: all variables that it does not bind itself are bound."""
    if isinstance(element, Aggregate):
        return all(name in binding for name in element.given)
    if isinstance(element, Comparison):
        free = [variables(side) - binding.keys() for side in (element.left, element.right)]
        assigns = element.operator == "=" and any(
            isinstance(side, tree.Variable) and not other
            for side, other in ((element.left, free[1]), (element.right, free[0]))
        )
        return assigns or not any(free)
    times = () if element.time is None else (element.time,)
    binding_terms = () if element.negated else times if element.negated_inside else (*element.args, *times)
    binds = {term.name for term in binding_terms if isinstance(term, tree.Variable)}
    if element.negated_inside:  # the arguments of ⊞ @T ¬a must be bound elsewhere, also where T is one of them
        binds -= {name for term in element.args for name in variables(term)}
    needs = {name for term in (*element.args, *times) for name in variables(term)} - binds
    return all(name in binding or tree.Variable(name).is_anonymous for name in needs)


def variables(term: tree.Term) -> set[str]:
    """The names of the variables of a term."""
    match term:
        case tree.Variable(name=name):
            return {name}
        case tree.Arithmetic(operands=operands):
            return set().union(*map(variables, operands))
        case _:
            return set()
