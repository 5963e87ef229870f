"""Solves atoms of bodies by looking them up in the world."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import chain as joined
from itertools import combinations
from math import comb
from operator import itemgetter
from typing import TYPE_CHECKING, Any, assert_never

from laser.explanation.element import HIGH, LOW, Binding, Cost, Emit, Step, Values
from laser.explanation.sequences import TimePoints
from laser.explanation.table import Positions, TimedAtom, given_values
from laser.rules.body import Always, At, AtLeast, ExtendedAtom, Now, Sometime
from laser.syntax import tree
from laser.syntax.terms import evaluate
from laser.values import Atom, Value
from laser.windows import LastOf

if TYPE_CHECKING:
    from laser.explanation.world import World

__all__ = ["AtomAccess", "atom_cost", "atom_step", "atom_supports", "value_of"]

MOST_CHOICES = 100
"""If there are more ways to choose time points than this, only consecutive ones are tried."""


def value_of(term: tree.Term) -> Callable[[Binding], Value | None]:
    """``evaluate`` for a fixed term; the check for a variable or constant, which most terms are, is done only once."""
    match term:
        case tree.Variable(name=name):
            return itemgetter(name)
        case tree.Constant(value=value):
            return lambda binding: value
        case _:
            return partial(evaluate, term)


def atom_cost(element: ExtendedAtom, bound: AbstractSet[str], ranged: str | None) -> Cost:
    """The number of variables that an atom leaves open; atoms that filter come before those that bind."""
    open_args = sum(isinstance(term, tree.Variable) and term.name not in bound for term in element.args)
    time = element.time.name if isinstance(element.time, tree.Variable) else None
    open_time = time is not None and time not in bound
    if element.negated:
        return (1, 1)
    if element.negated_inside:
        return (3, 0) if open_time else (1, 1)
    # An atom that binds the time of a head can use the range given for it, so it comes before atoms that cannot.
    known = len(element.args) - open_args + (ranged is not None and time == ranged)
    return (1 if not open_args and not open_time else 2, open_args + open_time - 2 * known)


def atom_step(element: ExtendedAtom, bound: AbstractSet[str], ranged: str | None, then: Step) -> Step:
    """An atom as a step of a body."""
    if element.negated:
        return _not(_modal(AtomAccess(element, bound), _found), then)
    return _modal(AtomAccess(element, bound, ranged), then)


def atom_supports(world: World, element: ExtendedAtom, binding: Values) -> Iterator[Sequence[TimedAtom]]:
    """The ways to make a positive atom hold: background data first, then the latest atoms."""
    access = AtomAccess(element, binding.keys())
    bounds, values = access.bounds(world, binding), access.values(binding)
    assert bounds is not None, "an atom that holds has a time point"
    for atom in world.background(element.predicate, access.positions, values):
        yield [(bounds[1], atom)]
    found = world.find(element.predicate, access.positions, values, *bounds, element.window)
    match element.modality:
        case Always():
            atoms = set(world.at_every_point(element, access.positions, values))
            yield from (TimePoints(*bounds, atom) for atom in sorted(atoms - world.core.background))
        case AtLeast(times=least):
            for times, atom in _often_enough(found, least):
                some = _choices(times, least) if element.predicate in world.rules.component else [times[-least:]]
                yield from ([(time, atom) for time in chosen] for chosen in some)
        case Now() | Sometime() | At():
            yield from ([entry] for entry in found)
        case _:
            assert_never(element.modality)


def _often_enough(found: Iterable[TimedAtom], least: int) -> Iterator[tuple[list[int], Atom]]:
    """The atoms that hold at this many time points, with all of their time points."""
    times: dict[Atom, set[int]] = {}
    for time, atom in found:
        times.setdefault(atom, set()).add(time)
    for atom in sorted(times):
        if len(times[atom]) >= least:
            yield sorted(times[atom]), atom


def _choices(times: Sequence[int], least: int) -> Iterator[Sequence[int]]:
    """Ways to choose this many time points, the latest first. More than one is tried because, in a recursion, an atom could
    otherwise be part of its own support.
    """
    if comb(len(times), least) <= MOST_CHOICES:
        yield from (sorted(chosen) for chosen in combinations(reversed(times), least))
    else:
        yield from (times[end - least : end] for end in range(len(times), least - 1, -1))


def _found(world: World, binding: Binding, emit: Emit) -> bool:
    return True


def _not(found: Step, then: Step) -> Step:
    def step(world: World, binding: Binding, emit: Emit) -> bool:
        return not found(world, binding, emit) and then(world, binding, emit)

    return step


def _modal(access: AtomAccess, then: Step) -> Step:
    if access.element.negated_inside:
        return _absent(access, then)
    match access.element.modality:
        case Always():
            return _whole(access, _at_every_point, then)
        case AtLeast(times=least):
            return _whole(access, partial(_at_many_points, least), then)
        case Now() | Sometime() | At():
            return _some(access, then)
        case _:
            assert_never(access.element.modality)


def _at_every_point(world: World, element: ExtendedAtom, positions: Positions, values: Any) -> Iterator[Atom]:
    return world.at_every_point(element, positions, values)


def _at_many_points(
    least: int, world: World, element: ExtendedAtom, positions: Positions, values: Any
) -> Iterator[Atom]:
    return world.at_many_points(element, least, positions, values)


class AtomAccess:
    """How an atom is looked up: the known arguments, the variables that it sets, and those that must have equal values."""

    def __init__(self, element: ExtendedAtom, bound: AbstractSet[str], ranged: str | None = None) -> None:
        self.element = element
        self._time(element.time, bound, ranged)
        self.new: list[tuple[int, str]] = []
        self.same: list[tuple[int, str]] = []
        known: list[tuple[int, Callable[[Binding], Any]]] = []
        named: list[int] = []
        for place, term in enumerate(element.args, 1):
            if not isinstance(term, tree.Variable) or term.name in bound:
                known.append((place, value_of(term)))
            elif term.name == self.new_time or any(term.name == name for _, name in self.new):
                self.same.append((place, term.name))
            else:
                self.new.append((place, term.name))
                named += [] if term.is_anonymous else [place]
        self.positions: Positions = tuple(place for place, _ in known)
        self._known = [value for _, value in known]
        self.has_anonymous = len(named) < len(self.new)
        self.key = _key_getter(element, bound)
        """The key of the window; None if it is not known yet."""
        self.distinguish = itemgetter(*named) if named else None
        """The values that distinguish solutions; None if it sets no variable that is used."""

    def _time(self, time: tree.Term | None, bound: AbstractSet[str], ranged: str | None) -> None:
        is_new = isinstance(time, tree.Variable) and time.name not in bound
        self.new_time = time.name if is_new and isinstance(time, tree.Variable) else None
        self.known_time = None if time is None or is_new else value_of(time)
        self.is_ranged = self.new_time is not None and self.new_time == ranged
        self.tells_time = is_new and isinstance(time, tree.Variable) and not time.is_anonymous

    def values(self, binding: Any) -> Any:
        """The known arguments, in the form that tables expect."""
        return given_values([value(binding) for value in self._known])

    def take(self, atom: Atom, binding: Binding) -> bool:
        """Set the new variables to the arguments of an atom; returns whether repeated variables have equal values."""
        for place, name in self.new:
            binding[name] = atom[place]
        return all(binding[name] == atom[place] for place, name in self.same)

    def fits(self, entry: TimedAtom, binding: Values) -> bool:
        """Whether repeated variables have equal values, including the time."""
        return not self.same or self.take(entry[1], {**binding, self.new_time: entry[0]})

    def bounds(self, world: World, binding: Any) -> tuple[int, int] | None:
        """The first and last time point to search, if there are any."""
        key = None if self.key is None else self.key(binding)
        return self.narrow(*world.bounds(self.element.window, key), binding)

    def is_inside(self, world: World, time: int, atom: Sequence[Any]) -> bool:
        """Whether a time is in the window of an atom. If the key is known, ``bounds`` has already checked that."""
        window = self.element.window
        if self.key is not None or not isinstance(window, LastOf):
            return True
        return time >= world.bounds(window, window.key_of(atom))[0]

    def instance(self, binding: Values) -> Sequence[Any]:
        """The atom with the values that it has so far; None for the others."""
        return (self.element.predicate.name, *(evaluate(term, binding) for term in self.element.args))

    def narrow(self, low: int, high: int, binding: Any) -> tuple[int, int] | None:
        """The time points of [low, high] that the time of the atom allows, if there are any."""
        if self.is_ranged:
            low, high = max(low, binding[LOW]), min(high, binding[HIGH])
        elif self.known_time is not None:
            time = self.known_time(binding)
            low, high = (max(low, time), min(high, time)) if type(time) is int else (1, 0)
        return (low, high) if low <= high else None


def _key_getter(element: ExtendedAtom, bound: AbstractSet[str]) -> Callable[[Any], tuple[Any, ...]] | None:
    """A function that gets the key of a window from a binding."""
    window = element.window
    if not isinstance(window, LastOf):
        return lambda binding: ()
    terms = [element.args[place] for place in window.per]
    if any(isinstance(term, tree.Variable) and term.name not in bound for term in terms):
        return None
    values = list(map(value_of, terms))
    return lambda binding: tuple(value(binding) for value in values)


def _some(access: AtomAccess, then: Step) -> Step:
    """An atom at the present, at some time of the window, or at a given time."""
    one_is_enough = access.distinguish is None and not access.tells_time
    # The same values can occur again only if solutions do not distinguish times or other arguments.
    any_time = isinstance(access.element.modality, Sometime) or access.new_time is not None
    comes_again = (any_time and not access.tells_time) or access.has_anonymous
    distinguish, time_name, new = access.distinguish, access.new_time, access.new

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        bounds = access.bounds(world, binding)
        if bounds is None:
            return False
        seen = set()
        for time, atom in _entries(world, access, binding, bounds):
            if time_name is not None:
                binding[time_name] = time
            for place, name in new:
                binding[name] = atom[place]
            if access.same and not access.take(atom, binding):
                continue
            if one_is_enough:
                return then(world, binding, emit)
            if comes_again:
                mark = (access.tells_time and time, distinguish and distinguish(atom))
                if mark in seen:
                    continue
                seen.add(mark)
            if then(world, binding, emit):
                return True
        return False

    return step


def _entries(world: World, access: AtomAccess, binding: Binding, bounds: tuple[int, int]) -> Iterable[TimedAtom]:
    """All atoms at the time points: background data, facts, derived atoms."""
    element, values = access.element, access.values(binding)
    found = world.find(element.predicate, access.positions, values, *bounds, element.window)
    background = world.background(element.predicate, access.positions, values)
    if not background:
        return found
    times: Iterable[int] = range(bounds[1], bounds[0] - 1, -1) if access.new_time is not None else bounds[1:]
    given = ((time, atom) for atom in background for time in times if access.is_inside(world, time, atom))
    return joined(given, found)


def _whole(
    access: AtomAccess, find: Callable[[World, ExtendedAtom, Positions, Any], Iterator[Atom]], then: Step
) -> Step:
    """One atom, found by ``find``, which looks at all time points of the window."""

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        seen = set()
        for atom in find(world, access.element, access.positions, access.values(binding)):
            if not access.take(atom, binding):
                continue
            if access.distinguish is None:
                return then(world, binding, emit)
            mark = access.distinguish(atom)
            if mark not in seen:
                seen.add(mark)
                if then(world, binding, emit):
                    return True
        return False

    return step


def _absent(access: AtomAccess, then: Step) -> Step:
    """A time point of the window at which no such atom holds."""
    name = access.new_time

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        bounds = access.bounds(world, binding)
        if bounds is None:
            return False
        there = _times(world, access, binding, bounds)
        for time in range(bounds[1], bounds[0] - 1, -1):
            if time not in there:
                if name is not None:
                    binding[name] = time
                if access.is_inside(world, time, access.instance(binding)) and then(world, binding, emit):
                    return True
        return False

    return step


def _times(world: World, access: AtomAccess, binding: Binding, bounds: tuple[int, int]) -> Collection[int]:
    """The time points at which such an atom holds."""
    element, values, name = access.element, access.values(binding), access.new_time
    background = world.background(element.predicate, access.positions, values)
    everywhere = range(bounds[0], bounds[1] + 1)
    if background and not access.same:
        return everywhere
    there = set()
    entries = [(time, atom) for atom in background for time in everywhere]
    for time, atom in (*entries, *world.find(element.predicate, access.positions, values, *bounds, element.window)):
        if name is not None:
            binding[name] = time
        if not access.same or access.take(atom, binding):
            there.add(time)
    return there
