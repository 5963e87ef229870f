"""The key of a program: an argument of each predicate, chosen so that facts with different keys never meet in a rule.

With a key, the stream can be partitioned, and each part can be evaluated alone. Predicates that have only background data are
the same for every part, so they need no key.

The search starts with all positions of each predicate as candidates. Each rule rules out the positions whose term is not
shared by all its atoms (propagation). The remaining choices fall into independent parts, which are searched separately. The
search is bounded, because the problem is NP-hard (a clause of SAT becomes a predicate with seven arguments).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from laser.rules.graph import strongly_connected
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Predicate
from laser.windows import LastFacts, LastOf, TupleWindow

__all__ = ["PartitionKey", "find_key"]

MOST_PLACES = 20
"""A text about a key names so many arguments."""

Atom = tuple[Predicate, tuple[tree.Term, ...]]
Labels = Mapping[Predicate, tuple[tree.Term | None, ...]]
"""The term of a rule at each position of its predicates; None if two atoms of one predicate differ."""

SPARE_LOOKS = 50_000
"""How many visits of a rule wrong choices may cost, in addition to a few for each argument of a rule."""

EXCLUDED = "no choice of one argument per predicate fits all rules"
GIVEN_UP = "the search was stopped, because too many choices fit most rules but not all"


@dataclass(frozen=True)
class PartitionKey:
    """The position of the key in each predicate, counted from 0; or the reason why the program has no key."""

    positions: Mapping[Predicate, int] = field(default_factory=dict)
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason

    def __str__(self) -> str:
        if self.reason:
            return f"none: {self.reason}"
        places = [f"argument {i + 1} of {p}" for p, i in sorted(self.positions.items())]
        more = [f"and of {len(places) - MOST_PLACES:,} others"] if len(places) > MOST_PLACES else []
        return ", ".join([*places[:MOST_PLACES], *more]) or "none: nothing streams in"


def find_key(
    core: ResolvedProgram, inputs: Collection[Predicate] | None = None, fixed: Mapping[Predicate, int] | None = None
) -> PartitionKey:
    """Find a key of the program, if there is one; ``fixed`` gives its position in some predicates.

    >>> from laser.checks.load import parse
    >>> from laser.checks.accept import accept
    >>> print(find_key(accept(parse("hot(M) :- temp(M, V) in [3], V > 90, room(M, R), not off(R, M)."))))
    argument 1 of hot/1, argument 2 of off/2, argument 1 of room/2, argument 1 of temp/2
    >>> print(find_key(accept(parse("alarm :- temp(M, V), V > 90."))))
    none: alarm/0 has no argument (rule `alarm :- temp(M, V), V > 90.`)
    """
    static = core.static(inputs)
    counted = {atom.window for rule in core.rules for atom in rule.atoms if isinstance(atom.window, TupleWindow)}
    reason = next(filter(None, (_fault_of(window, static) for window in counted)), "")
    if reason:
        return PartitionKey(reason=reason)
    rules = [(rule, _atoms(rule, static)) for rule in core.rules]
    reason = next(filter(None, (_fault(rule, atoms) for rule, atoms in rules)), "")
    if reason:
        return PartitionKey(reason=reason)
    search = _Search([_labels(atoms) for _, atoms in rules], fixed or {})
    for window in counted:
        if isinstance(window, LastOf) and window.predicate not in static:
            search.candidates[window.predicate] &= frozenset(window.per)
    if search.run():
        return PartitionKey({predicate: min(open_) for predicate, open_ in search.candidates.items()})
    return PartitionKey(reason=search.reason)


def _atoms(rule: Rule, static: Collection[Predicate]) -> list[Atom]:
    """The atoms of a rule that must share the key: its head, and the body atoms that differ between parts."""
    body = [(atom.predicate, atom.args) for atom in rule.atoms if atom.predicate not in static]
    return [(rule.predicate, rule.args), *body]


def _fault(rule: Rule, atoms: list[Atom]) -> str:
    """Why a single rule rules out any key."""
    for predicate, args in atoms:
        if not args:
            return f"{predicate} has no argument (rule `{rule.text}`)"
    shared = set(atoms[0][1]).intersection(*(args for _, args in atoms[1:]))
    return "" if shared else f"no argument is shared by all atoms of the rule `{rule.text}`"


def _fault_of(window: LastFacts | LastOf, static: Collection[Predicate]) -> str:
    """Why a tuple window rules out any key."""
    match window:
        case LastFacts():
            return "a tuple window counts the facts of the whole stream"
        case LastOf(predicate=predicate, per=per):
            return "" if per or predicate in static else f"{window} counts the facts of {predicate} of all keys"
        case _:
            assert_never(window)


def _labels(atoms: list[Atom]) -> Labels:
    by_predicate: dict[Predicate, list[tuple[tree.Term, ...]]] = defaultdict(list)
    for predicate, args in atoms:
        by_predicate[predicate].append(args)
    return {p: tuple(_same(column) for column in zip(*several, strict=True)) for p, several in by_predicate.items()}


def _same(terms: Sequence[tree.Term]) -> tree.Term | None:
    return terms[0] if all(term == terms[0] for term in terms) else None


class _Search:
    """The candidate positions of each predicate. Rules and choices narrow them down; a dead end restores them."""

    def __init__(self, rules: list[Labels], fixed: Mapping[Predicate, int]) -> None:
        self.rules = rules
        self.users: dict[Predicate, list[int]] = defaultdict(list)
        for number, labels in enumerate(rules):
            for predicate in labels:
                self.users[predicate].append(number)
        self.candidates = {p: frozenset(range(p.arity)) for p in (*self.users, *fixed)}
        self.candidates.update((p, frozenset([position])) for p, position in fixed.items())
        self.trail: list[tuple[Predicate, frozenset[int]]] = []
        self.looks_left = SPARE_LOOKS + 8 * sum(p.arity for labels in rules for p in labels)

    @property
    def reason(self) -> str:
        return EXCLUDED if self.looks_left > 0 else GIVEN_UP

    def run(self) -> bool:
        """Whether there is a key; if so, the first candidate of each predicate is its position."""
        return self.propagate(range(len(self.rules))) and all(map(self.solve, self.parts()))

    def propagate(self, numbers: Iterable[int]) -> bool:
        """Remove the candidates that some rule excludes, until nothing changes; False if no candidate is left."""
        pending = dict.fromkeys(numbers)
        while pending and self.looks_left > 0:
            self.looks_left -= 1
            number, _ = pending.popitem()
            labels, shared = self.rules[number], self.shared(number)
            for predicate, terms in labels.items():
                kept = frozenset(i for i in self.candidates[predicate] if terms[i] in shared)
                if not kept:
                    return False
                pending.update(dict.fromkeys(self.narrow(predicate, kept)))
        return not pending

    def shared(self, number: int) -> set[tree.Term]:
        """The terms of a rule that are at a candidate position in each of its predicates: the key may be any of them."""
        several = [{terms[i] for i in self.candidates[p]} for p, terms in self.rules[number].items()]
        return {term for term in set.intersection(*several) if term is not None}

    def narrow(self, predicate: Predicate, kept: frozenset[int]) -> Sequence[int]:
        """Reduce the candidates of a predicate; returns the rules that must be checked again."""
        if kept == self.candidates[predicate]:
            return ()
        self.trail.append((predicate, self.candidates[predicate]))
        self.candidates[predicate] = kept
        return self.users[predicate]

    def parts(self) -> Iterator[list[Predicate]]:
        """The predicates with open choices, in groups that share no rule."""
        links: dict[int | Predicate, list[int | Predicate]] = defaultdict(list)
        for number in range(len(self.rules)):
            if len(self.shared(number)) > 1:
                for predicate in self.rules[number]:
                    links[number].append(predicate)
                    links[predicate].append(number)
        return (sorted(node for node in part if isinstance(node, Predicate)) for part in strongly_connected(links))

    def solve(self, part: list[Predicate]) -> bool:
        """Choose for one predicate after the other; after a dead end, try the next choice for the last one."""
        choices: list[tuple[Iterator[int], int]] = []
        while len(choices) < len(part):
            choices.append((iter(sorted(self.candidates[part[len(choices)]])), len(self.trail)))
            while not self.choose(part[len(choices) - 1], *choices[-1]):
                choices.pop()
                if not choices:
                    return False
        return True

    def choose(self, predicate: Predicate, options: Iterator[int], mark: int) -> bool:
        """Undo everything after the mark, then take the next option that no rule contradicts."""
        for option in options:
            self.take_back(mark)
            if self.propagate(self.narrow(predicate, frozenset([option]))):
                return True
        self.take_back(mark)
        return False

    def take_back(self, mark: int) -> None:
        while len(self.trail) > mark:
            predicate, before = self.trail.pop()
            self.candidates[predicate] = before
