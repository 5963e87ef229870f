"""Bodies as chains of functions: each step finds values for its variables and calls the next, until one says that it is enough.

A step runs with a *binding* that all steps of the chain share: which variables a step sets is known when the chain is made,
so that nothing is ever copied. ``emit`` is called with the binding of every solution and returns whether to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain as joined
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from laser.explanation.table import Key
from laser.rules.body import ALWAYS, NOW, SOMETIME, BodyElement, Comparison, ExtendedAtom
from laser.syntax import tree
from laser.values import Atom, Value
from laser.values.operations import COMPARISONS, apply, compare

if TYPE_CHECKING:
    from laser.explanation.world import World

__all__ = ["Binding", "Emit", "Step", "binds", "chain", "is_named", "is_ready", "term_value", "variables"]

Binding: TypeAlias = dict[Any, Any]
Emit: TypeAlias = Callable[[Binding], bool]
Step: TypeAlias = Callable[["World", Binding, Emit], bool]

LOW, HIGH = ("low",), ("high",)
"""Where a binding keeps the time points between which the time of a head must lie."""


def variables(term: tree.Term) -> Iterator[str]:
    """The names of the variables of a term."""
    match term:
        case tree.Variable(name=name):
            yield name
        case tree.Arithmetic(operands=operands):
            for operand in operands:
                yield from variables(operand)


def is_named(name: str) -> bool:
    """Whether a variable is the user's, and not a lone ``_``, which the body mentions once, or a computed argument."""
    return not name.startswith(("_#", "_="))


def _terms(atom: ExtendedAtom) -> tuple[tree.Term, ...]:
    return atom.args if atom.time is None else (*atom.args, atom.time)


def binds(element: BodyElement, bound: frozenset[str]) -> frozenset[str]:
    """The variables to which an element gives values, if it is its turn."""
    if isinstance(element, Comparison):
        return frozenset(variables(element.left)) | frozenset(variables(element.right))
    if element.negated:
        return frozenset()
    terms = _terms(element) if not element.negated_inside else (element.time,)
    return frozenset(term.name for term in terms if isinstance(term, tree.Variable))


def is_ready(element: BodyElement, bound: frozenset[str]) -> bool:
    """Whether an element can have its turn: what it does not bind itself is bound."""
    if isinstance(element, Comparison):
        free = [set(variables(side)) - bound for side in (element.left, element.right)]
        return not any(free) or _assigned(element, bound) is not None
    needs = {name for term in _terms(element) for name in variables(term)} - binds(element, bound)
    return all(name in bound or name.startswith("_#") for name in needs)


def _assigned(test: Comparison, bound: frozenset[str]) -> tuple[str, tree.Term] | None:
    """The variable that ``=`` sets, and to what."""
    if test.operator == "=":
        for target, source in ((test.left, test.right), (test.right, test.left)):
            if isinstance(target, tree.Variable) and target.name not in bound and bound.issuperset(variables(source)):
                return target.name, source
    return None


def term_value(term: tree.Term) -> Callable[[Binding], Value | None]:
    """A function from bindings to the value of a term; None where arithmetic is not defined."""
    match term:
        case tree.Variable(name=name):
            return itemgetter(name)
        case tree.Constant(value=value):
            return lambda binding: value
        case tree.Arithmetic(operator=operator, operands=operands):
            parts = [term_value(operand) for operand in operands]
            return lambda binding: _applied(operator, [part(binding) for part in parts])
        case _:
            raise AssertionError(f"{term} is resolved before evaluation")


def _applied(operator: str, values: list[Value | None]) -> Value | None:
    known = [value for value in values if value is not None]
    return apply(operator, *known) if len(known) == len(values) else None


def chain(elements: Sequence[BodyElement], bound: frozenset[str], ranged: str | None) -> Step:
    """The steps of elements in their order, each of them ready when it is its turn.

    ``ranged`` is the variable of the head's time where only a range for it is given.
    """
    turns = []
    for element in elements:
        turns.append((element, bound))
        bound |= binds(element, bound)
    step: Step = _solved
    for element, known in reversed(turns):
        step = _step(element, known, ranged, step)
    return step


