"""Premises: each part of a body in its author's words, with what makes it hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from typing import Literal as OneOf

from laser.explanation.explanation import Extent, Premise, Proof
from laser.explanation.solve import Shape
from laser.explanation.words import element_text, extent, filled, instance, runs, test_instance
from laser.explanation.world import World
from laser.rules.body import ALWAYS, NOW, Always, At, Comparison, ExtendedAtom, Now, Sometime
from laser.rules.rule import Rule
from laser.values import Value

__all__ = ["premise", "premises", "some_times"]

Proofs = Mapping[int, Sequence[Proof]]

_KINDS: dict[type, OneOf["now", "at", "sometime", "always"]] = {
    Now: "now", At: "at", Sometime: "sometime", Always: "always",
}  # fmt: skip


def premises(world: World, rule: Rule, binding: Mapping[str, Value], proofs: Proofs) -> tuple[Premise, ...]:
    """A premise for each part of the user's body, in the user's order; what computes an argument has none of its own."""
    return tuple(premise(world, rule, e, binding, proofs.get(id(e), ())) for e in rule.body if e.origin is not None)


def premise(
    world: World,
    rule: Rule,
    element: ExtendedAtom | Comparison,
    binding: Mapping[str, Value],
    proofs: Sequence[Proof] = (),
) -> Premise:
    """One part of a body that holds."""
    text = element_text(rule, element)
    if isinstance(element, Comparison):
        return Premise(text, "comparison", test_instance(element, binding))
    window = extent(world, element)
    if element.negated:
        return Premise(text, "not", _not_found(world, element, binding, window), window)
    if element.negated_inside:
        assert element.time is not None
        says = f"no {instance(element, binding)} at {filled(element.time, binding)}, a time point of {window}"
        return Premise(text, "absent", says, window)
    if window is not None and window.kind == "tuple":
        proofs = _positioned(world, window, proofs)
    return Premise(text, _KINDS[type(element.modality)], _found(element, window, proofs), window, proofs)


def _positioned(world: World, window: Extent, proofs: Sequence[Proof]) -> Sequence[Proof]:
    """The facts of a tuple window with their places, counted from the last fact of the stream."""
    assert window.facts is not None
    count = world.facts.count(world.time)
    last = world.facts.history[count - window.facts : count]
    places = {entry: window.facts - i for i, entry in enumerate(last)}
    return tuple(replace(p, position=places.get((p.time, p.atom))) if p.source == "fact" else p for p in proofs)


def _found(element: ExtendedAtom, window: Extent | None, proofs: Sequence[Proof]) -> str:
    first = proofs[0]
    if first.source == "background":
        when = f" (asked for at {first.time})" if isinstance(element.modality, At) else ""
        return f"{first.atom} is background data{when}"
    if element.modality == ALWAYS:
        assert window is not None
        return f"{first.atom} at every time point of {window}"
    where = ""
    if window is not None and window.kind == "tuple" and first.position is not None and window.facts:
        where = f", fact {window.facts - first.position + 1} of the last {window.facts}"
    elif window is not None:
        where = f", in {window}"
    return f"{first.atom} at {first.time}{where}"


def _not_found(world: World, element: ExtendedAtom, binding: Mapping[str, Value], window: Extent | None) -> str:
    """What was looked for, and where."""
    what = instance(element, binding)
    time = filled(element.time, binding) if element.time is not None else ""
    if element.negated_inside:
        return f"no time point {time} of {window} without {what}"
    if element.modality == ALWAYS:
        return f"{what} is not at every time point of {window}{_missing(world, element, binding)}"
    if isinstance(element.modality, At):
        return f"no {what} at {time}" + (f" in {window}" if window else "")
    return f"no {what} at {world.time}" if element.modality == NOW else f"no {what} in {window}"


def _missing(world: World, element: ExtendedAtom, binding: Mapping[str, Value]) -> str:
    """Where an atom is missing under □, if there is just one atom to speak of."""
    given: dict[Any, Any] = dict(binding)
    shape = Shape(element, frozenset(binding), None)
    if shape.new:
        return ""
    low, high = world.bounds(element.window)
    found = world.find(element.predicate, shape.key, shape.values(given), low, high, element.window)
    return f": missing at {some_times(set(range(low, high + 1)) - {time for time, _ in found})}"


def some_times(times: set[int], most: int = 3) -> str:
    """Time points in words.

    >>> some_times({31, 33, 34, 35, 38, 40})
    '31, 33 to 35, 38 and 1 more'
    """
    found = runs(times)
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in found[:most]]
    rest = sum(last - first + 1 for first, last in found[most:])
    return ", ".join(texts) + (f" and {rest} more" if rest else "")
