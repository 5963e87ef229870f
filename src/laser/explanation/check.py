"""Checks proofs, independently of how they were found: every step against the definition (specification, section 3).

This file shares no code with the search. The reference confirms that what ``not`` did not find is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never
from weakref import WeakKeyDictionary

from laser.errors import ProofError
from laser.explanation.explanation import Evidence, Premise, Proof, below
from laser.reference import (
    Binding,
    Evaluation,
    Snapshot,
    Stream,
    counted_facts,
    evaluate,
    is_ready,
    key_of,
    match_all,
    record,
    satisfy,
    window_points,
)
from laser.rules.body import Aggregate, Always, At, AtLeast, BodyElement, Comparison, ExtendedAtom, Now, Sometime
from laser.rules.dependencies import strata
from laser.rules.reach import reach
from laser.rules.rule import ResolvedProgram, Rule
from laser.values import Atom, Predicate
from laser.windows import TupleWindow, Window

__all__ = ["check"]


_RECORDS: WeakKeyDictionary[Evidence, frozenset[tuple[int, Atom]]] = WeakKeyDictionary()


def check(proof: Proof) -> None:
    """Verify every step; raises ProofError with the reason for the first wrong step."""
    if proof.evidence is None:
        raise ProofError("the proof has no evidence to check it against")
    checker = Checker(proof.evidence)
    for part in below(proof):
        checker.step(part)


@dataclass(frozen=True, eq=False)
class Checker:
    """The definition, applied to one piece of evidence."""

    evidence: Evidence

    def step(self, proof: Proof) -> None:
        if proof.evidence is not self.evidence:
            raise ProofError(f"{proof.atom} at {proof.time} uses another stream than the rest of the proof")
        if not self.evidence.start <= proof.time <= self.evidence.time:
            raise ProofError(f"{proof.time} is not in the timeline [{self.evidence.start}, {self.evidence.time}]")
        if proof.source == "background":
            demand(proof.atom in self.evidence.core.background, f"{proof.atom} is not background data")
        elif proof.source == "fact":
            demand((proof.time, proof.atom) in self.evidence.facts, f"{proof.atom} is not a fact at {proof.time}")
        elif proof.source == "record":
            demand((proof.time, proof.atom) in self.recorded, f"{proof.atom} was not recorded at {proof.time}")
        else:
            self.rule(proof)
        if proof.source != "rule":
            demand(not proof.premises and proof.rule is None, f"{proof.atom}: data need no premises")

    @cached_property
    def recorded(self) -> frozenset[tuple[int, Atom]]:
        """What the reference recorded; if facts were left out, what the evidence says it recorded, within reach."""
        if not self.evidence.whole:
            return frozenset(_points(self.evidence))
        if self.evidence not in _RECORDS:  # all proofs of an explanation have the same evidence
            evidence = self.evidence
            found = record(evidence.core, evidence.history, evidence.start, evidence.time)
            _RECORDS[evidence] = frozenset(_points(evidence).intersection(found))
        return _RECORDS[self.evidence]

    def rule(self, proof: Proof) -> None:
        """Check that the rule exists, its body holds under the bindings, and its head is the atom at the time."""
        rules = self.evidence.core.rules
        if proof.rule is None or not 0 <= proof.rule.index < len(rules):
            raise ProofError(f"no rule of the program derives {proof.atom}")
        rule = rules[proof.rule.index]
        demand(proof.rule.text == rule.text, f"the program has no rule {proof.rule.text}")
        binding = self.body(rule, proof)
        args = tuple(evaluate(term, binding) for term in rule.args)
        demand((rule.predicate.name, *args) == tuple(proof.atom), f"{rule.text} does not derive {proof.atom}")
        time = self.evidence.time if rule.time is None else evaluate(rule.time, binding)
        demand(time == proof.time, f"{rule.text} derives {proof.atom} for {time}, not for {proof.time}")

    def body(self, rule: Rule, proof: Proof) -> Binding:
        """Check that every part of the body holds; returns the binding with what the parts compute."""
        written = [element for element in rule.body if element.origin is not None]
        demand(len(written) == len(proof.premises), f"{rule.text} has {len(written)} parts, not {len(proof.premises)}")
        by_element = {id(e): premise for e, premise in zip(written, proof.premises, strict=True)}
        binding: Binding = dict(proof.bindings)
        rest = list(rule.body)
        while rest:
            element = next((e for e in rest if is_ready(e, binding)), None)
            if element is None:
                raise ProofError(f"{rule.text}: not all variables have values")
            rest = [other for other in rest if other is not element]
            binding = self.element(element, binding, by_element.get(id(element)), rule)
        return binding

    def element(self, element: BodyElement, binding: Binding, premise: Premise | None, rule: Rule) -> Binding:
        what = f"{rule.text}: {premise.text if premise else 'an argument'}"
        match element:
            case Comparison():
                found = next(satisfy(element, binding), None)
                if found is None:
                    raise ProofError(f"{what} is not true")
                return found
            case ExtendedAtom():
                proofs = premise.proofs if premise else ()
                return self.atom(element, binding, proofs, what)
            case Aggregate():
                return self.aggregate(element, binding, what)
            case _:
                assert_never(element)

    def aggregate(self, element: Aggregate, binding: Binding, what: str) -> Binding:
        """Check the result of an aggregate with the reference, over everything that is derived."""
        evaluation = self.model(*sorted({atom.predicate for atom in element.atoms}))
        found = next(evaluation.aggregate(element, binding), None)
        if found is None:
            raise ProofError(f"{what} does not have this value")
        return found

    def atom(self, atom: ExtendedAtom, binding: Binding, proofs: Sequence[Proof], what: str) -> Binding:
        if atom.is_positive:
            return self.positive(atom, binding, proofs, what)
        demand(not proofs, f"{what} must not have proofs")
        demand(self.negative(atom, binding), f"{what} does not hold")
        return binding

    def positive(self, atom: ExtendedAtom, binding: Binding, proofs: Sequence[Proof], what: str) -> Binding:
        """Check that each proof is for an atom that the element matches, at a time that it allows, in its window."""
        demand(len(proofs) > 0, f"{what} is not proved")
        found = proofs[0].atom
        matched = next(match_all(atom.args, found.args, binding), None) if found.signature == atom.predicate else None
        if matched is None:
            raise ProofError(f"{what} is not about {found}")
        demand(all(p.atom == proofs[0].atom for p in proofs), f"{what} must be about one atom")
        for proof in proofs:
            demand(self.in_window(proof, atom.window), f"{what}: {proof.atom} at {proof.time} is not in the window")
        points = self.points(atom.window, found)
        times = [proof.time for proof in proofs]
        match atom.modality:
            case Now():
                demand(times == [self.evidence.time], f"{what} must hold at {self.evidence.time}")
            case At(time=time):
                demand(len(times) == 1, f"{what} must be about one time point")
                timed = next(match_all([time], times, matched), None)
                if timed is None:
                    raise ProofError(f"{what} is not about {times[0]}")
                return timed
            case Always() if proofs[0].source != "background":
                demand(times == list(points), f"{what} must hold at every time point of the window")
            case AtLeast(times=least):
                enough = len(points) if proofs[0].source == "background" else len(set(times))
                demand(enough >= least, f"{what} needs {least} time points, not {enough}")
            case Always() | Sometime():
                demand(len(times) == 1, f"{what} needs one proof")
            case _:
                assert_never(atom.modality)
        return matched

    def points(self, window: Window, atom: Atom) -> range:
        """The time points of the window of an atom, according to the reference."""
        return window_points(window, self.counted(window, atom), self.evidence.start, self.evidence.time)

    def counted(self, window: Window, atom: Atom) -> Stream:
        """The part of the stream that a tuple window counts."""
        history = self.evidence.history
        return counted_facts(window, history, key_of(window, atom)) if isinstance(window, TupleWindow) else history

    def in_window(self, proof: Proof, window: Window) -> bool:
        """Whether a proved atom is in a window: at one of its time points and, if the window counts facts, among them."""
        if proof.time not in self.points(window, proof.atom):
            return False
        if not isinstance(window, TupleWindow) or proof.source == "background":
            return True
        if proof.source != "fact" or proof.position is None or not 1 <= proof.position <= window.size:
            return False
        counted = self.counted(window, proof.atom)
        return proof.position <= len(counted) and counted[-proof.position] == (proof.time, proof.atom)

    def negative(self, element: ExtendedAtom, binding: Binding) -> bool:
        """Whether the reference, too, does not derive what was not found."""
        evaluation = self.model(element.predicate)
        found = any(True for _ in evaluation.holds(element, binding))
        return found is not element.negated

    def model(self, *predicates: Predicate) -> Evaluation:
        """The stream with everything that rules derive for some predicates and those that they depend on (reference)."""
        if predicates not in self.models:
            self.models[predicates] = model(self.evidence, *predicates)
        return self.models[predicates]

    @cached_property
    def models(self) -> dict[tuple[Predicate, ...], Evaluation]:
        return {}


def model(evidence: Evidence, *predicates: Predicate) -> Evaluation:
    """The answer stream at the time of the question, as far as some predicates depend on it."""
    core = _below(evidence.core, predicates)
    depth, start = reach(evidence.core), evidence.start
    if depth.ticks is not None and not depth.counts_facts:
        # Starting the timeline there gives the same answer (laser.rules.reach) and avoids enumerating a long timeline.
        start = max(start, evidence.time - depth.ticks)
    v: Snapshot = {u: set() for u in range(start, evidence.time + 1)}
    for u, atom in (*evidence.history, *_points(evidence)):
        if u >= start:
            v[u].add(atom)
    evaluation = Evaluation(core, evidence.history, v, start, evidence.time)
    for stratum in strata(core):
        rules = [rule for rule in core.rules if rule.predicate in stratum]
        while new := [(u, a) for rule in rules for u, a in evaluation.apply(rule) if a not in v[u]]:
            for u, atom in new:
                v[u].add(atom)
    return evaluation


def _points(evidence: Evidence) -> set[tuple[int, Atom]]:
    """The atoms that were recorded before the time of the question, with their time points."""
    spells = ((atom, range(since, min(until, evidence.time - 1) + 1)) for atom, since, until in evidence.records)
    return {(u, atom) for atom, points in spells for u in points}


def _below(core: ResolvedProgram, predicates: Sequence[Predicate]) -> ResolvedProgram:
    """The rules that some predicates depend on."""
    needed, rules = set(predicates), list(_rules_of(core, set(predicates)))
    while more := {atom.predicate for rule in rules for atom in rule.atoms} - needed:
        needed |= more
        rules += _rules_of(core, more)
    return ResolvedProgram(tuple(rules), core.background, core.shown, core.recorded, core.tick)


def _rules_of(core: ResolvedProgram, predicates: set[Predicate]) -> Iterator[Rule]:
    return (rule for rule in core.rules if rule.predicate in predicates)


def demand(holds: bool, reason: str) -> None:
    if not holds:
        raise ProofError(reason)
