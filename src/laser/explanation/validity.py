"""Finds the evaluation times between which an atom of a body holds for the same reason, if nothing arrives.

An atom at u is in a time window from ``entry(u)`` to ``exit(u)``. So an atom that was found is valid while it is in the window,
and an absence is valid while no such atom is. The result may be too short, but is never too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf
from operator import and_
from typing import TYPE_CHECKING, assert_never

from laser.explanation.element import Validity, Values
from laser.explanation.solve import AtomAccess
from laser.explanation.stability import only_fades
from laser.explanation.table import TimedAtom
from laser.rules.body import Always, At, AtLeast, ExtendedAtom, Now, Sometime
from laser.syntax.terms import evaluate
from laser.values import Atom
from laser.windows import Sliding, TimeWindow, Window

if TYPE_CHECKING:
    from laser.explanation.lasting import Validities
    from laser.explanation.world import World

__all__ = ["atom_validity"]


def atom_validity(
    validities: Validities, element: ExtendedAtom, binding: Values, entries: Sequence[TimedAtom]
) -> Validity:
    """When an atom holds because of these entries, or one under ``not`` because there are none."""
    if not element.is_positive:
        return _not_found(validities, element, binding)
    time, atom = entries[0]
    if atom in validities.world.core.background:
        return _background(validities, element, time)
    if isinstance(element.modality, Always):
        return _unbroken(validities, element, atom)
    return reduce(and_, (_found(validities, element, entry) for entry in entries))


def _background(validities: Validities, element: ExtendedAtom, time: int) -> Validity:
    """Background data hold at every time, so only the window matters."""
    world, window = validities.world, element.window
    match element.modality:
        case At():
            return _stays(window, time)
        case AtLeast(times=times):  # a sliding window grows until it is full
            return Validity(world.start + times - 1) if isinstance(window, Sliding) else validities.present
        case Now() | Sometime() | Always():
            return _has_points(world, window)
        case _:
            assert_never(element.modality)


def _has_points(world: World, window: Window) -> Validity:
    """When a window has time points: always, from the first time on."""
    return Validity(window.entry(world.start)) if isinstance(window, TimeWindow) else Validity()


def _stays(window: Window, time: int) -> Validity:
    """When an atom at a time is in a window, if nothing arrives."""
    if not isinstance(window, TimeWindow):
        return Validity(time)
    last = window.exit(time)
    return Validity(window.entry(time), inf if last is None else last)


def _found(validities: Validities, element: ExtendedAtom, entry: TimedAtom) -> Validity:
    """As long as an atom is in the window and its derivation, if any, is valid."""
    window = element.window
    if validities.prover.is_given(entry):
        return _stays(window, entry[0])
    valid = validities.of(entry)
    if validities.prover.choice(entry).instance.rule.time is not None:
        return valid & _stays(window, entry[0])
    # The atom holds at every present, so this matters only if times are used or the window does not always see the present.
    sees_it = isinstance(window, TimeWindow) and window.shows_present is True
    return valid if sees_it and not isinstance(element.modality, At | AtLeast) else validities.present


def _unbroken(validities: Validities, element: ExtendedAtom, atom: Atom) -> Validity:
    """When a time window is within a run of time points that all have a fact, if the atom is always a fact."""
    window, world = element.window, validities.world
    if not isinstance(window, TimeWindow) or element.predicate in world.core.derived:
        return validities.present
    low, high = world.bounds(element.window)
    first, last = _run(world, atom, low, high)
    gone = window.exit(first - 1)
    run = Validity(-inf if first == world.start or gone is None else gone + 1, window.entry(last + 1) - 1)
    return run & _has_points(world, element.window)


def _run(world: World, atom: Atom, low: int, high: int) -> tuple[int, int]:
    """The time points around [low, high] that have a fact, without a gap."""
    times = world.facts.table(atom.signature, world.start).times_of(atom, world.start, world.time)
    while low - 1 in times:
        low -= 1
    while high + 1 in times:
        high += 1
    return low, high


# -- what was not found


def _not_found(validities: Validities, element: ExtendedAtom, binding: Values) -> Validity:
    world, present = validities.world, validities.present
    if element.negated and element.negated_inside:
        return present
    if element.predicate in world.core.derived:
        fades = element.negated and only_fades(world.core, element)
        return Validity(present.first, inf) if fades else present
    access = AtomAccess(element, binding.keys())
    if world.background(element.predicate, access.positions, access.values(binding)):
        return present
    if element.negated_inside:
        return _absent(validities, element, binding)
    return _no_facts(validities, element, access, binding)


def _absent(validities: Validities, element: ExtendedAtom, binding: Values) -> Validity:
    """``⊞ @u ¬ a``, if a is always a fact: as long as u is in the window."""
    assert element.time is not None
    time = evaluate(element.time, binding)
    known = type(time) is int and isinstance(element.window, TimeWindow)
    return _stays(element.window, time) if known else validities.present  # type: ignore[arg-type]


def _no_facts(validities: Validities, element: ExtendedAtom, access: AtomAccess, binding: Values) -> Validity:
    """From when the last such fact left until a known fact enters; no others arrive."""
    window, world = element.window, validities.world
    if not isinstance(window, TimeWindow):
        return Validity(world.time)
    if isinstance(element.modality, Always | AtLeast):
        return validities.present if window.is_delayed else Validity(world.time)
    bounds = access.narrow(world.start, world.time, binding)
    if bounds is None:
        return Validity()
    table = world.facts.table(element.predicate, world.start)
    found = table.find(access.positions, access.values(binding), *bounds)
    return _between(window, [time for time, _ in found], world.time)


def _between(window: TimeWindow, times: Sequence[int], now: int) -> Validity:
    """Between the facts that have left a window and those that have not entered it, if none is in it; the latest are first."""
    until = inf
    for time in times:
        entry, last = window.entry(time), window.exit(time)
        if last is not None and last < entry:
            continue
        if entry > now:
            until = entry - 1
        elif last is not None:
            return Validity(last + 1, until)
    return Validity(-inf, until)