def _solved(world: World, binding: Binding, emit: Emit) -> bool:
    return emit(binding)


def _found(world: World, binding: Binding, emit: Emit) -> bool:
    return True


def _step(element: BodyElement, bound: frozenset[str], ranged: str | None, then: Step) -> Step:
    if isinstance(element, Comparison):
        return _test(element, bound, then)
    if element.negated:
        return _not(_modal(element, bound, None, _found), then)
    return _modal(element, bound, ranged, then)


def _test(test: Comparison, bound: frozenset[str], then: Step) -> Step:
    assigned = _assigned(test, bound)
    if assigned is not None:
        return _assign(assigned[0], term_value(assigned[1]), then)
    operator, left_of, right_of = test.operator, term_value(test.left), term_value(test.right)
    simply = COMPARISONS[operator]

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        left, right = left_of(binding), right_of(binding)
        if type(left) is int is type(right):
            return simply(left, right) and then(world, binding, emit)
        holds = left is not None and right is not None and compare(operator, left, right)
        return bool(holds) and then(world, binding, emit)

    return step


def _assign(name: str, value_of: Callable[[Binding], Value | None], then: Step) -> Step:
    def step(world: World, binding: Binding, emit: Emit) -> bool:
        value = binding[name] = value_of(binding)
        return value is not None and then(world, binding, emit)

    return step


def _not(found: Step, then: Step) -> Step:
    def step(world: World, binding: Binding, emit: Emit) -> bool:
        return not found(world, binding, emit) and then(world, binding, emit)

    return step


class Shape:
    """Of an atom in a chain: which arguments are known, which variables it sets, which must agree with each other."""

    def __init__(self, element: ExtendedAtom, bound: frozenset[str], ranged: str | None) -> None:
        self.element = element
        self.constants: dict[Any, Value] = {}
        key: list[int] = []
        names: list[Any] = []
        self.new: list[tuple[int, str]] = []
        self.same: list[tuple[int, str]] = []
        self.time_name, self.time_is_new, self.ranged = self._time(element, bound), False, False
        if self.time_name is not None and self.time_name not in bound and self.time_name not in self.constants:
            self.time_is_new, self.ranged = True, self.time_name == ranged
        for place, term in enumerate(element.args, 1):
            if isinstance(term, tree.Constant):
                self.constants["constant", place] = term.value
                key.append(place)
                names.append(("constant", place))
            else:
                assert isinstance(term, tree.Variable), "arithmetic in atoms is named by equations"
                self._variable(place, term.name, bound, key, names)
        self.key: Key = tuple(key)
        self.names = names
        self.named = [(place, name) for place, name in self.new if not name.startswith("_#")]
        self.distinguish = itemgetter(*(place for place, _ in self.named)) if self.named else None
        self.binds_time = self.time_is_new and self.time_name is not None and not str(self.time_name).startswith("_#")

    def _time(self, element: ExtendedAtom, bound: frozenset[str]) -> Any:
        if isinstance(element.time, tree.Constant):
            self.constants["constant", 0] = element.time.value
            return ("constant", 0)
        return element.time.name if isinstance(element.time, tree.Variable) else None

    def _variable(self, place: int, name: str, bound: frozenset[str], key: list[int], names: list[Any]) -> None:
        if name in bound:
            key.append(place)
            names.append(name)
        elif (self.time_is_new and name == self.time_name) or any(name == other for _, other in self.new):
            self.same.append((place, name))
        else:
            self.new.append((place, name))

    def values(self, binding: Binding) -> Any:
        """The known arguments, as tables are asked for them."""
        constants = self.constants
        found = [constants[n] if n in constants else binding[n] for n in self.names]
        return found[0] if len(found) == 1 else tuple(found)

    def take(self, atom: Atom, binding: Binding) -> bool:
        """Set the new variables to an atom's arguments; whether those that must agree do."""
        for place, name in self.new:
            binding[name] = atom[place]
        return all(binding[name] == atom[place] for place, name in self.same)

    def bounds(self, world: World, binding: Binding) -> tuple[int, int] | None:
        """The time points at which to look, if there are any."""
        element = self.element
        if element.modality == NOW:
            return world.time, world.time
        low, high = world.bounds(element.window)
        if self.time_name is None:
            return low, high
        if self.ranged:
            low, high = max(low, binding[LOW]), min(high, binding[HIGH])
        elif not self.time_is_new:
            time = self.constants[self.time_name] if self.time_name in self.constants else binding[self.time_name]
            low, high = (max(low, time), min(high, time)) if type(time) is int else (1, 0)
        return (low, high) if low <= high else None


