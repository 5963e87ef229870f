"""Proofs: for an atom that holds, the rule instance that makes the smallest tree.

What a rule instance needs is looked up again with its variables bound, so that finding what holds need not remember why.
Sizes are compared only where there is a choice. In a recursion they are found for all atoms that the goal can rest on: a size
is larger than those of the parts, so that the smallest proof of nothing rests on itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, overload

from laser.explanation.explanation import Proof
from laser.explanation.ground import Ground
from laser.explanation.premises import premises
from laser.explanation.questions import solver
from laser.explanation.solve import Binding, Shape
from laser.explanation.table import Entry
from laser.explanation.words import rule_text, visible
from laser.explanation.world import Instance, World
from laser.rules.body import ALWAYS, ExtendedAtom
from laser.rules.rule import Rule
from laser.values import Atom, Predicate, Value

__all__ = ["Choice", "Pick", "Prover"]

EAGER = 64
"""A run of more time points is proved when somebody looks at it."""
MOST_CONSIDERED = 5_000
"""The smallest proof is chosen among so many rule instances for an atom."""
MOST_INSTANCES = 20_000
"""Beyond so many rule instances in a recursion, the shallowest proof is taken for the smallest."""


@dataclass(frozen=True, slots=True)
class Pick:
    """What makes an atom of a body hold: one entry, or one for every time point under □."""

    element: ExtendedAtom
    entries: Sequence[Entry]


@dataclass(frozen=True, slots=True)
class Choice:
    """An instance, with what makes each of its positive atoms hold."""

    instance: Instance
    picks: tuple[Pick, ...]


class LazyProofs(Sequence[Proof]):
    """The proofs of a long run, made when they are looked at."""

    def __init__(self, entries: Sequence[Entry], prove: Callable[[Entry], Proof]) -> None:
        self._entries, self._prove = entries, prove

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Proof: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Proof]: ...
    def __getitem__(self, index: int | slice) -> Proof | Sequence[Proof]:
        if isinstance(index, slice):
            return LazyProofs(self._entries[index], self._prove)
        return self._prove(self._entries[index])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]


def _same(left: object, right: object) -> bool:
    return left == right


class Prover:
    """Proofs of what holds in a world."""

    def __init__(self, world: World, ground: Ground) -> None:
        self.world, self.ground = world, ground
        self.proofs: dict[Entry, Proof] = {}
        self.choices: dict[Entry, Choice] = {}
        self.sizes: dict[Entry, float] = {}
        self.shallow: set[frozenset[Predicate]] = set()
        """Components that are too large to compare sizes in: there, the round of a derivation is its size."""

    # -- instances

    def instances(self, entry: Entry) -> list[Instance]:
        """All rule instances that derive an atom for a time point."""
        world, (time, atom) = self.world, entry
        if atom.signature in world.rules.component and (known := world.recalled(entry)) is not None:
            return known
        found: dict[Any, Instance] = {}
        for rule in world.rules.by_predicate.get(atom.signature, ()):
            if rule.time is not None or time == world.time:
                self._search(rule, entry, found)
        return list(found.values())

    def _search(self, rule: Rule, entry: Entry, found: dict[Any, Instance]) -> None:
        """Add the instances of one rule."""
        time, atom = entry
        key, values = tuple(range(1, len(atom))), tuple(atom[1:])
        question = self.world.rules.question(rule, key, True)
        begin = solver(question, key, values, time, time)

        def emit(binding: Binding) -> bool:
            head = tuple(arg(binding) for arg in question.args)
            if head == values and (question.time is None or question.time(binding) == time):
                instance = Instance.of(rule, binding)
                found[instance.key] = instance
            return len(found) >= MOST_CONSIDERED

        if begin is not None:
            question.step(self.world, begin, emit)

    def options(self, element: ExtendedAtom, binding: dict[str, Value]) -> Iterator[Sequence[Entry]]:
        """The ways to make a positive atom hold: background data first, then what is latest."""
        world, shape = self.world, Shape(element, frozenset(binding), None)
        bounds = shape.bounds(world, binding)
        assert bounds is not None
        low, high = bounds
        values = shape.values(binding)
        for atom in world.background(element.predicate, shape.key, values):
            yield [(high, atom)]
        if element.modality == ALWAYS:
            for atom in sorted(set(world.steady(element, shape.key, values)) - world.core.background):
                yield Run(low, high, atom)
        else:
            for entry in world.find(element.predicate, shape.key, values, low, high, element.window):
                yield [entry]

    # -- sizes

    def is_given(self, entry: Entry) -> bool:
        """Whether an entry is background data or a fact, and needs no rule."""
        return entry[1] in self.world.core.background or self.world.is_fact(*entry)

    def size(self, entry: Entry) -> float:
        """The size of the smallest proof."""
        if entry not in self.sizes:
            if self.world.rules.is_high:
                self._find_sizes_below(entry)
            self._find_size(entry)
        return self.sizes[entry]

    def _find_size(self, entry: Entry) -> None:
        if self.is_given(entry):
            self.sizes[entry] = 1
        elif entry[1].signature in self.world.rules.component:
            self._compare_recursion(entry)
        else:
            self.sizes[entry] = 1 + self._body_size(self._least(self.instances(entry)))

    def _find_sizes_below(self, goal: Entry) -> None:
        """Where many predicates stand on each other, go down with a stack of our own and find sizes on the way up."""
        stack, entered = [goal], set[Entry]()
        while stack:
            entry = stack[-1]
            if entry in self.sizes or entry in entered or self.is_given(entry):
                if stack.pop() not in self.sizes:
                    self._find_size(entry)
                continue
            entered.add(entry)
            stack += [other for other in self._outside(entry) if other not in self.sizes]

    def _outside(self, entry: Entry) -> Iterator[Entry]:
        """What an entry may rest on in components below its own."""
        part = self.world.rules.component[entry[1].signature]
        for instance in self.instances(entry):
            for element in positive(instance.rule):
                if element.predicate not in part:
                    for option in self.options(element, instance.binding):
                        yield from option

    def _body_size(self, instance: Instance) -> float:
        return sum(self._size_of(self.pick(e, instance.binding).entries) for e in positive(instance.rule))

    def _size_of(self, entries: Sequence[Entry]) -> float:
        return sum(map(self.size, entries))

    def _compare_recursion(self, goal: Entry) -> None:
        """Find the sizes of all entries of the goal's component on which it can rest."""
        part = self.world.rules.component[goal[1].signature]
        ways = self._ways(goal, part)
        if ways is None:
            self.shallow.add(part)
            self.sizes[goal] = self.world.ranks[goal]
            return
        self.sizes.update(_solved(ways, {e: self.sizes.get(e, inf) for e in (*ways, *_all_entries(ways))}))

    def _ways(self, goal: Entry, part: frozenset[Predicate]) -> dict[Entry, list[Way]] | None:
        """For each entry of the component below the goal, its instances; None where there are too many."""
        if part in self.shallow:
            return None
        ways: dict[Entry, list[Way]] = {}
        pending, count = [goal], 0
        while pending:
            entry = pending.pop()
            if entry in ways or entry in self.sizes:
                continue
            if self.is_given(entry):
                self.sizes[entry] = 1
                continue
            ways[entry] = [self._way(instance, part) for instance in self.instances(entry)]
            count += len(ways[entry])
            if count > MOST_INSTANCES:
                return None
            pending += [e for way in ways[entry] for options in way.inside for option in options for e in option]
        return ways

    def _way(self, instance: Instance, part: frozenset[Predicate]) -> Way:
        outside, inside = 0.0, []
        for element in positive(instance.rule):
            options = list(self.options(element, instance.binding))
            if element.predicate in part:
                inside.append(options)
            else:
                outside += min(map(self._size_of, options))
        return Way(outside, tuple(inside))

    # -- choosing

    def pick(self, element: ExtendedAtom, binding: dict[str, Value]) -> Pick:
        """The smallest way to make an atom of a body hold; of several, the latest."""
        options = list(self.options(element, binding))
        if len(options) == 1:
            return Pick(element, options[0])
        for option in options:
            if len(option) == 1 and self.is_given(option[0]):
                return Pick(element, option)
        measure = self._rank_of if self._is_shallow(element.predicate) else self._size_of
        return Pick(element, min(options, key=lambda option: (measure(option), -option[-1][0])))

    def choice(self, entry: Entry) -> Choice:
        """The instance with the smallest proof."""
        if entry not in self.choices:
            instances = self.instances(entry)
            if len(instances) > 1:
                instances = [self._smallest(entry, instances)]
            self.choices[entry] = self.complete(instances[0])
        return self.choices[entry]

    def complete(self, instance: Instance) -> Choice:
        return Choice(instance, tuple(self.pick(e, instance.binding) for e in positive(instance.rule)))

    def _smallest(self, entry: Entry, instances: list[Instance]) -> Instance:
        self.size(entry)
        return min(instances, key=self._rank) if self._is_shallow(entry[1].signature) else self._least(instances)

    def _least(self, instances: list[Instance]) -> Instance:
        """The instance whose parts have the smallest proofs: the first that needs nothing but data, if there is one."""
        best, size = instances[0], inf
        least = min(sum(1 for _ in positive(rule)) for rule in {id(i.rule): i.rule for i in instances}.values())
        for instance in instances:
            found = self._body_size(instance)
            if found < size:
                best, size = instance, found
            if size <= least:
                break
        return best

    def _is_shallow(self, predicate: Predicate) -> bool:
        return self.world.rules.component.get(predicate) in self.shallow

    def _rank(self, instance: Instance) -> float:
        """The round after which an instance could be made."""
        inside = [e for e in positive(instance.rule) if self._is_shallow(e.predicate)]
        return max((self._rank_of(self.pick(e, instance.binding).entries) for e in inside), default=0)

    def _rank_of(self, entries: Sequence[Entry]) -> float:
        return max(0 if self.is_given(entry) else self.world.ranks[entry] for entry in entries)

    # -- building

    def prove(self, entry: Entry) -> Proof:
        """The smallest proof of an atom at a time point."""
        self._build([entry])
        return self.proofs[entry]

    def prove_derived(self, entry: Entry) -> Proof:
        """The smallest proof by a rule, also of what is given."""
        return self._proof_by(entry, self.choice(entry))

    def prove_by(self, entry: Entry, instance: Instance) -> Proof:
        """The proof by one rule instance, with the smallest proofs of what it needs."""
        return self._proof_by(entry, self.complete(instance))

    def _proof_by(self, entry: Entry, choice: Choice) -> Proof:
        self._build([e for pick in choice.picks if len(pick.entries) <= EAGER for e in pick.entries])
        return self._proof(entry, choice)

    def _build(self, stack: list[Entry]) -> None:
        """Prove what is on the stack, parts before what is made of them."""
        while stack:
            entry = stack[-1]
            if entry in self.proofs or self.is_given(entry):
                self.proofs.setdefault(entry, self._given(entry))
                stack.pop()
                continue
            choice = self.choice(entry)
            eager = [e for pick in choice.picks if len(pick.entries) <= EAGER for e in pick.entries]
            missing = [e for e in eager if e not in self.proofs]
            if missing:
                stack += missing
            else:
                self.proofs[entry] = self._proof(entry, choice)
                stack.pop()

    def _given(self, entry: Entry) -> Proof:
        source = "background" if entry[1] in self.world.core.background else "fact"
        return Proof(entry[1], entry[0], source, ground=self.ground)  # type: ignore[arg-type]

    def _proof(self, entry: Entry, choice: Choice) -> Proof:
        rule, binding = choice.instance.rule, choice.instance.binding
        return Proof(
            atom=entry[1],
            time=entry[0],
            source="rule",
            rule=rule_text(self.ground.core, rule),
            bindings=visible(rule, binding),
            premises=premises(self.world, rule, binding, {id(p.element): self._proofs(p) for p in choice.picks}),
            ground=self.ground,
        )

    def _proofs(self, pick: Pick) -> Sequence[Proof]:
        if len(pick.entries) > EAGER:
            return LazyProofs(pick.entries, self.prove)
        return tuple(self.proofs[entry] for entry in pick.entries)


