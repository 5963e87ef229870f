"""Conditions that are one for all heads of a rule: renewing them costs nothing, losing them costs once."""

from __future__ import annotations

from typing import Any

import pytest

from laser import Reasoner
from laser.engine.operators.rule import RuleOperator
from laser.plan.nodes import Gate

GATED = [
    "q(X) :- m(X) in [1000], b in [3].",
    "q(X) :- m(X) in [1000], b(_) in [3].",
    "q(X) :- m(X) in [1000], b(7) in [3].",
    "q(X) :- m(X), on. on :- b(_) in [3]. m(X) :- n(X) in [1000].",
    "q(X) :- c(X), b in [3]. c(1). c(2).",
    "q(T) :- m(X) at T in [1000], b.",
]
NOT_GATED = [
    "q(X) :- m(X) in [1000], b(X) in [3].",  # a condition of one head each
    "q(X) :- m(X) in [3], b in [1000].",  # outlives what it is a condition of
    "q :- m in [1000], b in [3].",  # one head
    "q(X) :- m(X) in [1000], b always in [3].",  # stands until it is revoked anyway
    "q(X) :- m(X) in [1000], r. r :- q(_).",  # depends on what it is a condition of
]


def gates(program: str) -> list[Gate]:
    return [node for c in Reasoner(program).plan.components for node in c.nodes if isinstance(node, Gate)]


@pytest.mark.parametrize("program", GATED)
def test_a_short_condition_for_all_heads_is_a_gate(program: str) -> None:
    assert len(gates(program)) == 1


@pytest.mark.parametrize("program", NOT_GATED)
def test_other_conditions_are_not_gates(program: str) -> None:
    assert not gates(program)


def test_heads_are_checked_only_when_the_gate_closes(monkeypatch: Any) -> None:
    looked_at = 0
    renew = RuleOperator.renew

    def count(self: RuleOperator, suspects: list[Any], t: int, t0: int) -> bool:
        nonlocal looked_at
        looked_at += len(suspects) if "q/1" in str(self.head.node) else 0
        return renew(self, suspects, t, t0)

    monkeypatch.setattr(RuleOperator, "renew", count)
    reasoner = Reasoner("q(X) :- m(X) in [1000], b(_) in [3].", start=0)
    reasoner.advance(0, [("m", i) for i in range(50)])
    for t in range(1, 100):
        reasoner.advance(t, [("b", t)])
    assert (len(reasoner.holding()), looked_at) == (50, 0)
    changes = reasoner.advance(110)
    assert ({change.time for change in changes}, len(changes), looked_at) == ({103}, 50, 50)
    assert len(reasoner.advance(111, ["b(1)"])) == 50
