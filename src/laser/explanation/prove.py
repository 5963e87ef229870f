"""Builds proofs: for an atom that holds, the rule instance that gives the smallest tree.

The premises of a rule instance are looked up again with its variables bound, so that the search for what holds need not
remember why. Sizes are compared only if there is a choice. In a recursion they are computed for all atoms that the goal can
depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from laser.explanation.element import Binding, Values
from laser.explanation.explainers import explainer_of
from laser.explanation.explanation import Evidence, Premise, Proof
from laser.explanation.questions import solver
from laser.explanation.sequences import EAGER, LazyProofs
from laser.explanation.smallest import RecursiveInstance, smallest
from laser.explanation.table import TimedAtom, all_positions
from laser.explanation.words import element_text, rule_text, visible
from laser.explanation.world import Instance, World
from laser.rules.body import BodyElement
from laser.rules.rule import Rule
from laser.values import Atom

if TYPE_CHECKING:
    from laser.explanation.lasting import Lasting

__all__ = ["Choice", "Prover", "Support"]

MOST_CONSIDERED = 5_000
"""The smallest proof is chosen among at most this many rule instances for an atom."""


@dataclass(frozen=True, slots=True)
class Support:
    """The atoms at time points that make an element of a body hold: none, one or several, such as a whole window under □."""

    element: BodyElement
    entries: Sequence[TimedAtom]


@dataclass(frozen=True, slots=True)
class Choice:
    """An instance, with what makes each element of its body hold."""

    instance: Instance
    supports: tuple[Support, ...]


class Prover:
    """Builds proofs of what holds in a world."""

    def __init__(self, world: World, evidence: Evidence, lasting: Callable[[Atom], Lasting] | None = None) -> None:
        self.world, self.evidence = world, evidence
        self.lasting = lasting
        """Says how long an atom holds, if the facts alone do not show it."""
        self.proofs: dict[TimedAtom, Proof] = {}
        self.choices: dict[TimedAtom, Choice] = {}
        self.sizes: dict[TimedAtom, float] = {}

    # -- instances

    def instances(self, entry: TimedAtom) -> list[Instance]:
        """The rule instances that derive an atom for a time point; in a recursion, only those that were kept."""
        world = self.world
        if entry[1].signature in world.rules.component:
            return world.remembered(entry)
        return self.all_instances(entry)

    def all_instances(self, entry: TimedAtom) -> list[Instance]:
        """All rule instances that derive an atom for a time point."""
        world, (time, atom) = self.world, entry
        found: dict[Any, Instance] = {}
        for rule in world.core.rules_of(atom.signature):
            if rule.time is not None or time == world.time:
                self._search(rule, entry, found)
        return list(found.values())

    def _search(self, rule: Rule, entry: TimedAtom, found: dict[Any, Instance]) -> None:
        """Add the instances of one rule."""
        time, atom = entry
        positions, values = all_positions(atom), atom.args
        query = self.world.rules.query(rule, positions, True)
        begin = solver(query, positions, values, time, time)

        def emit(binding: Binding) -> bool:
            head = tuple(arg(binding) for arg in query.args)
            if head == values and (query.time is None or query.time(binding) == time):
                instance = Instance.of(query, binding)
                found[instance.key] = instance
            return len(found) >= MOST_CONSIDERED

        if begin is not None:
            query.step(self.world, begin, emit)

    def _options(self, element: BodyElement, binding: Values) -> list[Sequence[TimedAtom]]:
        """The ways to make an element hold."""
        return list(explainer_of(element).supports(self.world, element, binding))

    # -- sizes

    def is_given(self, entry: TimedAtom) -> bool:
        """Whether an entry is background data, a fact or recorded, so that it needs no rule."""
        world = self.world
        return entry[1] in world.core.background or world.is_fact(*entry) or world.is_recorded(*entry)

    def size(self, entry: TimedAtom) -> float:
        """The size of the smallest proof."""
        if entry not in self.sizes:
            if self.is_given(entry):
                self.sizes[entry] = 1
            elif entry[1].signature in self.world.rules.component:
                self.sizes.update(smallest(self._below(entry), self.sizes))
            else:
                self.sizes[entry] = 1 + self._body_size(self._least(self.instances(entry)))
        return self.sizes[entry]

    def _body_size(self, instance: Instance) -> float:
        return sum(self._size_of(support.entries) for support in self.complete(instance).supports)

    def _size_of(self, entries: Sequence[TimedAtom]) -> float:
        return sum(map(self.size, entries))

    def _below(self, goal: TimedAtom) -> dict[TimedAtom, list[RecursiveInstance]]:
        """The recursive atoms that a goal can depend on through recursion alone, with their instances."""
        below: dict[TimedAtom, list[RecursiveInstance]] = {}
        pending = [goal]
        while pending:
            entry = pending.pop()
            if self.is_given(entry):
                self.sizes[entry] = 1
            elif entry not in below and entry not in self.sizes:
                below[entry] = [self._recursive(instance) for instance in self.instances(entry)]
                pending += [
                    e for found in below[entry] for options in found.inside for option in options for e in option
                ]
        return below

    def _recursive(self, instance: Instance) -> RecursiveInstance:
        outside, inside = 0.0, []
        for element in instance.rule.body:
            options = self._options(element, instance.binding)
            if self._is_recursive(element):
                inside.append(options)
            else:
                outside += min(map(self._size_of, options))
        return RecursiveInstance(outside, tuple(inside))

    def _is_recursive(self, element: BodyElement) -> bool:
        return any(reading.atom.predicate in self.world.rules.component for reading in element.reads())

    # -- choosing

    def support(self, element: BodyElement, binding: Values) -> Support:
        """The smallest way to make an element of a body hold; if several are equal, the latest."""
        options = self._options(element, binding)
        if len(options) == 1:
            return Support(element, options[0])
        for option in options:
            if len(option) == 1 and self.is_given(option[0]):
                return Support(element, option)
        return Support(element, min(options, key=lambda option: (self._size_of(option), -option[-1][0])))

    def choice(self, entry: TimedAtom) -> Choice:
        """The instance with the smallest proof."""
        if entry not in self.choices:
            instances = self.instances(entry)
            if len(instances) > 1:
                self.size(entry)  # in a recursion, this computes all its parts at once
                instances = [self._least(instances)]
            self.choices[entry] = self.complete(instances[0])
        return self.choices[entry]

    def complete(self, instance: Instance) -> Choice:
        return Choice(instance, tuple(self.support(e, instance.binding) for e in instance.rule.body))

    def _least(self, instances: list[Instance]) -> Instance:
        """The instance whose parts have the smallest proofs; if there is one, the first that needs only data."""
        best, size = instances[0], inf
        least = min(len(rule.positives) for rule in {id(i.rule): i.rule for i in instances}.values())
        for instance in instances:
            found = self._body_size(instance)
            if found < size:
                best, size = instance, found
            if size <= least:
                break
        return best

    # -- building

    def prove(self, entry: TimedAtom) -> Proof:
        """The smallest proof of an atom at a time point."""
        self._build([entry])
        return self.proofs[entry]

    def prove_derived(self, entry: TimedAtom) -> Proof:
        """The smallest proof by a rule, even if the atom is given."""
        return self._proof_by(entry, self.choice(entry))

    def prove_by(self, entry: TimedAtom, instance: Instance) -> Proof:
        """The proof by one rule instance, with the smallest proofs of its premises."""
        return self._proof_by(entry, self.complete(instance))

    def premise(self, rule: Rule, support: Support, binding: Values) -> Premise:
        """A part of a body that holds, with its source text."""
        element, entries = support.element, support.entries
        few = len(entries) <= EAGER
        proofs = tuple(map(self.prove, entries)) if few else LazyProofs(entries, self.prove)
        return explainer_of(element).premise(self.world, element, binding, proofs, element_text(rule, element))

    def _proof_by(self, entry: TimedAtom, choice: Choice) -> Proof:
        self._build(_eager(choice))
        return self._proof(entry, choice)

    def _build(self, stack: list[TimedAtom]) -> None:
        """Prove the entries on the stack, parts first."""
        while stack:
            entry = stack[-1]
            if entry in self.proofs or self.is_given(entry):
                self.proofs.setdefault(entry, self._given(entry))
                stack.pop()
                continue
            choice = self.choice(entry)
            missing = [e for e in _eager(choice) if e not in self.proofs]
            if missing:
                stack += missing
            else:
                self.proofs[entry] = self._proof(entry, choice)
                stack.pop()

    def _given(self, entry: TimedAtom) -> Proof:
        return Proof(entry[1], entry[0], self._source(entry), evidence=self.evidence)

    def _source(self, entry: TimedAtom) -> OneOf["fact", "background", "record"]:
        if entry[1] in self.world.core.background:
            return "background"
        return "fact" if self.world.is_fact(*entry) else "record"

    def _proof(self, entry: TimedAtom, choice: Choice) -> Proof:
        rule, binding = choice.instance.rule, choice.instance.binding
        written = [support for support in choice.supports if support.element.origin is not None]
        return Proof(
            atom=entry[1],
            time=entry[0],
            source="rule",
            rule=rule_text(self.evidence.core, rule),
            bindings=visible(rule, binding),
            # An equation that computes an argument has no premise of its own.
            premises=tuple(self.premise(rule, support, binding) for support in written),
            evidence=self.evidence,
        )


def _eager(choice: Choice) -> list[TimedAtom]:
    """The entries that must be proved before a choice is."""
    return [entry for support in choice.supports if len(support.entries) <= EAGER for entry in support.entries]
