"""Why not: for each rule that could derive an atom, the first part of its body that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from laser.explanation.explanation import Failure, Premise
from laser.explanation.near_misses import Lack, lack, unknown
from laser.explanation.pattern import Pattern
from laser.explanation.premises import premise
from laser.explanation.prove import EAGER, LazyProofs, Prover
from laser.explanation.questions import Question, arrange, solver
from laser.explanation.solve import Binding, binds, chain, is_ready, variables
from laser.explanation.words import element_text, extent, place_of, rule_text, visible
from laser.rules.body import BodyElement, Comparison, ExtendedAtom
from laser.rules.rule import Rule
from laser.syntax import tree
from laser.values import Atom, Value, write_value

__all__ = ["why_not"]

MOST_NESTED = 5
"""How far down missing atoms are followed."""
MOST_RULES = 8
"""How many rules are gone through for an atom further down."""
MOST_ATTEMPTS = 40
MOST_VALUES = 2000
"""Attempts among which the best is chosen: at atoms, and at comparisons, which cost less."""

Asked = tuple[Pattern, int, int]
"""An atom, at some time from a first to a last."""


def why_not(prover: Prover, pattern: Pattern, shown: Atom | Pattern) -> tuple[Failure, ...]:
    """Why nothing that matches a pattern holds now."""
    now = prover.world.time
    return _failures(prover, (pattern, now, now), shown, ())


def _failures(prover: Prover, asked: Asked, shown: Atom | Pattern, way: tuple[Asked, ...]) -> tuple[Failure, ...]:
    pattern, low, high = asked
    world = prover.world
    found = []
    for rule in world.rules.by_predicate.get(pattern.signature, ()):
        if rule.time is None and not low <= world.time <= high:
            continue
        question = world.rules.question(rule, pattern.key, low == high)
        begin = solver(question, pattern.key, pattern.values, low, high)
        if begin is not None:
            attempt = _Attempt(prover, question, begin, asked, shown, way)
            found.append(attempt.failure())
        if way and len(found) >= MOST_RULES:
            break
    return tuple(found) or (_no_rule(prover, asked, shown, way),)


def _no_rule(prover: Prover, asked: Asked, shown: Atom | Pattern, way: tuple[Asked, ...]) -> Failure:
    """Where no rule could derive what was asked for."""
    pattern, low, high = asked
    world, when = prover.world, f"at {high}" if low == high else f"in [{low}, {high}]"
    if pattern.signature in world.core.derived:
        heads = world.rules.by_predicate[pattern.signature]
        late = all(rule.time is None for rule in heads) and not low <= world.time <= high
        why = f"rules derive it only for the present, {world.time}" if late else "no head fits it"
        return Failure(shown, high, f"no rule derives {pattern} {when}: {why}", first=low)
    element = ExtendedAtom(pattern.signature, pattern.terms)
    found = lack(prover, element, {}) if low == high == world.time else Lack(f"no {pattern} {when}")
    missing = unknown(prover, pattern.signature)
    reason = found.reason if missing else f"{found.reason}, and no rule derives it"
    return Failure(shown, high, reason, nearest=missing or found.nearest, first=low)


@dataclass
class _Attempt:
    """A rule with what is asked of it."""

    prover: Prover
    question: Question
    begin: Binding
    asked: Asked
    shown: Atom | Pattern
    way: tuple[Asked, ...]

    @property
    def rule(self) -> Rule:
        return self.question.rule

    @property
    def bound(self) -> frozenset[str]:
        return frozenset(name for name in self.begin if isinstance(name, str))

    def failure(self) -> Failure:
        """The first part that fails, after the best attempt at those before it."""
        order = self._order()
        reached = 0
        while reached < len(order) and self._solve(order[: reached + 1], lambda binding: True):
            reached += 1
        if reached == len(order):
            return self._head_fails(order)
        element = order[reached]
        attempts = self._attempts(order[:reached], MOST_VALUES if isinstance(element, Comparison) else MOST_ATTEMPTS)
        lacks = [(lack(self.prover, element, binding), binding) for binding in attempts]
        best, binding = max(lacks, key=lambda pair: pair[0].closeness)
        return self._failure(order[:reached], element, best, binding)

    def _order(self) -> list[BodyElement]:
        """The user's order, except that a part waits until it is ready."""
        rest, order, bound = list(self.rule.body), list[BodyElement](), self.bound
        while rest:
            element = next(e for e in rest if is_ready(e, bound))
            rest = [other for other in rest if other is not element]
            order.append(element)
            bound |= binds(element, bound)
        return order

    def _solve(self, elements: Sequence[BodyElement], emit: Callable[[Binding], bool]) -> bool:
        ranged = self.question.ranged
        step = chain(arrange(elements, self.bound, ranged), self.bound, ranged)
        return step(self.prover.world, dict(self.begin), emit)

    def _attempts(self, elements: Sequence[BodyElement], most: int) -> list[dict[str, Value]]:
        found: dict[Any, dict[str, Value]] = {}

        def emit(binding: Binding) -> bool:
            kept = {n: v for n, v in binding.items() if isinstance(n, str) and not n.startswith("_#")}
            found[tuple(kept.items())] = kept
            return len(found) >= most

        self._solve(elements, emit)
        return list(found.values())

    def _failure(
        self, before: Sequence[BodyElement], element: BodyElement, found: Lack, binding: dict[str, Value]
    ) -> Failure:
        world, known = self.prover.world, self._named(before, binding)
        satisfied = self._satisfied(before, known)
        return Failure(
            atom=self.shown,
            time=self.asked[2],
            reason=self._reason(element, found, before, known),
            rule=rule_text(self.prover.ground.core, self.rule),
            element=element_text(self.rule, element),
            bindings=visible(self.rule, known),
            window=extent(world, element) if isinstance(element, ExtendedAtom) else None,
            nearest=found.nearest,
            satisfied=satisfied,
            because=found.because,
            failures=self._below(element, found),
            place=place_of(self.rule, element),
            first=self.asked[1],
        )

    def _named(self, before: Sequence[BodyElement], binding: dict[str, Value]) -> dict[str, Value]:
        """The values that the attempt has: what a later part left behind in the binding is not its own."""
        names = self.bound
        for element in before:
            names |= binds(element, names)
        return {name: value for name, value in binding.items() if name in names}

    def _satisfied(self, before: Sequence[BodyElement], binding: dict[str, Value]) -> tuple[Premise, ...]:
        """What holds of the body, in the user's order."""
        done = [e for e in self.rule.body if e.origin is not None and any(e is other for other in before)]
        return tuple(self._premise(element, binding) for element in done)

    def _premise(self, element: BodyElement, binding: dict[str, Value]) -> Premise:
        prover = self.prover
        if isinstance(element, Comparison) or not element.is_positive:
            return premise(prover.world, self.rule, element, binding)
        entries = prover.pick(element, binding).entries
        few = len(entries) <= EAGER
        proofs = tuple(map(prover.prove, entries)) if few else LazyProofs(entries, prover.prove)
        return premise(prover.world, self.rule, element, binding, proofs)

    def _reason(
        self, element: BodyElement, found: Lack, before: Sequence[BodyElement], binding: dict[str, Value]
    ) -> str:
        """For a comparison also where its values come from."""
        if not isinstance(element, Comparison):
            return found.reason
        names = {*variables(element.left), *variables(element.right)}
        atoms = [e for e in before if isinstance(e, ExtendedAtom) and e.is_positive]
        for atom in reversed(atoms):
            if names & {term.name for term in atom.args if isinstance(term, tree.Variable)}:
                time, found_atom = self.prover.pick(atom, binding).entries[-1]
                where = "" if found_atom in self.prover.world.core.background else f" at {time}"
                return f"{found_atom} is there{where}, but {found.reason}"
        return found.reason

    def _below(self, element: BodyElement, found: Lack) -> tuple[Failure, ...]:
        """Why a missing atom is not derived."""
        if found.asked is None or not isinstance(element, ExtendedAtom):
            return ()
        pattern = Pattern(element.predicate.name, found.asked)
        asked = (pattern, *found.span)
        way = (*self.way, self.asked)
        if element.predicate not in self.prover.world.rules.by_predicate or asked in way or len(way) > MOST_NESTED:
            return ()
        return _failures(self.prover, asked, pattern, way)

    def _head_fails(self, order: Sequence[BodyElement]) -> Failure:
        """The body holds, but what follows is not what was asked for."""
        binding = self._attempts(order, 1)[0]
        pattern, low, high = self.asked
        args = [arg(binding) for arg in self.question.args]
        time = self.prover.world.time if self.question.time is None else self.question.time(binding)
        when = f"at {high}" if low == high else f"in [{low}, {high}]"
        if None in args or time is None:
            reason = "the head has no value"
        else:
            atom = Atom.of((self.rule.predicate.name, *args))
            at = "" if self.question.time is None else f" at {write_value(time)}"
            reason = f"it derives {atom}{at}, not {pattern} {when}"
        return Failure(
            self.shown,
            high,
            reason,
            rule_text(self.prover.ground.core, self.rule),
            bindings=visible(self.rule, self._named(order, binding)),
            satisfied=self._satisfied(order, self._named(order, binding)),
            first=low,
        )
