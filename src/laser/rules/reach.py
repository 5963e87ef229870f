"""How far back an answer can depend on the stream, and so what must be kept of it.

Evaluation happens at t, so windows do not add up: with W the largest time window, the answer at t follows from the facts
in [t − W, t], on a timeline that may as well begin at t − W. What can look back further than any window is a body
``@u a`` without one: it sees every fact of ``a``, it finds background data at every time point since the start, and it
finds what a rule derived for any time point it likes, unless that time itself came out of a window.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from laser.phrases import count
from laser.rules.body import ExtendedAtom
from laser.rules.graph import reachable, reverse
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Predicate

__all__ = ["Keep", "Reach", "kept", "reach"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The past on which an answer depends: so many ticks before the present (None: all), and the last so many facts."""

    ticks: int | None = 0
    tuples: int = 0

    @property
    def is_bounded(self) -> bool:
        return self.ticks is not None

    def __str__(self) -> str:
        if self.ticks is None:
            return "the whole history"
        past = [f"the {count(self.ticks, 'tick')} before the present"] if self.ticks else []
        facts = [f"the last {count(self.tuples, 'fact')} of the stream"] if self.tuples else []
        return " and ".join(past + facts) or "only the present"


@dataclass(frozen=True, slots=True)
class Keep(Reach):
    """What must be kept of one predicate's facts, in the same terms."""


def reach(core: ResolvedProgram, inputs: Collection[Predicate] | None = None) -> Reach:
    """How far back an answer can depend on facts; without ``inputs``, any predicate might stream in."""
    unlimited = _unlimited(core, inputs)
    needs = [_need(core, atom, inputs, unlimited) for atom in _atoms(core)]
    return Reach(_longest([need.ticks for need in needs]), max((need.tuples for need in needs), default=0))


def kept(core: ResolvedProgram, inputs: Collection[Predicate] | None = None) -> dict[Predicate, Keep]:
    """What must be kept of each predicate that bodies read and that can stream in."""
    needs: dict[Predicate, list[Keep]] = {}
    for atom in _atoms(core):
        if _streams(atom.predicate, inputs):
            needs.setdefault(atom.predicate, []).append(_facts_of(atom))
    return {
        predicate: Keep(_longest([keep.ticks for keep in keeps]), max(keep.tuples for keep in keeps))
        for predicate, keeps in sorted(needs.items())
    }


def _atoms(core: ResolvedProgram) -> Iterator[ExtendedAtom]:
    return (element for rule in core.rules for element in rule.body if isinstance(element, ExtendedAtom))


def _longest(ticks: list[int | None]) -> int | None:
    known = [tick for tick in ticks if tick is not None]
    return max(known, default=0) if len(known) == len(ticks) else None


def _streams(predicate: Predicate, inputs: Collection[Predicate] | None) -> bool:
    return inputs is None or predicate in inputs


def _facts_of(atom: ExtendedAtom) -> Keep:
    """The facts at which one atom looks."""
    if atom.window is None:
        return Keep(None if atom.modality == "at" else 0)
    return Keep(0, atom.window.size) if atom.window.kind == "tuple" else Keep(atom.window.size)


def _need(
    core: ResolvedProgram,
    atom: ExtendedAtom,
    inputs: Collection[Predicate] | None,
    unlimited: Collection[Predicate],
) -> Keep:
    """The past that one atom needs: facts, and a timeline that begins early enough."""
    if _streams(atom.predicate, inputs) or atom.predicate in core.derived:
        need = _facts_of(atom)
        return need if need.is_bounded or inputs is None or atom.predicate in unlimited else Keep()
    # Background data hold at every time point, so only one who asks for the time can tell how many there are.
    return _facts_of(atom) if atom.modality == "at" else Keep()


def _unlimited(core: ResolvedProgram, inputs: Collection[Predicate] | None) -> set[Predicate]:
    """The predicates ``a`` for which ``@u a`` can hold at a u that no window of the program limits."""
    given = set(inputs or ()).union(atom.signature for atom in core.background)
    taken_from: dict[Predicate, set[Predicate]] = {}
    for rule in core.rules:
        if rule.time is not None:
            sources = _sources(rule)
            if sources is None:
                given.add(rule.predicate)
            taken_from.setdefault(rule.predicate, set()).update(sources or ())
    return reachable(reverse(taken_from), given)


def _sources(rule: Rule) -> set[Predicate] | None:
    """The predicates from whose unlimited ``@T`` a head's time T comes: none if a window limits it, None if nothing does."""
    places = [e for e in rule.body if isinstance(e, ExtendedAtom) and not e.negated and _same_time(e.time, rule.time)]
    if any(atom.window is not None for atom in places):
        return set()
    return {atom.predicate for atom in places if not atom.absent} or None


def _same_time(time: tree.Term | None, head: tree.Term | None) -> bool:
    return isinstance(head, tree.Variable) and time == head
