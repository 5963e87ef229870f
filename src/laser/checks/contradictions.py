"""Parts of a body that can never hold together, whatever the data: two comparisons, or a literal and a negated one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from laser.syntax import tree
from laser.syntax.terms import evaluate
from laser.values import Value
from laser.values.operations import compare
from laser.values.texts import negated
from laser.windows import PRESENT, Sliding, TimeWindow, Window

__all__ = ["conflict", "excludes", "first_conflict", "implies", "is_irreflexive", "strongest"]

OUTCOMES = {"=": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}
"""The orders of two values, smaller, equal or greater, under which a comparison holds."""

FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

Windows = Callable[[tree.Window | None], Window | None]
"""A window as it is evaluated; None if there is no window or it is not known."""


def is_irreflexive(operator: str) -> bool:
    """Whether the comparison of a value with itself is always false."""
    return operator in OUTCOMES and 0 not in OUTCOMES[operator]


def first_conflict(
    tests: Iterable[tree.Comparison], values: Mapping[str, Value]
) -> tuple[tree.Comparison, tree.Comparison] | None:
    """Two comparisons that cannot both hold, the second one as early as possible; None if there are none."""
    seen = _Seen(values)
    texts: dict[Hashable, tree.Comparison] = {}
    for test in tests:
        if test.operator not in OUTCOMES:  # a test of strings excludes only its own opposite
            texts[test.operator, test.left, test.right] = test
            if (opposite := texts.get((negated(test.operator), test.left, test.right))) is not None:
                return opposite, test
            continue
        for earlier in seen.rivals(test):
            if conflict(earlier, test, values):
                return earlier, test
        seen.add(test)
    return None


@dataclass(frozen=True)
class _Seen:
    """Comparisons that do not contradict each other, indexed by their sides and variables.

    A few comparisons represent all: a new one that conflicts with any of them also conflicts with the first that has the
    same sides and operator, or with the highest lower bound, the lowest upper bound or the one value of its variable.
    """

    values: Mapping[str, Value]
    by_key: dict[Hashable, tree.Comparison] = field(default_factory=dict)

    def rivals(self, test: tree.Comparison) -> Iterator[tree.Comparison]:
        """The earlier comparisons that a new one must be checked against."""
        keys: list[Hashable] = [(test.left, test.right, operator) for operator in OUTCOMES]
        keys += [(test.right, test.left, operator) for operator in OUTCOMES]
        if (bound := self.bound(test)) is not None:
            variable, _, limit = bound
            keys += [(variable, "<"), (variable, ">"), (variable, "="), (variable, "!=", limit)]
        return (self.by_key[key] for key in keys if key in self.by_key)

    def add(self, test: tree.Comparison) -> None:
        self.by_key.setdefault((test.left, test.right, test.operator), test)
        if (bound := self.bound(test)) is not None:
            variable, operator, limit = bound
            key = (variable, "!=", limit) if operator == "!=" else (variable, operator[0])
            if self.is_tighter(operator, limit, self.by_key.setdefault(key, test)):
                self.by_key[key] = test

    def is_tighter(self, operator: str, limit: Value, earlier: tree.Comparison) -> bool:
        """Whether a bound is stricter than an earlier one in the same direction."""
        _, _, before = self.bound(earlier) or ("", "", limit)
        if operator[0] not in "<>":
            return False
        return operator in "<>" if limit == before else bool(compare(operator[0], limit, before))

    def bound(self, test: tree.Comparison) -> tuple[str, str, Value] | None:
        """The variable, operator and value of a comparison between a variable and a value, in either order."""
        for side in (test, _flipped(test)):
            if isinstance(side.left, tree.Variable) and (limit := evaluate(side.right, {}, self.values)) is not None:
                return side.left.name, side.operator, limit
        return None


def conflict(first: tree.Comparison, second: tree.Comparison, values: Mapping[str, Value]) -> bool:
    """Whether two comparisons cannot both hold: ``X < Y, Y <= X``, or ``X > 5, 3 > X``."""
    return any(_conflict(first, other, values) for other in (second, _flipped(second)))


def _flipped(test: tree.Comparison) -> tree.Comparison:
    return replace(test, operator=FLIPPED[test.operator], left=test.right, right=test.left)


def _conflict(first: tree.Comparison, second: tree.Comparison, values: Mapping[str, Value]) -> bool:
    """Whether they conflict because their sides are equal, or because of bounds on the same variable."""
    if first.left == second.left and first.right == second.right:
        return not OUTCOMES[first.operator] & OUTCOMES[second.operator]
    for one, two in ((first, second), (_flipped(first), _flipped(second))):
        bound, limit = evaluate(one.right, {}, values), evaluate(two.right, {}, values)
        if isinstance(one.left, tree.Variable) and one.left == two.left and bound is not None and limit is not None:
            return excludes(one.operator, bound, two.operator, limit)
    return False


def excludes(operator: str, bound: Value, other: str, limit: Value) -> bool:
    """Whether no value satisfies both ``operator bound`` and ``other limit``.

    >>> excludes(">", 5, "<", 3), excludes(">=", 5, "<=", 5), excludes("=", 5, ">", 7), excludes(">", 1, "=", "red")
    (True, False, True, True)
    """
    if operator == "=":
        return not compare(other, bound, limit)
    if other == "=":
        return not compare(operator, limit, bound)
    if "!=" in (operator, other):
        return False
    if operator[0] == other[0]:
        return compare("<", bound, limit) is None
    if operator[0] == "<":
        operator, bound, other, limit = other, limit, operator, bound
    both_reach = operator == ">=" and other == "<="
    return not compare("<=" if both_reach else "<", bound, limit)


def implies(strong: tree.Literal, weak: tree.Literal, windows: Windows) -> bool:
    """Whether ``weak`` holds wherever ``strong`` does. Both are positive, apart from inner negations."""
    if strong == weak:
        return True
    if strong.atom != weak.atom or strong.negated_inside or weak.negated_inside:
        return False
    if weak.modality == "now":
        return strong.modality == "always" and _shows_present(windows(strong.window))
    return weak.modality == "sometime" and _is_within(_found_in(strong, windows), windows(weak.window))


def strongest(literals: Sequence[tree.Literal], windows: Windows) -> list[tree.Literal]:
    """The few of several positive literals about one atom that together imply everything the others imply."""
    plain = [literal for literal in literals if not literal.negated_inside]
    found = {w: literal for literal in plain if isinstance(w := _found_in(literal, windows), TimeWindow)}
    shortest = min((w for w in found if isinstance(w, Sliding)), key=lambda window: window.ticks, default=None)
    always = [e for e in plain if e.modality == "always" and _shows_present(windows(e.window))]
    return [e for w, e in found.items() if w == shortest or not isinstance(w, Sliding)] + always[:1]


def _found_in(strong: tree.Literal, windows: Windows) -> Window | None:
    """The window in which a literal finds its atom when it holds."""
    window = windows(strong.window)
    if strong.modality == "now" or (strong.modality == "always" and _shows_present(window)):
        return PRESENT
    return window


def _shows_present(window: Window | None) -> bool:
    return isinstance(window, TimeWindow) and window.shows_present is True


def _is_within(inner: Window | None, outer: Window | None) -> bool:
    """Whether a time window always contains all time points of another."""
    match inner, outer:
        case Sliding(ticks=short), Sliding(ticks=long):
            return short <= long
        case Sliding(ticks=0), TimeWindow():
            return outer.shows_present is True
        case TimeWindow(), TimeWindow():
            return inner == outer
        case _:
            return False
