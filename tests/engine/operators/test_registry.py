"""Which operator settles which node."""

from __future__ import annotations

import pytest

from laser import Reasoner
from laser.engine.operators.counted import EveryPointOperator, ManyPointsOperator
from laser.engine.operators.fixpoint import FixpointOperator
from laser.engine.operators.gate import GateOperator
from laser.engine.operators.operator import Operator
from laser.engine.operators.pending import PendingRelation
from laser.engine.operators.rule import RuleOperator

KINDS: list[tuple[str, type[Operator]]] = [
    ("q(X) :- a(X), b(X).", RuleOperator),
    ("q(X) :- a(X) always in [each 3], c(X).", EveryPointOperator),
    ("q(X) :- a(X) at least 2 times in [3], c(X).", ManyPointsOperator),
    ("q(X) :- m(X) in [1000], b(_) in [3].", GateOperator),
    ("q(X) :- q(Y), e(Y, X). q(X) :- a(X).", FixpointOperator),
]


@pytest.mark.parametrize(("text", "kind"), KINDS, ids=[kind.__name__ for _, kind in KINDS])
def test_a_node_is_settled_by_its_operator(text: str, kind: type[Operator]) -> None:
    assert kind in {type(operator) for operator in Reasoner(text)._machine.operators}


def test_a_count_within_a_recursion_is_settled_with_it() -> None:
    machine = Reasoner("@T p :- a at T in [3]. @T p :- q, b at T in [3]. q :- p always in [2].")._machine
    assert not any(isinstance(operator, EveryPointOperator) for operator in machine.operators)
    (fixpoint,) = (operator for operator in machine.operators if isinstance(operator, FixpointOperator))
    assert len(fixpoint.outputs) > 2


def test_pending_atoms_have_a_relation_with_timers() -> None:
    machine = Reasoner("@U q(X) :- a(X) at T in [5], U = T + 2.")._machine
    assert sum(isinstance(relation, PendingRelation) for relation in machine.relations) == 1


def test_every_relation_that_is_made_is_settled_by_one_operator() -> None:
    machine = Reasoner(" ".join(text.replace("q(", f"q{i}(") for i, (text, _) in enumerate(KINDS)))._machine
    settled = [relation.number for operator in machine.operators for relation in operator.outputs]
    made = [relation.number for relation in machine.relations if relation.node.feed is None]
    assert sorted(settled) == made
