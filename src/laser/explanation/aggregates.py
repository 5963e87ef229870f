"""Explanations of aggregates: the tuples of each group, and the value that they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from laser.explanation.element import Binding, Cost, ElementExplainer, Emit, NearMiss, Step, Validity, Values
from laser.explanation.explanation import Premise, Proof
from laser.explanation.solve import atom_supports, value_of
from laser.explanation.table import TimedAtom
from laser.reference import fold
from laser.rules.body import Aggregate, Always, AtLeast, Comparison, ExtendedAtom
from laser.syntax.printer import write_term
from laser.syntax.terms import evaluate
from laser.values import Value, value_order, write_value
from laser.values.fold import Fold
from laser.windows import TimeWindow

if TYPE_CHECKING:
    from laser.explanation.lasting import Validities
    from laser.explanation.prove import Prover
    from laser.explanation.world import World

__all__ = ["AggregateExplainer", "shortfall"]

MOST_SHOWN = 10
"""At most this many members of a set are listed; the others are only counted."""

Member = tuple[Value, ...]


class AggregateExplainer(ElementExplainer[Aggregate]):
    """Aggregates."""

    def cost(self, element: Aggregate, bound: AbstractSet[str], ranged: str | None) -> Cost:
        return (4, sum(variable.name not in bound for variable in element.groups))

    def step(self, element: Aggregate, bound: AbstractSet[str], ranged: str | None, then: Step) -> Step:
        collect, result = _collector(element, bound), element.result.name
        names = [variable.name for variable in element.groups]

        def step(world: World, binding: Binding, emit: Emit) -> bool:
            for group, members in collect(world, binding).items():
                value = _value(element, members)
                if value is None or (result in bound and binding[result] != value):
                    continue
                binding.update(zip(names, group, strict=True))
                if result in names and binding[result] != value:
                    continue
                binding[result] = value
                if then(world, binding, emit):
                    return True
            return False

        return step

    def premise(self, world: World, element: Aggregate, binding: Values, proofs: Sequence[Proof], text: str) -> Premise:
        members = _members(world, element, binding)
        value = _value(element, members)
        assert value is not None, "an aggregate that holds has a value"
        return Premise(_text(element, text), "aggregate", f"{_is(element, binding, value)}: {_listed(members)}")

    def near_miss(self, prover: Prover, element: Aggregate, binding: Values) -> NearMiss:
        collect = _collector(element, binding.keys())
        groups = collect(prover.world, dict(binding))
        values = {group: value for group, members in groups.items() if (value := _value(element, members)) is not None}
        if not groups:
            return NearMiss(f"there are no values for the {element.fold.value}")
        if not values:
            group, members = next(iter(groups.items()))
            return NearMiss(f"the {element.fold.value} has no value{_for(element, group)}: {_listed(members)}")
        group, value = next(iter(values.items()))
        asked = binding.get(element.result.name)
        other = "" if asked is None else f", not {write_value(asked)}"
        is_value = _is(element, dict(zip(_names(element), group, strict=True)), value)
        return NearMiss(f"{is_value}{other}: {_listed(groups[group])}")

    def validity(
        self, validities: Validities, element: Aggregate, binding: Values, entries: Sequence[TimedAtom]
    ) -> Validity:
        leaving = _first_leaving(validities.world, element, binding)
        return validities.present if leaving is None else Validity(validities.present.first, leaving.time)


# -- the sets


def _collector(
    element: Aggregate, bound: AbstractSet[str]
) -> Callable[[World, Binding], dict[Member, dict[Member, None]]]:
    """A function that collects the tuples of each group, given the values of bound group variables."""
    from laser.explanation.questions import steps  # that module imports the explainers

    names = _names(element)
    known = [name for name in names if name in bound]
    solve = steps(element.body, frozenset(known))
    folded = list(map(value_of, element.folded))

    def collect(world: World, binding: Binding) -> dict[Member, dict[Member, None]]:
        groups: dict[Member, dict[Member, None]] = {}

        def emit(inner: Binding) -> bool:
            member = tuple(value(inner) for value in folded)
            if None not in member:
                groups.setdefault(tuple(inner[name] for name in names), {})[member] = None  # type: ignore[index]
            return False

        solve(world, {name: binding[name] for name in known}, emit)
        if element.may_be_empty:
            groups.setdefault(tuple(binding[name] for name in names), {})
        return groups

    return collect


def _members(world: World, element: Aggregate, binding: Values) -> dict[Member, None]:
    """The tuples of the group that a binding names."""
    names = _names(element)
    groups = _collector(element, frozenset(names))(world, dict(binding))
    return groups.get(tuple(binding[name] for name in names), {})


def _names(element: Aggregate) -> list[str]:
    return [variable.name for variable in element.groups]


def _value(element: Aggregate, members: dict[Member, None]) -> Value | None:
    return fold(element.fold, [member[0] for member in members], element.level)


# -- words


def _text(element: Aggregate, text: str) -> str:
    """The aggregate itself, if it is only a part of the comparison in the program."""
    return text if element.result.is_users or element.written is None else write_term(element.written)


def _is(element: Aggregate, binding: Values, value: Value) -> str:
    group = tuple(binding[name] for name in _names(element))
    return f"the {element.fold.value}{_for(element, group)} is {write_value(value)}"


def _for(element: Aggregate, group: Sequence[Value]) -> str:
    parts = [f"{name} = {write_value(value)}" for name, value in zip(_names(element), group, strict=True)]
    return f" for {', '.join(parts)}" if parts else ""


def _listed(members: dict[Member, None]) -> str:
    """The first members, and how many more there are."""
    ordered = sorted(members, key=lambda member: tuple(map(value_order, member)))
    texts = [", ".join(map(write_value, member)) for member in ordered[:MOST_SHOWN]]
    shown = [text if len(ordered[0]) == 1 else f"({text})" for text in texts]
    more = f" and {len(ordered) - MOST_SHOWN} more" if len(ordered) > MOST_SHOWN else ""
    return ", ".join(shown) + more if shown else "there are none"


def shortfall(prover: Prover, element: Aggregate, test: Comparison, binding: Values) -> str | None:
    """What a comparison with a count lacks: "18, but more than 20 are needed"; None for other comparisons."""
    has, needed = _sides(element, test, binding)
    if has is None or needed is None or element.fold is not Fold.COUNT:
        return None
    wants = {">": f"more than {write_value(needed)}", ">=": f"at least {write_value(needed)}"}.get(_sign(element, test))
    if wants is None:
        return None
    group = tuple(binding[name] for name in _names(element))
    text = f"{write_value(has)}{_for(element, group)}, but {wants} are needed"
    leaving = _first_leaving(prover.world, element, binding)
    if leaving is None or leaving.time == inf or not leaving.size:
        return text
    which = "it" if leaving.size == 1 else f"one of the {leaving.size}"
    return f"{text}; {which} leaves the window after {leaving.time}"


def _sides(element: Aggregate, test: Comparison, binding: Values) -> tuple[Value | None, Value | None]:
    """The result, and the value that it is compared with."""
    has, other = (test.left, test.right) if test.left == element.result else (test.right, test.left)
    return (evaluate(has, binding), evaluate(other, binding)) if has == element.result else (None, None)


def _sign(element: Aggregate, test: Comparison) -> str:
    flipped = {"<": ">", "<=": ">="}
    return test.operator if test.left == element.result else flipped.get(test.operator, "")


# -- when a set changes


class _Leaving(NamedTuple):
    """The last time at which a set stays the same if nothing arrives, and the number of its members."""

    time: float
    size: int


def _first_leaving(world: World, element: Aggregate, binding: Values) -> _Leaving | None:
    """Until when a set of facts of one time window stays the same; None for other kinds of body."""
    atom = _only_atom(world, element)
    if atom is None or not isinstance(atom.window, TimeWindow):
        return None
    ends: dict[Member, float] = {}
    for member, time in _dated_members(world, element, atom, binding):
        last = atom.window.exit(time)
        ends[member] = max(ends.get(member, -inf), inf if last is None else last)
    return _Leaving(min(ends.values(), default=inf), len(ends))


def _only_atom(world: World, element: Aggregate) -> ExtendedAtom | None:
    """The only atom of a body, if it is positive, always a fact, and cannot enter a window as time passes."""
    atoms = element.atoms
    if len(atoms) != 1 or not atoms[0].is_positive or atoms[0].predicate in world.core.derived | world.core.given:
        return None
    (atom,) = atoms
    plain = isinstance(atom.window, TimeWindow) and not atom.window.is_delayed
    return atom if plain and not isinstance(atom.modality, Always | AtLeast) else None


def _dated_members(
    world: World, element: Aggregate, atom: ExtendedAtom, binding: Values
) -> Iterator[tuple[Member, int]]:
    """The members with the time points of their facts."""
    from laser.explanation.questions import steps

    names = _names(element)
    found: list[tuple[Member, dict[Any, Any]]] = []

    def emit(inner: Binding) -> bool:
        member = tuple(evaluate(term, inner) for term in element.folded)
        if None not in member:
            found.append((member, dict(inner)))  # type: ignore[arg-type]
        return False

    steps(element.body, frozenset(names))(world, {name: binding[name] for name in names}, emit)
    for member, inner in found:
        for entries in atom_supports(world, atom, inner):
            yield from ((member, time) for time, _ in entries)
