"""Finds since when an atom has held, and until when it will hold if nothing arrives.

A proof is valid for a range of times: as long as its facts stay in their windows, and what it did not find stays absent. So the
search goes from the end of one proof to the next, and looks for a new proof only there. Its work is limited, and it reports if
the limit was reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from math import inf
from operator import and_

from laser.explanation.element import Validity
from laser.explanation.explainers import explainer_of
from laser.explanation.explanation import Evidence
from laser.explanation.prove import Choice, Prover
from laser.explanation.questions import Rules
from laser.explanation.stability import stable_from
from laser.explanation.table import Facts, TimedAtom, all_positions, given_values
from laser.explanation.world import OutOfBudget, World
from laser.values import Atom

__all__ = ["Lasting", "Validities", "lasting"]

BUDGET = 25_000
"""The number of entries that may be examined for each of the two directions."""
MOST_WORLDS = 400
"""The number of times at which a new proof may be searched."""
FEW = 8
"""If an element depends on more atoms than this, their own validity is not examined."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """Since when and until when; None means forever or unknown. If not exact, it is at least that long."""

    since: int | None
    until: int | None
    since_exact: bool = True
    until_exact: bool = True


def lasting(prover: Prover, atom: Atom, by_rule: bool) -> Lasting:
    """How long an atom that holds now lasts; ``by_rule`` if it is derived, and not only a fact or background data."""
    evidence = prover.evidence
    search = _Search(prover.world.rules, prover.world.facts, evidence, atom, by_rule)
    first, last = _valid(prover, (prover.world.time, atom), by_rule)
    since, since_exact = search.follow(first, -1) if evidence.whole else (inf, False)
    until, until_exact = search.follow(last, 1)
    return Lasting(_time(since), _time(until), since_exact, until_exact)


def _time(time: float) -> int | None:
    return None if abs(time) == inf else int(time)


@dataclass(frozen=True, slots=True)
class _Search:
    """The same question at other times."""

    rules: Rules
    facts: Facts
    evidence: Evidence
    atom: Atom
    by_rule: bool

    def follow(self, reached: float, step: int) -> tuple[float, bool]:
        """Go from the end of one proof to the next, until there is none; returns how far, and whether it ends there."""
        start, budget = self.evidence.start, [BUDGET]
        stable = stable_from(self.rules.core, self.facts, start) if step > 0 else inf
        for _ in range(MOST_WORLDS):
            if step < 0 and reached <= start:
                return start, True
            if reached == inf or (step > 0 and reached >= stable):
                return inf, True
            try:
                found = self._ask(int(reached) + step, budget)
            except OutOfBudget:
                return reached, False
            if found is None:
                return reached, True
            reached = found.last if step > 0 else found.first
        return reached, False

    def _ask(self, time: int, budget: list[int]) -> Validity | None:
        """When the proof at another time is valid; None if there is no proof."""
        atom, evidence = self.atom, replace(self.evidence, time=time)
        world = World(self.rules, self.facts, evidence.start, time, budget)
        prover = Prover(world, evidence)
        derived = world.derived(atom.signature, all_positions(atom), given_values(atom[1:]), time, time)
        if not derived and (self.by_rule or not prover.is_given((time, atom))):
            return None
        return _valid(prover, (time, atom), self.by_rule)


def _valid(prover: Prover, goal: TimedAtom, by_rule: bool) -> Validity:
    """When a proof of the goal is valid, as a proof of the atom at the time of the evaluation."""
    if not by_rule and prover.is_given(goal):
        return Validity() if goal[1] in prover.world.core.background else Validity(goal[0], goal[0])
    # An atom derived for the present holds at every present; an atom derived for a given time, only at that time.
    valid, rule = Validities(prover).of_goal(goal), prover.choice(goal).instance.rule
    return valid if rule.time is None else Validity(goal[0], goal[0])


class Validities:
    """When the proofs of atoms are valid; parts are computed first."""

    def __init__(self, prover: Prover) -> None:
        self.prover, self.world = prover, prover.world
        self.present = Validity(self.world.time, self.world.time)
        self._known: dict[TimedAtom, Validity] = {}

    def of(self, entry: TimedAtom) -> Validity:
        """When the derivation of an atom that an element depends on is valid: at least now."""
        return self._known.get(entry, self.present)

    def of_goal(self, goal: TimedAtom) -> Validity:
        """When the derivation of the goal is valid; computes all parts first, without recursion."""
        stack = [goal]
        while stack:
            choice = self.prover.choice(stack[-1])
            missing = [entry for entry in self._parts(choice) if entry not in self._known]
            if missing:
                stack += missing
            else:
                self._known[stack.pop()] = self._body(choice)
        return self._known[goal]

    def _parts(self, choice: Choice) -> Iterator[TimedAtom]:
        """The derived atoms whose validity may affect an instance."""
        few = (support for support in choice.supports if len(support.entries) <= FEW)
        return (e for support in few for e in support.entries if not self.prover.is_given(e))

    def _body(self, choice: Choice) -> Validity:
        binding, supports = choice.instance.binding, choice.supports
        valid = (explainer_of(s.element).validity(self, s.element, binding, s.entries) for s in supports)
        return reduce(and_, valid, Validity())
