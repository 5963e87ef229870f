"""How long an atom holds already, and how long it will if nothing arrives.

A proof is valid from a time to a time: as long as its facts stay in their windows, and what it did not find stays away. So the
search goes from the end of one proof to the next, and asks anew only there. It is given so much work to do, and says if that
was not enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

from laser.explanation.ground import Ground
from laser.explanation.prove import Choice, Pick, Prover
from laser.explanation.questions import Rules
from laser.explanation.solve import Shape
from laser.explanation.stability import only_fades, steady_from
from laser.explanation.table import Entry, Facts
from laser.explanation.world import OutOfBudget, World, key_values
from laser.rules.body import ALWAYS, NOW, At, Comparison, ExtendedAtom, Now, Sometime
from laser.values import Atom, Value
from laser.windows import Sliding, TimeWindow

__all__ = ["Lasting", "lasting"]

BUDGET = 25_000
"""Entries that may be looked at for one of the two directions."""
MOST_WORLDS = 400
"""Times at which the question may be asked anew."""

Span = tuple[float, float]
"""The evaluation times from which and up to which something is valid, the present among them."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """Since when and until when; None is for ever, or not known. Not exact: at least so long."""

    since: int | None
    until: int | None
    since_exact: bool = True
    until_exact: bool = True


def lasting(prover: Prover, atom: Atom, by_rule: bool) -> Lasting:
    """How long an atom holds that holds now; ``by_rule`` where it is derived, and not only a fact or background data."""
    world, ground = prover.world, prover.ground
    first, last = _valid(prover, (world.time, atom), by_rule)
    since, since_exact = _follow(ground, world, atom, by_rule, first, -1) if ground.whole else (inf, False)
    until, until_exact = _follow(ground, world, atom, by_rule, last, 1)
    return Lasting(_time(since), _time(until), since_exact, until_exact)


def _time(time: float) -> int | None:
    return None if abs(time) == inf else int(time)


def _follow(ground: Ground, world: World, atom: Atom, by_rule: bool, reached: float, step: int) -> tuple[float, bool]:
    """From the end of one proof to the next, until there is none; how far that is, and whether it ends there."""
    budget = [BUDGET]
    steady = steady_from(world.rules, world.facts, ground.start) if step > 0 else inf
    for _ in range(MOST_WORLDS):
        if reached <= ground.start and step < 0:
            return ground.start, True
        if reached == inf or (step > 0 and reached >= steady):
            return inf, True
        time = int(reached) + step
        try:
            found = _ask(world.rules, world.facts, ground, time, atom, by_rule, budget, step)
        except OutOfBudget:
            return reached, False
        if found is None:
            return reached, True
        reached = found
    return reached, False


def _ask(
    rules: Rules, facts: Facts, ground: Ground, time: int, atom: Atom, by_rule: bool, budget: list[int], step: int
) -> float | None:
    """How far the proof at another time reaches; None where there is none."""
    there = Ground(ground.core, ground.history, ground.start, time)
    world = World(rules, facts, ground.start, time, budget)
    prover = Prover(world, there)
    key = tuple(range(1, len(atom)))
    derived = bool(world.derived(atom.signature, key, key_values(atom), time, time))
    if not derived and (by_rule or not prover.is_given((time, atom))):
        return None
    return _valid(prover, (time, atom), by_rule)[step > 0]


# -- how long one proof is valid


def _valid(prover: Prover, goal: Entry, by_rule: bool) -> Span:
    """When a proof of the goal is valid, as a proof of the atom at the time of the evaluation."""
    if not by_rule and prover.is_given(goal):
        return (-inf, inf) if goal[1] in prover.world.core.background else (goal[0], goal[0])
    return _moving(prover, goal, _Spans(prover).of(goal))


def _moving(prover: Prover, entry: Entry, span: Span) -> Span:
    """An atom derived for the present is there at every present; one with a time of its own, only at that time."""
    rule = prover.choice(entry).instance.rule
    return span if rule.time is None else (entry[0], entry[0])


class _Spans:
    """When the proofs of entries are valid, parts first."""

    def __init__(self, prover: Prover) -> None:
        self.prover, self.world = prover, prover.world
        self.now = self.world.time
        self.known: dict[Entry, Span] = {}

    def of(self, goal: Entry) -> Span:
        """When the derivation of an entry is valid."""
        stack = [goal]
        while stack:
            choice = self.prover.choice(stack[-1])
            missing = [e for e in self._derived(choice) if e not in self.known]
            if missing:
                stack += missing
            else:
                self.known[stack.pop()] = self._body(choice)
        return self.known[goal]

    def _derived(self, choice: Choice) -> Iterator[Entry]:
        """The derived atoms on whose validity an instance depends."""
        single = (pick.entries[0] for pick in choice.picks if len(pick.entries) == 1)
        return (entry for entry in single if not self.prover.is_given(entry))

    def _body(self, choice: Choice) -> Span:
        instance = choice.instance
        picks = {id(pick.element): pick for pick in choice.picks}
        spans = [self._element(e, instance.binding, picks.get(id(e))) for e in instance.rule.body]
        return max((first for first, _ in spans), default=-inf), min((last for _, last in spans), default=inf)

    def _element(self, element: ExtendedAtom | Comparison, binding: dict[str, Value], pick: Pick | None) -> Span:
        if isinstance(element, Comparison):
            return (-inf, inf)
        if pick is not None:
            return self._found(pick)
        shape = Shape(element, frozenset(binding), None)
        values = shape.values(binding)
        if element.negated and element.negated_inside:
            return (self.now, self.now)
        if element.predicate in self.world.rules.by_predicate:
            fades = element.negated and only_fades(self.world.rules, element)
            return (self.now, inf if fades else self.now)
        if self.world.background(element.predicate, shape.key, values):
            return (self.now, self.now)
        return self._absent(element, binding) if element.negated_inside else self._not_found(element, shape, values)

    def _found(self, pick: Pick) -> Span:
        element, (time, atom) = pick.element, pick.entries[0]
        if atom in self.world.core.background:
            return self._stays(element, time) if isinstance(element.modality, At) else (-inf, inf)
        if element.modality == ALWAYS:
            return (self._run_began(element, atom), self.now)
        if self.prover.is_given((time, atom)):
            return (self.now, self.now) if element.modality == NOW else self._stays(element, time)
        span = self.known[time, atom]
        if self.prover.choice((time, atom)).instance.rule.time is None:
            # It is there at every present, so that only a question for its time notices how time goes on.
            return (self.now, self.now) if isinstance(element.modality, At) else span
        stays = (self.now, self.now) if element.modality == NOW else self._stays(element, time)
        return max(span[0], stays[0]), min(span[1], stays[1])

    def _run_began(self, element: ExtendedAtom, atom: Atom) -> float:
        """Since when an atom is at every time point of a time window, if it is only ever a fact."""
        window = element.window
        if not isinstance(window, Sliding) or element.predicate in self.world.rules.by_predicate:
            return self.now
        first, start = self.world.bounds(window)[0], self.world.start
        key = tuple(range(1, len(atom)))
        facts = self.world.facts.table(element.predicate, start).find(key, key_values(atom), start, first - 1)
        for time, _ in facts:
            if time != first - 1:
                break
            first = time
        return start if first == start else window.exit(first)

    def _stays(self, element: ExtendedAtom, time: int) -> Span:
        """When what is at a time is in a window, if nothing arrives."""
        window = element.window
        if not isinstance(window, TimeWindow):
            return (time, inf)
        last = window.exit(time)
        return window.entry(time), inf if last is None else last

    def _absent(self, element: ExtendedAtom, binding: dict[str, Value]) -> Span:
        assert element.time is not None
        time = next(iter(_time_of(element, binding)), None)
        if time is None or not isinstance(element.window, Sliding):
            return (self.now, self.now)
        return self._stays(element, time)

    def _not_found(self, element: ExtendedAtom, shape: Shape, values: object) -> Span:
        """Facts that are not there do not come; when they last were there tells since when they are not."""
        window = element.window
        if not isinstance(element.modality, Now | Sometime) or not isinstance(window, Sliding):
            return (self.now, inf)
        before = window.arrived(self.now) - 1
        table = self.world.facts.table(element.predicate, self.world.start)
        found = table.find(shape.key, values, self.world.start, before)
        return (window.exit(found[0][0]) + 1 if found else -inf), inf


def _time_of(element: ExtendedAtom, binding: dict[str, Value]) -> Iterator[int]:
    from laser.explanation.solve import term_value

    assert element.time is not None
    value: Callable[[dict[str, Value]], Value | None] = term_value(element.time)
    try:
        time = value(binding)
    except KeyError:
        return
    if type(time) is int:
        yield time
