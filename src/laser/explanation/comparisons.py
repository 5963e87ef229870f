"""Explanations of comparisons, which filter or assign a variable and depend only on values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from laser.explanation.element import Binding, Cost, ElementExplainer, Emit, NearMiss, Step, Validity, Values
from laser.explanation.explanation import Premise, Proof
from laser.explanation.solve import value_of
from laser.explanation.table import TimedAtom
from laser.explanation.words import filled
from laser.rules.body import Comparison
from laser.syntax.terms import evaluate, variables
from laser.values import Value
from laser.values.operations import COMPARISONS, compare, is_number
from laser.values.texts import NOT

if TYPE_CHECKING:
    from laser.explanation.lasting import Validities
    from laser.explanation.prove import Prover
    from laser.explanation.world import World

__all__ = ["ComparisonExplainer"]

FARTHEST = -1e300
"""The closeness of values that cannot be compared."""


class ComparisonExplainer(ElementExplainer[Comparison]):
    """Comparisons and assignments."""

    attempts = 2000  # attempts are cheap, and the nearest value is worth finding

    def cost(self, element: Comparison, bound: AbstractSet[str], ranged: str | None) -> Cost:
        return (0, 0)

    def step(self, element: Comparison, bound: AbstractSet[str], ranged: str | None, then: Step) -> Step:
        assigned = element.assigns(bound)
        return _test(element, then) if assigned is None else _assign(assigned[0], value_of(assigned[1]), then)

    def premise(
        self, world: World, element: Comparison, binding: Values, proofs: Sequence[Proof], text: str
    ) -> Premise:
        return Premise(text, "comparison", _written(element, binding))

    def near_miss(self, prover: Prover, element: Comparison, binding: Values) -> NearMiss:
        reason, closeness = _why_false(element, binding)
        names = frozenset(variable.name for variable in variables(element.terms))
        return NearMiss(reason, closeness=closeness, concerns=names)

    def validity(
        self, validities: Validities, element: Comparison, binding: Values, entries: Sequence[TimedAtom]
    ) -> Validity:
        return Validity()


def _test(test: Comparison, then: Step) -> Step:
    operator, left_of, right_of = test.operator, value_of(test.left), value_of(test.right)
    simply = COMPARISONS.get(operator)

    def step(world: World, binding: Binding, emit: Emit) -> bool:
        left, right = left_of(binding), right_of(binding)
        if simply is not None and type(left) is int is type(right):
            return simply(left, right) and then(world, binding, emit)
        holds = left is not None and right is not None and compare(operator, left, right)
        return bool(holds) and then(world, binding, emit)

    return step


def _assign(name: str, value_of: Callable[[Binding], Value | None], then: Step) -> Step:
    def step(world: World, binding: Binding, emit: Emit) -> bool:
        value = binding[name] = value_of(binding)
        return value is not None and then(world, binding, emit)

    return step


def _written(test: Comparison, binding: Values) -> str:
    """A comparison with its values filled in: ``31 >= 100``."""
    left, right = filled(test.left, binding), filled(test.right, binding)
    return f"{left} {test.operator} {right}" if test.operator in COMPARISONS else f"{test.operator}({left}, {right})"


def _why_false(test: Comparison, binding: Values) -> tuple[str, float]:
    """The reason, and how far the values are from making it true."""
    assigned = test.assigns(binding.keys())
    sides = test.terms if assigned is None else (assigned[1],)
    values = [evaluate(side, binding) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if value is None:
            return f"{filled(side, binding)} has no value", FARTHEST
    left, right = values
    assert left is not None
    assert right is not None
    if compare(test.operator, left, right) is None:
        why = "values of different types cannot be ordered" if test.operator in COMPARISONS else "it needs two strings"
        return f"{_written(test, binding)} is not defined: {why}", FARTHEST
    if test.operator.startswith(NOT):
        return f"{_written(test, binding).removeprefix(NOT)} holds", -1.0
    return f"{_written(test, binding)} is false", -_distance(left, right)


def _distance(left: Value, right: Value) -> float:
    return abs(float(left) - float(right)) if is_number(left) and is_number(right) else 1.0  # type: ignore[arg-type]
