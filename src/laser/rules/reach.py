"""How far back an answer can depend on the stream, and so how much of the stream must be kept.

Rules are evaluated at t, so windows do not add up: if W is the largest time window, the answer at t follows from the facts
in [t − W, t], on a timeline that may as well begin at t − W. Only a body ``@u a`` without a window can look back further:
it sees every fact of ``a``, background data at every time point since the start, and atoms that a rule derived for any time
point, unless that time came from a window.

What was recorded at u was derived at u, from the past of u, so there the lengths do add up: an atom that looks n ticks back at a record
needs n ticks more than the rules that derive it. A record that depends on earlier records of itself needs the whole stream once, but keeps
only a bounded part of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from laser.rules.body import At, AtLeast, ExtendedAtom
from laser.rules.dependencies import cone
from laser.rules.graph import reachable, reverse
from laser.rules.rule import ResolvedProgram, Rule
from laser.syntax import tree
from laser.values import Predicate
from laser.windows import HISTORY, LastOf, Reach, TimeWindow

__all__ = ["is_bounded", "kept", "reach"]


def reach(core: ResolvedProgram, inputs: Collection[Predicate] | None = None) -> Reach:
    """How far back an answer can depend on facts; without ``inputs``, any predicate might stream in."""
    return _Needs(core, inputs, frozenset(_unlimited(core, inputs))).of(core.rules)


@dataclass(frozen=True)
class _Needs:
    """The past that atoms need: facts, and a timeline that begins early enough."""

    core: ResolvedProgram
    inputs: Collection[Predicate] | None
    unlimited: frozenset[Predicate]
    records: dict[Predicate, Reach] = field(default_factory=dict)
    """What the rules of recorded predicates need; the whole history until that has been computed."""

    def of(self, rules: Iterable[Rule]) -> Reach:
        return _together([self.of_atom(atom) for rule in rules for atom in rule.atoms])

    def of_atom(self, atom: ExtendedAtom) -> Reach:
        if not _looks_back(self.core, atom):
            return _need(self.core, atom, self.inputs, self.unlimited)
        look, behind = atom.window.reach, self._of_record(atom.predicate)
        if look.ticks is None or behind.ticks is None or behind.counts_facts:
            return replace(behind, ticks=None)
        return Reach(look.ticks + behind.ticks)

    def _of_record(self, predicate: Predicate) -> Reach:
        if predicate not in self.records:
            self.records[predicate] = Reach(None)
            below = cone(self.core, [predicate])
            self.records[predicate] = self.of(rule for rule in self.core.rules if rule.predicate in below)
        return self.records[predicate]


def is_bounded(core: ResolvedProgram, inputs: Collection[Predicate] | None = None) -> bool:
    """Whether a run needs to keep only a bounded part of the past. Recorded atoms may depend on all of it, but are kept."""
    unlimited = _unlimited(core, inputs) | core.recorded
    return all(_need(core, atom, inputs, unlimited).ticks is not None for atom in _atoms(core))


def _looks_back(core: ResolvedProgram, atom: ExtendedAtom) -> bool:
    """Whether an atom reads what was recorded at earlier time points."""
    return atom.predicate in core.recorded and atom.window.reach.ticks != 0


def kept(core: ResolvedProgram, inputs: Collection[Predicate] | None = None) -> dict[Predicate, Reach]:
    """How much must be kept of each predicate that bodies read and that can stream in."""
    needs: dict[Predicate, list[Reach]] = {}
    for atom in _atoms(core):
        if _streams(atom.predicate, inputs):
            needs.setdefault(atom.predicate, []).append(atom.window.reach)
    return {predicate: _together(keeps) for predicate, keeps in sorted(needs.items())}


def _atoms(core: ResolvedProgram) -> Iterator[ExtendedAtom]:
    return (atom for rule in core.rules for atom in rule.atoms)


def _together(needs: Sequence[Reach]) -> Reach:
    """The past that several atoms need together."""
    latest: frozenset[LastOf] = frozenset().union(*(need.latest for need in needs))
    return Reach(_longest([need.ticks for need in needs]), max((need.tuples for need in needs), default=0), latest)


def _longest(ticks: list[int | None]) -> int | None:
    known = [tick for tick in ticks if tick is not None]
    return max(known, default=0) if len(known) == len(ticks) else None


def _streams(predicate: Predicate, inputs: Collection[Predicate] | None) -> bool:
    return inputs is None or predicate in inputs


def _need(
    core: ResolvedProgram,
    atom: ExtendedAtom,
    inputs: Collection[Predicate] | None,
    unlimited: Collection[Predicate],
) -> Reach:
    """The past that one atom needs, if it does not read records."""
    if _streams(atom.predicate, inputs) or atom.predicate in core.derived:
        need = atom.window.reach
        return need if need.is_bounded or inputs is None or atom.predicate in unlimited else Reach()
    # Background data hold at every time point, so the past matters only if the atom asks for the time, or if there is one.
    return atom.window.reach if _asks_for_points(atom) else Reach()


def _asks_for_points(atom: ExtendedAtom) -> bool:
    may_be_empty = isinstance(atom.window, TimeWindow) and atom.window.may_be_empty
    return may_be_empty or isinstance(atom.modality, At | AtLeast)


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
    """The predicates whose unlimited ``@T`` gives the time T of a head: empty if a window limits T, None if nothing does."""
    places = [atom for atom in rule.found_atoms if not atom.negated and _same_time(atom.time, rule.time)]
    if any(atom.window != HISTORY for atom in places):
        return set()
    return {atom.predicate for atom in places if atom.is_positive} or None


def _same_time(time: tree.Term | None, head: tree.Term | None) -> bool:
    return isinstance(head, tree.Variable) and time == head
