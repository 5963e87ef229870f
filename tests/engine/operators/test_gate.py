"""A gate stands as long as one key of its source is renewed."""

from __future__ import annotations

from laser.engine.agenda import Agenda
from laser.engine.operators.gate import STANDING, GateOperator
from laser.engine.relation import FOREVER
from tests.engine.operators.relations import changes, relation


def test_a_gate_opens_once_and_closes_when_its_key_is_gone() -> None:
    agenda = Agenda()
    source, head = relation("b", 0, agenda), relation("g", 1, agenda)
    gate = GateOperator(head, source, ("b", 7))
    source.alive["b", 8] = 20
    gate.settle(5, 0)
    assert changes(head) == ([], [])  # another key
    source.alive["b", 7] = 6
    gate.settle(5, 0)
    assert (changes(head), head.alive) == (([STANDING], []), {STANDING: FOREVER})
    source.alive["b", 7] = 9  # renewed: nobody is told
    gate.settle(8, 0)
    assert changes(head) == ([], [])
    gate.settle(10, 0)
    assert list(head.delta.shortened) == [STANDING]
    assert (changes(head), head.alive) == (([], [STANDING]), {})