def _modal(element: ExtendedAtom, bound: frozenset[str], ranged: str | None, then: Step) -> Step:
    shape = Shape(element, bound, ranged)
    if element.negated_inside:
        return _absent(shape, then)
    return _always(shape, then) if element.modality == ALWAYS else _some(shape, then)


def _some(shape: Shape, then: Step) -> Step:
    """Now, at some time of the window, or at the one that is named."""
    one_is_enough = not shape.named and not shape.binds_time
    # The same values can come again only where times or other arguments are not told apart.
    comes_again = (shape.element.modality == SOMETIME or shape.time_is_new) and not shape.binds_time
    comes_again |= len(shape.named) < len(shape.new)
    distinguish, time_name, new = shape.distinguish, shape.time_name, shape.new

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        bounds = shape.bounds(world, binding)
        if bounds is None:
            return False
        seen = set()
        for time, atom in _entries(world, shape, binding, bounds):
            if shape.time_is_new:
                binding[time_name] = time
            for place, name in new:
                binding[name] = atom[place]
            if shape.same and not shape.take(atom, binding):
                continue
            if one_is_enough:
                return then(world, binding, emit)
            if comes_again:
                mark = (shape.binds_time and time, distinguish and distinguish(atom))
                if mark in seen:
                    continue
                seen.add(mark)
            if then(world, binding, emit):
                return True
        return False

    return step


def _entries(world: World, shape: Shape, binding: Binding, bounds: tuple[int, int]) -> Iterable[tuple[int, Atom]]:
    """What there is at the time points: background data, facts, derived atoms."""
    element, values = shape.element, shape.values(binding)
    found = world.find(element.predicate, shape.key, values, *bounds, element.window)
    background = world.background(element.predicate, shape.key, values)
    if not background:
        return found
    times: Iterable[int] = range(bounds[1], bounds[0] - 1, -1) if shape.time_is_new else bounds[1:]
    return joined(((time, atom) for atom in background for time in times), found)


def _always(shape: Shape, then: Step) -> Step:
    """One atom at every time point of the window."""

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        seen = set()
        for atom in world.steady(shape.element, shape.key, shape.values(binding)):
            if not shape.take(atom, binding):
                continue
            if shape.distinguish is None:
                return then(world, binding, emit)
            mark = shape.distinguish(atom)
            if mark not in seen:
                seen.add(mark)
                if then(world, binding, emit):
                    return True
        return False

    return step


def _absent(shape: Shape, then: Step) -> Step:
    """A time point of the window at which there is no such atom."""
    name = shape.time_name

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        bounds = shape.bounds(world, binding)
        if bounds is None:
            return False
        there = _times(world, shape, binding, bounds)
        for time in range(bounds[1], bounds[0] - 1, -1):
            if time not in there:
                if shape.time_is_new:
                    binding[name] = time
                if then(world, binding, emit):
                    return True
        return False

    return step


def _times(world: World, shape: Shape, binding: Binding, bounds: tuple[int, int]) -> Collection[int]:
    """The time points at which there is such an atom."""
    element, values, name = shape.element, shape.values(binding), shape.time_name
    background = world.background(element.predicate, shape.key, values)
    everywhere = range(bounds[0], bounds[1] + 1)
    if background and not shape.same:
        return everywhere
    there = set()
    entries = [(time, atom) for atom in background for time in everywhere]
    for time, atom in (*entries, *world.find(element.predicate, shape.key, values, *bounds, element.window)):
        if shape.time_is_new:
            binding[name] = time
        if not shape.same or shape.take(atom, binding):
            there.add(time)
    return there
