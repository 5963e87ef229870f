"""One generated function: what it loops over, what it skips, and for how long its heads hold."""

from __future__ import annotations

from typing import Any

from laser.engine.codegen.module import RuleFunctions, compile_plan
from laser.engine.relation import FOREVER
from laser.engine.reports import Reports
from laser.values import CODE_NAMES
from tests.plan.plans import plan_of

Keys = dict[tuple[Any, ...], int]


def rule_of(text: str, **contents: Keys) -> RuleFunctions:
    """The functions of the first rule, over nodes whose names begin so and that have these keys."""
    module = compile_plan(plan_of(text))
    alive: list[Keys] = [
        next((keys for name, keys in contents.items() if str(n).startswith(f"{name}/")), {}) for n in module.numbers
    ]
    helpers: dict[str, Any] = {**CODE_NAMES, "FOREVER": FOREVER, **Reports(silent=True).functions(module.plan)}
    loaded = module.load(alive, helpers)
    for indexes in (loaded.indexes, loaded.check_indexes):
        for node, index in indexes.items():
            index.add(alive[module.numbers[node]])
    return loaded.rules[0]


def test_the_horizon_of_a_head_is_the_smallest_of_its_body() -> None:
    rule = rule_of("q(X) :- a(X) in [9], b(X) in [5].", a={("a", 1): 14, ("a", 2): 14}, b={("b", 1): 11})
    assert rule.derive[0]([("a", 1), ("a", 2)], 10, 0) == {("q", 1): 11}
    assert rule.derive[1]([("b", 1)], 10, 0) == {("q", 1): 11}


def test_of_several_derivations_the_largest_horizon_counts() -> None:
    rule = rule_of(
        "q(X) :- a(X, Y) in [9], b(Y).", a={("a", 1, 1): 12, ("a", 1, 2): 17}, b={("b", 1): 20, ("b", 2): 20}
    )
    assert rule.derive[0]([("a", 1, 1), ("a", 1, 2)], 10, 0) == {("q", 1): 17}
    assert rule.check([("q", 1), ("q", 2)], 10, 0) == {("q", 1): 17}


def test_dead_keys_are_skipped() -> None:
    rule = rule_of("q(X) :- a(X) in [9], b(X) in [5].", a={("a", 1): 14}, b={("b", 1): -1})
    assert rule.derive[0]([("a", 1)], 10, 0) == {}
    assert rule.check([("q", 1)], 10, 0) == {}


def test_a_head_is_not_derived_if_a_negated_key_holds() -> None:
    rule = rule_of("q(X) :- a(X) in [9], not b(X) in [5].", a={("a", 1): 14, ("a", 2): 14}, b={("b", 1): 11})
    assert rule.derive[0]([("a", 1), ("a", 2)], 10, 0) == {("q", 2): 14}
    assert rule.without[0]([("b", 2)], 10, 0) == {("q", 2): 14}
    assert rule.blame_not[0]([("b", 1)], 10, 0) == {("q", 1)}


def test_a_pinned_atom_ends_when_it_leaves_the_window_of_its_reader() -> None:
    text = "q(X) :- p(X) at T in [3], T > 0. @T p(X) :- a(X) at T in [9]."
    rule = rule_of(text, p={("p", 1, 8): 17, ("p", 2, 5): 14})
    assert rule.derive[0]([("p", 1, 8), ("p", 2, 5)], 10, 0) == {("q", 1): 11}


def test_equal_variables_and_constants_are_compared() -> None:
    rule = rule_of(
        "q(X) :- a(X, X, 3) in [9], b(X).",
        a={("a", 1, 1, 3): 14, ("a", 1, 2, 3): 14, ("a", 1, 1, 4): 14},
        b={("b", 1): 12},
    )
    assert rule.derive[0]([("a", 1, 1, 3)], 10, 0) == {("q", 1): 12}
    assert rule.derive[0]([("a", 1, 2, 3), ("a", 1, 1, 4)], 10, 0) == {}


def test_a_head_that_is_computed_is_checked_by_computing_it() -> None:
    rule = rule_of("q(X + 1) :- a(X) in [9], b(X).", a={("a", 1): 14}, b={("b", 1): 14})
    assert rule.derive[0]([("a", 1)], 10, 0) == {("q", 2): 14}
    assert rule.check([("q", 2), ("q", 3)], 10, 0) == {("q", 2): 14}
