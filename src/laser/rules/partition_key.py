"""The key of a program: an argument of each predicate such that facts with different keys never meet in a rule.

Where there is one, the stream can be divided by it, and each part be reasoned about alone. Background data that nothing
streams in or derives are the same for every part, so they need no key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from laser.rules.body import ExtendedAtom
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["Key", "find_key"]

Positions = dict[Predicate, int]
Atom = tuple[Predicate, tuple[tree.Term, ...]]


@dataclass(frozen=True)
class Key:
    """The key's position in each predicate, counted from 0; or, where the program has none, the reason."""

    positions: Mapping[Predicate, int] = field(default_factory=dict)
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason

    def __str__(self) -> str:
        if self.reason:
            return f"none: {self.reason}"
        places = [f"argument {i + 1} of {p}" for p, i in sorted(self.positions.items())]
        return ", ".join(places) or "none: nothing streams in"


def find_key(
    core: ResolvedProgram, inputs: Collection[Predicate] | None = None, fixed: Mapping[Predicate, int] | None = None
) -> Key:
    """A key, if the program has one; ``fixed`` says where it must be in some predicates.

    >>> from laser.checks.load import parse
    >>> from laser.checks.accept import accept
    >>> print(find_key(accept(parse("hot(M) :- temp(M, V) in [3], V > 90, room(M, R), not off(R, M)."))))
    argument 1 of hot/1, argument 2 of off/2, argument 1 of room/2, argument 1 of temp/2
    >>> print(find_key(accept(parse("alarm :- temp(M, V), V > 90."))))
    none: alarm/0 has no argument (rule `alarm :- temp(M, V), V > 90.`)
    """
    if any(_looks_at_tuples(element) for rule in core.rules for element in rule.body):
        return Key(reason="a tuple window counts the facts of the whole stream")
    rules = [(rule, _atoms(rule, _static(core, inputs))) for rule in core.rules]
    reason = next(filter(None, (_fault(rule, atoms) for rule, atoms in rules)), "")
    if reason:
        return Key(reason=reason)
    joined = [atoms for _, atoms in rules]
    found = _search(joined, sorted({p for atoms in joined for p, _ in atoms}), dict(fixed or {}))
    if found is None:
        return Key(reason="no choice of one argument for each predicate fits all rules together")
    return Key(found)


def _looks_at_tuples(element: object) -> bool:
    return isinstance(element, ExtendedAtom) and element.window is not None and element.window.kind == "tuple"


def _static(core: ResolvedProgram, inputs: Collection[Predicate] | None) -> frozenset[Predicate]:
    """Predicates of which there are background data alone."""
    background = {atom.signature for atom in core.background}
    if inputs is None:
        return frozenset(background - core.derived)
    read = {e.predicate for rule in core.rules for e in rule.body if isinstance(e, ExtendedAtom)}
    return frozenset((background | read) - core.derived - set(inputs))


def _atoms(rule: Rule, static: Collection[Predicate]) -> list[Atom]:
    """What meets in a rule: its head, and those of its body that differ from part to part."""
    body = [(e.predicate, e.args) for e in rule.body if isinstance(e, ExtendedAtom) and e.predicate not in static]
    return [(rule.predicate, rule.args), *body]


def _fault(rule: Rule, atoms: list[Atom]) -> str:
    """Why one rule alone forbids a key."""
    for predicate, args in atoms:
        if not args:
            return f"{predicate} has no argument (rule `{rule.text}`)"
    shared = set(atoms[0][1]).intersection(*(args for _, args in atoms[1:]))
    return "" if shared else f"no argument is shared by all atoms of the rule `{rule.text}`"


def _search(rules: list[list[Atom]], open_: list[Predicate], found: Positions) -> Positions | None:
    """Choose for one predicate, follow what that means for the others, and try the next choice where it fails."""
    consistent = _propagate(rules, found)
    if consistent is None:
        return None
    left = [predicate for predicate in open_ if predicate not in consistent]
    if not left:
        return consistent
    choices = (_search(rules, left, {**consistent, left[0]: i}) for i in range(left[0].arity))
    return next((choice for choice in choices if choice is not None), None)


def _propagate(rules: list[list[Atom]], found: Positions) -> Positions | None:
    """What the positions chosen so far force; None where they contradict a rule."""
    found = dict(found)
    changed = True
    while changed:
        changed = False
        for atoms in rules:
            forced = _forced(atoms, found)
            if forced is None:
                return None
            changed = changed or bool(forced)
            found |= forced
    return found


def _forced(atoms: list[Atom], found: Positions) -> Positions | None:
    terms = {args[found[predicate]] for predicate, args in atoms if predicate in found}
    if not terms:
        return {}
    if len(terms) > 1:
        return None
    (term,) = terms
    forced: Positions = {}
    for predicate, args in atoms:
        places = list(_places(term, args))
        if not places:
            return None
        if predicate not in found and len(places) == 1:
            forced[predicate] = places[0]
    return forced


def _places(term: tree.Term, args: tuple[tree.Term, ...]) -> Iterator[int]:
    return (i for i, arg in enumerate(args) if arg == term)