class Run(Sequence[Entry]):
    """One atom at every time point from a first to a last."""

    def __init__(self, low: int, high: int, atom: Atom) -> None:
        self._times, self._atom = range(low, high + 1), atom

    def __len__(self) -> int:
        return len(self._times)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(index, slice):
            return [(time, self._atom) for time in self._times[index]]
        return self._times[index], self._atom


@dataclass(frozen=True, slots=True)
class Way:
    """A rule instance of a recursion: the size of what it needs from outside, and its options inside, atom by atom."""

    outside: float
    inside: tuple[Sequence[Sequence[Entry]], ...]


def _solved(ways: dict[Entry, list[Way]], sizes: dict[Entry, float]) -> dict[Entry, float]:
    """Sizes, made smaller until none can be: whenever one is, those that are made of it are looked at again."""
    users: dict[Entry, list[Entry]] = {}
    for entry, found in ways.items():
        for part in _all_entries({entry: found}):
            users.setdefault(part, []).append(entry)
    pending = deque(reversed(ways))  # what was found last tends to lie lowest
    while pending:
        entry = pending.popleft()
        best = min(_way_size(way, sizes) for way in ways[entry])
        if best < sizes[entry]:
            sizes[entry] = best
            pending += users.get(entry, ())
    return sizes


def _way_size(way: Way, sizes: dict[Entry, float]) -> float:
    return 1 + way.outside + sum(min(sum(sizes[e] for e in option) for option in options) for options in way.inside)


def _all_entries(ways: dict[Entry, list[Way]]) -> set[Entry]:
    options = (option for found in ways.values() for way in found for inside in way.inside for option in inside)
    return {entry for option in options for entry in option}


def positive(rule: Rule) -> Iterator[ExtendedAtom]:
    """The atoms of a body that are asked to hold."""
    return (e for e in rule.body if isinstance(e, ExtendedAtom) and e.is_positive)
