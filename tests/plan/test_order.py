"""Components: sources first, and what depends on itself together."""

from __future__ import annotations

from laser.plan.plan import Plan
from tests.plan.plans import plan_of


def places(plan: Plan) -> dict[str, int]:
    return {str(node): i for i, component in enumerate(plan.components) for node in component.nodes}


def test_a_node_comes_after_everything_its_rules_read() -> None:
    plan = plan_of("c(X) :- b(X), not a(X). a(X) :- p(X) always in [2]. b(X) :- p(X) in [3], o(X).")
    place = places(plan)
    for rule in plan.rules:
        assert all(place[str(subgoal.node)] < place[str(rule.head)] for subgoal in rule.subgoals)


def test_a_node_without_rules_comes_after_its_sources() -> None:
    plan = plan_of("q(X) :- m(X) in [1000], b(_) in [3]. r(X) :- a(X) always in [3]. a(X) :- p(X).")
    place = places(plan)
    nodes = [node for component in plan.components for node in component.nodes]
    assert any(node.sources for node in nodes)
    assert all(place[str(source)] < place[str(node)] for node in nodes for source in node.sources)


def test_nodes_that_depend_on_each_other_are_one_recursive_component() -> None:
    plan = plan_of("r(X, Y) :- e(X, Y). r(X, Z) :- r(X, Y), e(Y, Z). even(X) :- odd(X), s(X). odd(X) :- even(X), s(X).")
    recursive = [{str(node) for node in c.nodes} for c in plan.components if c.recursive]
    assert sorted(recursive, key=len) == [{"r/2 derived"}, {"even/1 derived", "odd/1 derived"}]


def test_every_rule_belongs_to_the_component_of_its_head() -> None:
    plan = plan_of("a(X) :- p(X). b(X) :- a(X), o(X). b(X) :- p(X), not a(X).")
    for component in plan.components:
        assert {plan.rules[number].head for number in component.rules} <= set(component.nodes)
    assert sorted(number for c in plan.components for number in c.rules) == list(range(len(plan.rules)))
