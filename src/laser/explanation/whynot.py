"""Explains why an atom does not hold: for each rule that could derive it, the first part of its body that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from laser.explanation.aggregates import shortfall
from laser.explanation.element import Asked, Binding, NearMiss
from laser.explanation.explainers import explainer_of
from laser.explanation.explanation import Failure, Premise
from laser.explanation.near_misses import atom_near_miss, unknown
from laser.explanation.pattern import Pattern
from laser.explanation.prove import Prover
from laser.explanation.questions import RuleQuery, solver, steps
from laser.explanation.words import element_text, place_of, rule_text, visible
from laser.rules.body import BodyElement, Comparison, ExtendedAtom
from laser.rules.rule import Rule
from laser.values import Atom, Value, write_value

__all__ = ["why_not"]

MOST_NESTED = 5
"""The depth to which missing atoms are explained."""
MOST_RULES = 8
"""The number of rules that are tried for a missing atom below the first level."""


def why_not(prover: Prover, pattern: Pattern, shown: Atom | Pattern) -> tuple[Failure, ...]:
    """Why no atom that matches a pattern holds now."""
    now = prover.world.time
    return _failures(prover, (pattern, now, now), shown, ())


def _failures(prover: Prover, asked: Asked, shown: Atom | Pattern, way: tuple[Asked, ...]) -> tuple[Failure, ...]:
    pattern, low, high = asked
    world = prover.world
    found = []
    for rule in world.core.rules_of(pattern.signature):
        if rule.time is None and not low <= world.time <= high:
            continue
        query = world.rules.query(rule, pattern.positions, low == high)
        begin = solver(query, pattern.positions, pattern.values, low, high)
        if begin is not None:
            attempt = _Attempt(prover, query, begin, asked, shown, way)
            found.append(attempt.failure())
        if way and len(found) >= MOST_RULES:
            break
    return tuple(found) or (_no_rule(prover, asked, shown, way),)


def _no_rule(prover: Prover, asked: Asked, shown: Atom | Pattern, way: tuple[Asked, ...]) -> Failure:
    """The failure if no rule could derive the atom."""
    pattern, low, high = asked
    world, when = prover.world, f"at {high}" if low == high else f"in [{low}, {high}]"
    if pattern.signature in world.core.derived:
        late = pattern.signature in world.rules.untimed and not low <= world.time <= high
        if late and pattern.signature in world.core.recorded:
            return Failure(shown, high, f"{pattern} was not derived {when}, so it was not recorded", first=low)
        why = f"rules derive it only for the present, {world.time}" if late else "no head matches it"
        return Failure(shown, high, f"no rule derives {pattern} {when}: {why}", first=low)
    element = ExtendedAtom(pattern.signature, pattern.terms)
    found = atom_near_miss(prover, element, {}) if low == high == world.time else NearMiss(f"no {pattern} {when}")
    missing = unknown(prover, pattern.signature)
    reason = found.reason if missing else f"{found.reason}, and no rule derives it"
    return Failure(shown, high, reason, nearest=missing or found.nearest, first=low)


@dataclass
class _Attempt:
    """A rule, and the head that it should derive."""

    prover: Prover
    query: RuleQuery
    begin: Binding
    asked: Asked
    shown: Atom | Pattern
    way: tuple[Asked, ...]

    @property
    def rule(self) -> Rule:
        return self.query.rule

    @property
    def bound(self) -> frozenset[str]:
        return frozenset(name for name in self.begin if isinstance(name, str))

    def failure(self) -> Failure:
        """The first part that fails, after the best attempt at the parts before it."""
        order = self._order()
        reached = 0
        while reached < len(order) and self._solve(order[: reached + 1], lambda binding: True):
            reached += 1
        if reached == len(order):
            return self._head_fails(order)
        element = order[reached]
        explainer = explainer_of(element)
        attempts = self._attempts(order[:reached], explainer.attempts)
        found = [(explainer.near_miss(self.prover, element, binding), binding) for binding in attempts]
        best, binding = max(found, key=lambda pair: pair[0].closeness)
        return self._failure(order[:reached], element, best, binding)

    def _order(self) -> list[BodyElement]:
        """The order of the source text, except that a part waits until it is ready."""
        rest, order, bound = list(self.rule.body), list[BodyElement](), self.bound
        while rest:
            element = next(e for e in rest if e.is_ready(bound))
            rest = [other for other in rest if other is not element]
            order.append(element)
            bound |= element.binds(bound)
        return order

    def _solve(self, elements: Sequence[BodyElement], emit: Callable[[Binding], bool]) -> bool:
        step = steps(elements, self.bound, self.query.ranged)
        return step(self.prover.world, dict(self.begin), emit)

    def _attempts(self, elements: Sequence[BodyElement], most: int) -> list[dict[str, Value]]:
        found: dict[Any, dict[str, Value]] = {}

        def emit(binding: Binding) -> bool:
            kept = {name: binding[name] for name in self.query.names if name in binding}
            found[tuple(kept.items())] = kept
            return len(found) >= most

        self._solve(elements, emit)
        return list(found.values())

    def _failure(
        self, before: Sequence[BodyElement], element: BodyElement, found: NearMiss, binding: dict[str, Value]
    ) -> Failure:
        known = self._named(before, binding)
        return Failure(
            atom=self.shown,
            time=self.asked[2],
            reason=self._shortfall(element, known) or self._reason(found, before, known),
            rule=rule_text(self.prover.evidence.core, self.rule),
            element=element_text(self.rule, element),
            bindings=visible(self.rule, known),
            window=found.window,
            nearest=found.nearest,
            satisfied=self._satisfied(before, known),
            because=found.because,
            failures=self._below(found),
            place=place_of(self.rule, element),
            first=self.asked[1],
        )

    def _named(self, before: Sequence[BodyElement], binding: dict[str, Value]) -> dict[str, Value]:
        """The values of the attempt, without values that later parts left in the binding."""
        names = self.bound
        for element in before:
            names |= element.binds(names)
        return {name: value for name, value in binding.items() if name in names}

    def _satisfied(self, before: Sequence[BodyElement], binding: dict[str, Value]) -> tuple[Premise, ...]:
        """The parts of the body that hold, in the order of the source text."""
        done = [e for e in self.rule.body if e.origin is not None and any(e is other for other in before)]
        supports = (self.prover.support(element, binding) for element in done)
        return tuple(self.prover.premise(self.rule, support, binding) for support in supports)

    def _shortfall(self, element: BodyElement, binding: dict[str, Value]) -> str | None:
        """What a failing comparison with a count lacks."""
        if not isinstance(element, Comparison):
            return None
        counts = (each for each in self.rule.aggregates if each.result in element.terms)
        return next((text for each in counts if (text := shortfall(self.prover, each, element, binding))), None)

    def _reason(self, found: NearMiss, before: Sequence[BodyElement], binding: dict[str, Value]) -> str:
        """Why it fails, and the source of the values that make it fail."""
        for element in reversed(before if found.concerns else ()):
            if found.concerns & element.binds(frozenset()):
                entries = self.prover.support(element, binding).entries
                if entries:
                    time, atom = entries[-1]
                    where = "" if atom in self.prover.world.core.background else f" at {time}"
                    return f"{atom} holds{where}, but {found.reason}"
        return found.reason

    def _below(self, found: NearMiss) -> tuple[Failure, ...]:
        """Why a missing atom is not derived."""
        way = (*self.way, self.asked)
        if found.asked is None or found.asked in way or len(way) > MOST_NESTED:
            return ()
        pattern = found.asked[0]
        derived = pattern.signature in self.prover.world.core.derived
        return _failures(self.prover, found.asked, pattern, way) if derived else ()

    def _head_fails(self, order: Sequence[BodyElement]) -> Failure:
        """The body holds, but the head is not the atom of the question."""
        binding = self._attempts(order, 1)[0]
        pattern, low, high = self.asked
        args = [arg(binding) for arg in self.query.args]
        time = self.prover.world.time if self.query.time is None else self.query.time(binding)
        when = f"at {high}" if low == high else f"in [{low}, {high}]"
        if None in args or time is None:
            reason = "the head has no value"
        else:
            atom = Atom.of((self.rule.predicate.name, *args))
            at = "" if self.query.time is None else f" at {write_value(time)}"
            reason = f"it derives {atom}{at}, not {pattern} {when}"
        return Failure(
            self.shown,
            high,
            reason,
            rule_text(self.prover.evidence.core, self.rule),
            bindings=visible(self.rule, self._named(order, binding)),
            satisfied=self._satisfied(order, self._named(order, binding)),
            first=low,
        )
