"""Finds what comes closest to a failing body atom: facts just outside the window, atoms that differ in one argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from laser.explanation.element import NearMiss, Values
from laser.explanation.explanation import Extent
from laser.explanation.pattern import Pattern
from laser.explanation.sequences import EAGER
from laser.explanation.solve import AtomAccess
from laser.explanation.table import TimedAtom, given_values
from laser.explanation.words import extent, filled, instance, some_times
from laser.phrases import closest, count
from laser.rules.body import Always, At, AtLeast, ExtendedAtom, Now, Sometime
from laser.syntax import tree
from laser.syntax.terms import evaluate
from laser.values import Atom, Predicate
from laser.windows import LastFacts, LastOf, TimeWindow

if TYPE_CHECKING:
    from laser.explanation.prove import Prover
    from laser.explanation.world import World

__all__ = ["atom_near_miss", "unknown"]


def atom_near_miss(prover: Prover, element: ExtendedAtom, binding: Values) -> NearMiss:
    """Why an atom fails."""
    window = extent(prover.world, element, binding)
    if element.negated:
        found = _there(prover, element, binding, window)
    elif element.negated_inside:
        found = _not_absent(prover.world, element, binding, window)
    else:
        found = _Search(prover, element, binding, window).near_miss()
    return replace(found, window=window)


# -- atoms that hold and should not


def _there(prover: Prover, element: ExtendedAtom, binding: Values, window: Extent | None) -> NearMiss:
    if element.negated_inside:
        return NearMiss(f"there is a time point of {window} without {instance(element, binding)}")
    entries = prover.support(replace(element, negated=False), binding).entries
    atom = entries[-1][1]
    proofs = tuple(map(prover.prove, entries if len(entries) <= EAGER else entries[-1:]))
    is_background = proofs[0].source == "background"
    reason = f"{atom} is background data" if is_background else f"{atom} holds {_where(element, entries, window)}"
    return NearMiss(reason, because=proofs)


def _where(element: ExtendedAtom, entries: Sequence[TimedAtom], window: Extent | None) -> str:
    match element.modality:
        case AtLeast():
            return f"{len(entries)} or more times in {window}"
        case Always():
            return f"at every time point of {window}"
        case Now() | Sometime() | At():
            return f"at {entries[-1][0]}" + (f", in {window}" if window else "")
        case _:
            assert_never(element.modality)


def _not_absent(world: World, element: ExtendedAtom, binding: Values, window: Extent | None) -> NearMiss:
    """``⊞ @T ¬ a``: T is not a time point of the window, or a holds at T."""
    assert element.time is not None
    key = AtomAccess(element, binding.keys()).key
    low, high = world.bounds(element.window, None if key is None else key(binding))
    time = evaluate(element.time, binding)
    is_open = isinstance(element.time, tree.Variable) and time is None
    if is_open and window is not None and window.is_empty:
        return NearMiss(f"the window {window.written} has no time points yet")
    if not is_open and not (type(time) is int and low <= time <= high):
        return NearMiss(_outside(world, element, binding, window))
    where = f"every time point of {window}" if is_open else f"{time}"
    return NearMiss(f"{instance(element, binding)} holds at {where}")


def _outside(world: World, element: ExtendedAtom, binding: Values, window: Extent | None) -> str:
    assert element.time is not None
    return f"{filled(element.time, binding)} is not a time point of {window or f'[{world.start}, {world.time}]'}"


# -- atoms that do not hold and should


class _Search:
    """A positive atom that was not found."""

    def __init__(self, prover: Prover, element: ExtendedAtom, binding: Values, window: Extent | None) -> None:
        self.prover, self.world = prover, prover.world
        self.element, self.binding, self.window = element, binding, window
        self.access = AtomAccess(element, binding.keys())
        self.values = self.access.values(binding)

    def near_miss(self) -> NearMiss:
        bounds = self.access.bounds(self.world, self.binding)
        if bounds is None and self.access.known_time is not None:
            return NearMiss(_outside(self.world, self.element, self.binding, self.window))
        match self.element.modality:
            case Always() if bounds is not None:
                return self._interrupted(*bounds)
            case AtLeast(times=least) if bounds is not None:
                return self._too_few(*bounds, least)
            case Now() | Sometime() | At() | Always() | AtLeast():
                return self._missing(bounds)
            case _:
                assert_never(self.element.modality)

    def _asked(self) -> Pattern:
        """The atom that was looked for, as a pattern."""
        return Pattern(self.element.predicate.name, tuple(map(self._term, self.element.args)))

    def _term(self, term: tree.Term) -> tree.Variable | tree.Constant:
        if isinstance(term, tree.Variable):
            known = term.name in self.binding
            return tree.Constant(self.binding[term.name]) if known else term if term.is_users else tree.Variable("_")
        assert isinstance(term, tree.Constant)
        return term

    def _too_few(self, low: int, high: int, least: int) -> NearMiss:
        """Under ◇≥n: the atom with the most time points, and the next of them to leave the window."""
        given = self.world.background(self.element.predicate, self.access.positions, self.values)
        if given:
            return NearMiss(f"{given[0]} is background data, but {self.window} has fewer than {least} time points")
        there = self._times(low, high)
        if not there:
            return replace(self._missing((low, high)), closeness=-1.0)
        best = max(sorted(there), key=lambda atom: len(there[atom]))
        times, window = there[best], self.element.window
        leaves = window.exit(min(times)) if isinstance(window, TimeWindow) else None
        ends = f"; {min(times)} leaves the window after {leaves}" if leaves is not None else ""
        reason = f"{best} holds {count(len(times), 'time')} in {self.window}, but {least} are needed"
        return NearMiss(f"{reason}: {some_times(times)}{ends}", closeness=len(times) / least)

    def _times(self, low: int, high: int) -> dict[Atom, set[int]]:
        """The atoms that match, with their time points."""
        there: dict[Atom, set[int]] = {}
        for time, atom in self._find(low, high):
            if self.access.fits((time, atom), self.binding):
                there.setdefault(atom, set()).add(time)
        return there

    def _interrupted(self, low: int, high: int) -> NearMiss:
        """Under □: the atom with the most time points, and the time points where it is missing."""
        there = self._times(low, high)
        if not there:
            return replace(self._missing((low, high)), closeness=-1.0, asked=(self._asked(), high, high))
        best = max(sorted(there), key=lambda atom: len(there[atom]))
        missing = set(range(low, high + 1)) - there[best]
        asked = Pattern(best.predicate, tuple(map(tree.Constant, best.args)))
        return NearMiss(
            f"{best} is missing at {some_times(missing)}, in {self.window}",
            closeness=len(there[best]) / (high - low + 1),
            asked=(asked, max(missing), max(missing)),
        )

    def _find(self, low: int, high: int) -> Sequence[TimedAtom]:
        element, access = self.element, self.access
        return list(self.world.find(element.predicate, access.positions, self.values, low, high, element.window))

    def _missing(self, bounds: tuple[int, int] | None) -> NearMiss:
        """An atom that does not hold at the time, or in the window, which may be empty."""
        at = isinstance(self.element.modality, Now) or self.access.known_time is not None
        where = f"at {bounds[1]}" if at and bounds else f"in {self.window}" if self.window else "anywhere"
        near = (*self._elsewhere(), *(self._similar(*bounds) if bounds else ()))
        if not near:
            near = unknown(self.prover, self.element.predicate)
        asked = (self._asked(), *bounds) if bounds else None
        return NearMiss(f"no {instance(self.element, self.binding)} {where}", near, float(bool(near)), asked=asked)

    def _elsewhere(self) -> tuple[str, ...]:
        """The same atom, but outside the window, or at another time than the one needed."""
        world = self.world
        table = world.facts.table(self.element.predicate, world.start)
        found = table.find(self.access.positions, self.values, world.start, world.time)
        found = [entry for entry in found if self.access.fits(entry, self.binding)]
        if not found:
            return ()
        if isinstance(self.element.window, LastFacts | LastOf):
            return (self._too_many_facts_ago(self.element.window, found[0]),)
        if isinstance(self.element.modality, At) and self.access.known_time is not None:
            atom = found[0][1]
            return (f"{atom} holds at {some_times(time for time, other in found if other == atom)}",)
        return (self._outside_of(self.element.window, found),)

    def _too_many_facts_ago(self, window: LastFacts | LastOf, entry: TimedAtom) -> str:
        key = window.key_of(entry[1]) if isinstance(window, LastOf) else ()
        arrived = self.world.counted(window, key, len(self.world.facts.history))
        back = next(back for back in range(1, len(arrived) + 1) if arrived[-back] == entry)
        return f"{entry[1]} was last seen at {entry[0]}, {count(back, 'fact')} ago"

    def _outside_of(self, window: TimeWindow, found: Sequence[TimedAtom]) -> str:
        """The first atom after the window, or else the last before it."""
        low, high = self.world.bounds(self.element.window)
        later = [entry for entry in found if entry[0] > high]
        if later:
            time, atom = later[-1]
            entry, last = window.entry(time), window.exit(time)
            is_ever_in = last is None or entry <= last
            return f"{atom} holds at {time}" + (
                f" and enters the window at {entry}" if is_ever_in else ", which this window never includes"
            )
        time, atom = found[0]
        return f"{atom} was last seen at {time}" + (f", but the window begins at {low}" if self.window else "")

    def _similar(self, low: int, high: int) -> tuple[str, ...]:
        """An atom that holds and differs in one argument."""
        element, world, positions = self.element, self.world, self.access.positions
        known = dict(zip(positions, (self.values,) if len(positions) == 1 else self.values, strict=True))
        for place in reversed(positions):
            others = tuple(p for p in positions if p != place)
            values = given_values([known[p] for p in others])
            found = next(world.find(element.predicate, others, values, low, high, element.window), None)
            if found is not None:
                return (f"{found[1]} holds at {found[0]}, but differs in argument {place}",)
            if background := world.background(element.predicate, others, values):
                return (f"{background[0]} is background data, but differs in argument {place}",)
        return ()


def unknown(prover: Prover, predicate: Predicate) -> tuple[str, ...]:
    """For a predicate without any atoms, a predicate that was probably meant."""
    core, world = prover.evidence.core, prover.world
    arrived = {(atom[0], len(atom) - 1) for _, atom in world.facts.history}
    known = {*core.derived, *core.given, *arrived}
    if predicate in known:
        return ()
    never = f"no {predicate} has arrived, and no rule derives it"
    same = sorted(arity for name, arity in known if name == predicate.name)
    others = sorted({name for name, _ in known})
    guess = f"{predicate.name}/{same[0]}" if same else closest(predicate.name, others)
    return (f"{never}; did you mean `{guess}`?" if guess else never,)
