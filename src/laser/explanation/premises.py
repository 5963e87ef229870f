"""Says in words why an atom of a body holds: what makes it hold, or what was looked for and not found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never
from typing import Literal as OneOf

from laser.explanation.element import Values
from laser.explanation.explanation import Extent, Premise, Proof
from laser.explanation.solve import AtomAccess
from laser.explanation.words import extent, filled, instance, some_times
from laser.phrases import count
from laser.rules.body import Always, At, AtLeast, ExtendedAtom, Modality, Now, Sometime
from laser.syntax import tree
from laser.windows import LastFacts, LastOf

if TYPE_CHECKING:
    from laser.explanation.world import World

__all__ = ["atom_premise"]

Kind = OneOf["now", "at", "sometime", "always", "times"]


def atom_premise(world: World, element: ExtendedAtom, binding: Values, proofs: Sequence[Proof], text: str) -> Premise:
    """The premise for an atom that holds, or for one under ``not`` that does not."""
    window = extent(world, element, binding)
    if element.negated:
        return Premise(text, "not", _not_found(world, element, binding, window), window)
    if element.negated_inside:
        return Premise(text, "absent", _absent(element, binding, window), window)
    if window is not None and window.kind == "tuple":
        proofs = _positioned(world, element, window, proofs)
    return Premise(text, _kind(element.modality), _found(element, window, proofs), window, proofs)


def _absent(element: ExtendedAtom, binding: Values, window: Extent | None) -> str:
    what, time = instance(element, binding), element.time
    assert time is not None
    if isinstance(time, tree.Variable) and time.is_anonymous:
        return f"no {what} at some time point of {window}"
    return f"no {what} at {filled(time, binding)}, a time point of {window}"


def _kind(modality: Modality) -> Kind:
    match modality:
        case Now():
            return "now"
        case At():
            return "at"
        case Sometime():
            return "sometime"
        case Always():
            return "always"
        case AtLeast():
            return "times"
        case _:
            assert_never(modality)


def _positioned(world: World, element: ExtendedAtom, window: Extent, proofs: Sequence[Proof]) -> Sequence[Proof]:
    """The facts of a tuple window with their places, counted from its last fact."""
    assert window.facts is not None
    assert isinstance(element.window, LastFacts | LastOf)
    key = element.window.key_of(proofs[0].atom) if isinstance(element.window, LastOf) else ()
    last = world.counted(element.window, key, window.facts)
    places = {entry: window.facts - i for i, entry in enumerate(last)}
    return tuple(replace(p, position=places.get((p.time, p.atom))) if p.source == "fact" else p for p in proofs)


def _found(element: ExtendedAtom, window: Extent | None, proofs: Sequence[Proof]) -> str:
    first = proofs[0]
    if first.source == "background":
        when = f" (needed at {first.time})" if isinstance(element.modality, At) else ""
        return f"{first.atom} is background data{when}"
    if isinstance(element.modality, Always):
        return f"{first.atom} at every time point of {window}"
    if isinstance(element.modality, AtLeast):
        at = some_times((proof.time for proof in proofs), most=10)
        return f"{first.atom} {count(len(proofs), 'time')} in {window}: {at}"
    where = ""
    if window is not None and window.kind == "tuple" and first.position is not None and window.facts:
        place = f"fact {window.facts - first.position + 1} of the last {window.facts}"
        where = f", {place}" if window.of is None else f", {place if window.facts > 1 else 'the latest'} {window.of}"
    elif window is not None:
        where = f", in {window}"
    return f"{first.atom} at {first.time}{where}"


def _not_found(world: World, element: ExtendedAtom, binding: Values, window: Extent | None) -> str:
    """What was looked for, and where."""
    what = instance(element, binding)
    time = "" if element.time is None else filled(element.time, binding)
    if element.negated_inside:
        return f"there is no time point {time} of {window} without {what}"
    match element.modality:
        case Now():
            return f"no {what} at {world.time}"
        case Sometime():
            return f"no {what} in {window}"
        case Always():
            return f"{what} does not hold at every time point of {window}{_missing(world, element, binding)}"
        case AtLeast(times=least):
            return f"{what} holds fewer than {count(least, 'time')} in {window}"
        case At():
            return f"no {what} at {time}" + (f" in {window}" if window else "")
        case _:
            assert_never(element.modality)


def _missing(world: World, element: ExtendedAtom, binding: Values) -> str:
    """The time points at which an atom is missing under □, if there is only one such atom."""
    access = AtomAccess(element, binding.keys())
    bounds = access.bounds(world, binding)
    if access.new or bounds is None:
        return ""
    found = world.find(element.predicate, access.positions, access.values(binding), *bounds, element.window)
    missing = set(range(bounds[0], bounds[1] + 1)) - {time for time, _ in found}
    return f": missing at {some_times(missing)}"
