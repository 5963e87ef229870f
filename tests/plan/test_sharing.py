"""What several rules have in common is one node, whatever the order and the names; copies of a node are that node."""

from __future__ import annotations

import pytest

from laser.plan.nodes import Shared
from laser.plan.sharing import CROWD
from laser.values import Predicate
from laser.windows import HISTORY
from tests.plan.plans import plan_of

JOIN = "a(X, Y) in [3], b(Y, Z) in [3]"


def shared(text: str) -> list[str]:
    return [str(node) for component in plan_of(text).components for node in component.nodes if isinstance(node, Shared)]


@pytest.mark.parametrize(
    "other",
    [
        "a(X, Y) in [3], b(Y, Z) in [3]",
        "b(Y, Z) in [3], a(X, Y) in [3]",
        "b(V, Z) in [3], a(X, V) in [3]",
        "a(X, Y) in [3], b(Y, Z) at T in [3]",  # nobody asks for the time
    ],
)
def test_a_join_is_shared_whatever_its_order_and_its_names(other: str) -> None:
    assert shared(f"q(X, Z) :- {JOIN}. r(X, Z) :- {other}.") == ["shared join 0"]


@pytest.mark.parametrize(
    "other",
    [
        "a(X, Y) in [3], b(Y, Z) in [4]",  # another window
        "a(X, Y) in [3], b(X, Z) in [3]",  # another join
        "a(X, Y) in [3], b(Y, 1) in [3], c(Z)",
    ],
)
def test_different_joins_are_not_shared(other: str) -> None:
    assert shared(f"q(X, Z) :- {JOIN}. r(X, Z) :- {other}.") == []


def test_a_join_of_like_atoms_is_shared_in_either_order() -> None:
    chain = "e(X, Y) in [3], e(Y, Z) in [3]"
    back = "e(Y, Z) in [3], e(X, Y) in [3]"
    assert shared(f"q(X, Z) :- {chain}. r(X, Z) :- {back}.") == ["shared join 0"]


def test_a_cross_product_is_not_shared() -> None:
    assert shared("q(X) :- a(X, _) in [3], b(Y, _) in [3]. r(Y) :- a(X, _) in [3], b(Y, _) in [3].") == []


def test_a_join_filtered_by_comparisons_is_shared_only_by_many_rules() -> None:
    rules = [f"q{i}(X) :- {JOIN}, Z > {i}." for i in range(CROWD)]
    assert shared(" ".join(rules[:-1])) == []
    assert shared(" ".join(rules)) == ["shared join 0"]


def test_a_whole_body_is_shared_with_its_negation_and_its_tests() -> None:
    body = "a(X, Y) in [3], Y > 5, not b(X, _) in [3]"
    assert shared(f"q(X) :- {body}. r(Y) :- {body}.") == ["shared body 0"]
    assert shared(f"q(X) :- {body}. r(Y) :- {body.replace('5', '6')}.") == []


def test_a_shared_node_has_the_variables_that_its_readers_need() -> None:
    plan = plan_of(f"q(X, Z) :- {JOIN}. r(Z, X) :- {JOIN}.")
    (node,) = (rule.head for rule in plan.rules if isinstance(rule.head, Shared))
    assert node.width == 2


def test_the_same_rule_twice_is_one() -> None:
    assert len(plan_of("q(X) :- a(X) in [3], b(X). q(X) :- a(X) in [3], b(X).").rules) == 1


def test_a_rule_that_only_copies_is_the_node_that_it_copies() -> None:
    plan = plan_of("q(A, B) :- p(A, B) in [9]. r(A, B) :- q(A, B). s(A, B) :- r(A, B), A > B.")
    outputs = {str(predicate): str(node) for predicate, node in plan.outputs.items()}
    assert outputs == {"q/2": "p/2 in [9]", "r/2": "p/2 in [9]", "s/2": "s/2 derived"}
    assert [str(rule.head) for rule in plan.rules] == ["s/2 derived"]


@pytest.mark.parametrize(
    "rule",
    [
        "q(B, A) :- p(A, B) in [9].",
        "q(A, A) :- p(A, A) in [9].",
        "q(A, 1) :- p(A, 1) in [9].",
        "q(A, B) :- p(A, B) in [9], A > B.",
        "q(A, B) :- p(A, B) in [9]. q(A, B) :- o(A, B).",
    ],
)
def test_a_rule_that_does_more_than_copy_is_kept(rule: str) -> None:
    assert str(plan_of(rule).outputs[Predicate("q", 2)]) == "q/2 derived"


def test_a_loop_of_copies_has_no_source_and_is_kept_as_a_rule() -> None:
    plan = plan_of("q(A) :- r(A). r(A) :- q(A).")
    assert len(plan.rules) == 1
    assert all(subgoal.window == HISTORY for rule in plan.rules for subgoal in rule.subgoals)
