"""What is nearest to a part of a body that fails: facts just outside of the window, atoms that differ in one argument, values that are too small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from laser.explanation.explanation import Proof
from laser.explanation.premises import some_times
from laser.explanation.prove import EAGER, Prover
from laser.explanation.solve import Shape, term_value
from laser.explanation.table import Entry, Key
from laser.explanation.words import extent, filled, instance, test_instance
from laser.explanation.world import World
from laser.phrases import closest, count
from laser.rules.body import ALWAYS, NOW, At, Comparison, ExtendedAtom
from laser.syntax import tree
from laser.values import Atom, Predicate, Value
from laser.values.operations import compare, is_number

__all__ = ["Lack", "lack", "unknown"]


@dataclass(frozen=True, slots=True)
class Lack:
    """Why an element fails under a binding; the attempt with the highest ``closeness`` is shown.

    ``asked`` is what should have been derived, at some time of ``span``.
    """

    reason: str
    nearest: tuple[str, ...] = ()
    closeness: float = 0
    because: tuple[Proof, ...] = ()
    asked: tuple[tree.Variable | tree.Constant, ...] | None = None
    span: tuple[int, int] = (0, 0)


def lack(prover: Prover, element: ExtendedAtom | Comparison, binding: dict[str, Value]) -> Lack:
    """Why an element fails."""
    if isinstance(element, Comparison):
        return _false(element, binding)
    if element.negated:
        return _there(prover, element, binding)
    if element.negated_inside:
        return _not_absent(prover, element, binding)
    shape = Shape(element, frozenset(binding), None)
    bounds = shape.bounds(prover.world, binding)
    if bounds is None:
        return Lack(_outside(prover.world, element, binding))
    if element.modality == ALWAYS:
        return _interrupted(prover, element, shape, binding)
    return _missing(prover, element, shape, binding, bounds)


# -- comparisons


def _false(test: Comparison, binding: Mapping[str, Value]) -> Lack:
    text = test_instance(test, binding)
    known = dict(binding)
    sides = [_value(side, known) for side in (test.left, test.right)]
    left, right = sides
    if left is None or right is None:
        wrong = test.left if left is None else test.right
        return Lack(f"{filled(wrong, binding)} has no value", closeness=-1e300)
    if compare(test.operator, left, right) is None:
        return Lack(f"{text} has no answer: values of different kinds have no order", closeness=-1e300)
    numbers = [float(side) for side in (left, right) if is_number(side)]  # type: ignore[arg-type]
    distance = abs(numbers[0] - numbers[1]) if len(numbers) == 2 else 1.0
    return Lack(f"{text} is false", closeness=-distance)


def _value(term: tree.Term, binding: dict[str, Value]) -> Value | None:
    """A side of a comparison; one that was to be assigned has no value of its own."""
    try:
        return term_value(term)(binding)
    except KeyError:
        return ""


# -- atoms that are there and should not be


def _there(prover: Prover, element: ExtendedAtom, binding: dict[str, Value]) -> Lack:
    what = instance(element, binding)
    if element.negated_inside:
        return Lack(f"there is a time point of {extent(prover.world, element)} without {what}")
    pick = prover.pick(element, binding)
    (time, atom), window = pick.entries[-1], extent(prover.world, element)
    proofs = tuple(map(prover.prove, pick.entries if len(pick.entries) <= EAGER else pick.entries[-1:]))
    if proofs[0].source == "background":
        reason = f"{atom} is background data"
    elif element.modality == ALWAYS:
        reason = f"{atom} holds at every time point of {window}"
    else:
        reason = f"{atom} holds at {time}" + (f", in {window}" if window else "")
    return Lack(reason, because=proofs)


def _not_absent(prover: Prover, element: ExtendedAtom, binding: dict[str, Value]) -> Lack:
    world, what, window = prover.world, instance(element, binding), extent(prover.world, element)
    assert element.time is not None
    time = _value(element.time, binding)
    if time == "" and filled(element.time, binding).startswith(("_", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ")):
        return Lack(f"{what} holds at every time point of {window}")
    low, high = world.bounds(element.window)
    if type(time) is not int or not low <= time <= high:
        return Lack(_outside(world, element, binding))
    return Lack(f"{what} holds at {time}")


def _outside(world: World, element: ExtendedAtom, binding: Mapping[str, Value]) -> str:
    assert element.time is not None
    window = extent(world, element)
    return f"{filled(element.time, binding)} is not a time point of {window or f'[{world.start}, {world.time}]'}"


# -- atoms that are not there and should be


def _asked(element: ExtendedAtom, binding: Mapping[str, Value]) -> tuple[tree.Variable | tree.Constant, ...]:
    """The arguments for which an atom was asked."""
    return tuple(_given(term, binding) for term in element.args)


def _given(term: tree.Term, binding: Mapping[str, Value]) -> tree.Variable | tree.Constant:
    if isinstance(term, tree.Variable):
        anonymous = tree.Variable("_" if term.name.startswith("_") else term.name)
        return tree.Constant(binding[term.name]) if term.name in binding else anonymous
    assert isinstance(term, tree.Constant)
    return term


def _fits(shape: Shape, entry: Entry, binding: Mapping[str, Value]) -> bool:
    """Whether equal variables of an atom stand for equal values, its time among them."""
    return not shape.same or shape.take(entry[1], {**binding, shape.time_name: entry[0]})


def _interrupted(prover: Prover, element: ExtendedAtom, shape: Shape, binding: dict[str, Value]) -> Lack:
    """Under □: the atom that is there most often, and where it is missing."""
    world = prover.world
    low, high = world.bounds(element.window)
    there: dict[Atom, set[int]] = {}
    for time, atom in world.find(element.predicate, shape.key, shape.values(binding), low, high, element.window):
        if _fits(shape, (time, atom), binding):
            there.setdefault(atom, set()).add(time)
    window = extent(world, element)
    if not there:
        found = _missing(prover, element, shape, binding, (low, high))
        asked, span = _asked(element, binding), (high, high)
        return Lack(found.reason, found.nearest, -1.0, asked=asked, span=span)
    often = Counter({atom: len(times) for atom, times in there.items()})
    best = max(sorted(often), key=often.__getitem__)
    missing = set(range(low, high + 1)) - there[best]
    where = f"{best} missing at {some_times(missing)} of {window}"
    asked = tuple(map(tree.Constant, best.args))
    return Lack(where, closeness=often[best] / (high - low + 1), asked=asked, span=(max(missing), max(missing)))


def _missing(
    prover: Prover, element: ExtendedAtom, shape: Shape, binding: dict[str, Value], bounds: tuple[int, int]
) -> Lack:
    """An atom that is not at the time, or not in the window."""
    world = prover.world
    what, window = instance(element, binding), extent(world, element)
    at = element.modality == NOW or (isinstance(element.modality, At) and not shape.time_is_new)
    where = f"at {bounds[1]}" if at else f"in {window}" if window else "anywhere"
    near = (*_elsewhere(world, element, shape, binding, bounds), *_similar(world, element, shape, binding, bounds))
    if not near:
        near = unknown(prover, element.predicate)
    asked = _asked(element, binding)
    return Lack(f"no {what} {where}", near, float(bool(near)), asked=asked, span=bounds)


def _elsewhere(
    world: World, element: ExtendedAtom, shape: Shape, binding: dict[str, Value], bounds: tuple[int, int]
) -> tuple[str, ...]:
    """The same atom, but too early for the window or too many facts ago; or at another time than the one asked for."""
    window, values = extent(world, element), shape.values(binding)
    table = world.facts.table(element.predicate, world.start)
    found = [e for e in table.find(shape.key, values, world.start, world.time) if _fits(shape, e, binding)]
    if not found:
        return ()
    time, atom = found[0]
    if window is not None and window.kind == "tuple":
        history, size = world.facts.history, world.facts.count(world.time)
        back = next(i for i in range(1, size + 1) if history[size - i] == (time, atom))
        return (f"{atom} was last seen at {time}, {count(back, 'fact')} back",)
    if isinstance(element.modality, At) and not shape.time_is_new:
        return (f"{atom} is at {some_times({time for time, other in found if other == atom})}",)
    begins = f", the window begins at {bounds[0]}" if window is not None else ""
    return (f"{atom} was last seen at {time}{begins}",)


def _similar(
    world: World, element: ExtendedAtom, shape: Shape, binding: dict[str, Value], bounds: tuple[int, int]
) -> tuple[str, ...]:
    """An atom that is there and differs in one argument."""
    values: Any = shape.values(binding)
    flat = dict(zip(shape.key, (values,) if len(shape.key) == 1 else values, strict=True))
    for place in reversed(shape.key):
        key: Key = tuple(p for p in shape.key if p != place)
        rest = tuple(flat[p] for p in key)
        given: Any = rest[0] if len(key) == 1 else rest
        found = next(iter(world.find(element.predicate, key, given, *bounds, element.window)), None)
        if found is not None:
            return (f"{found[1]} is at {found[0]}, and differs in argument {place}",)
        if others := world.background(element.predicate, key, given):
            return (f"{others[0]} is background data, and differs in argument {place}",)
    return ()


def unknown(prover: Prover, predicate: Predicate) -> tuple[str, ...]:
    """Of a predicate of which nothing is known, what may have been meant."""
    core, world = prover.ground.core, prover.world
    given = {(atom[0], len(atom) - 1) for _, atom in world.facts.history}
    known = {*core.derived, *(atom.signature for atom in core.background), *given}
    if predicate in known:
        return ()
    never = f"no {predicate} has arrived, and no rule derives it"
    same = sorted(arity for name, arity in known if name == predicate.name)
    others = sorted({name for name, _ in known})
    guess = f"{predicate.name}/{same[0]}" if same else closest(predicate.name, others)
    return (f"{never}; did you mean `{guess}`?" if guess else never,)
