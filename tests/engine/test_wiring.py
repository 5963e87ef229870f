"""What a change reaches: the operators that read it, and of those with constants only the ones whose constants it has."""

from __future__ import annotations

from laser import Reasoner
from laser.engine.delta import ADDED, FIRED, REMOVED, SHORTENED, Delta
from laser.engine.machine import Machine
from laser.engine.operators.rule import RuleOperator
from laser.engine.wiring import MANY_FILTERS


def machine_of(text: str) -> Machine:
    return Reasoner(text)._machine


def reached(machine: Machine, source: str, delta: Delta) -> set[str]:
    """The relations whose operators a change of a source reaches."""
    (relation,) = (r for r in machine.relations if str(r.node) == source)
    operators = {machine.operators[number] for number in machine.readers[relation.number].of(delta)}
    return {str(head.node) for operator in operators for head in operator.outputs}


def change(**parts: list[tuple[object, ...]]) -> Delta:
    delta = Delta()
    for name, keys in parts.items():
        setattr(delta, name, keys)
    return delta


def triggers(machine: Machine, head: str) -> RuleOperator:
    (operator,) = (o for o in machine.operators if isinstance(o, RuleOperator) and str(o.head.node) == head)
    return operator


def test_a_change_reaches_its_readers_and_nothing_else() -> None:
    machine = machine_of("q(X) :- a(X), b(X). r(X) :- a(X), not c(X). s(X) :- b(X), c(X).")
    assert reached(machine, "a/1 now", change(added=[("a", 1)])) == {"q/1 derived", "r/1 derived"}
    assert reached(machine, "c/1 now", change(added=[("c", 1)])) == {"r/1 derived", "s/1 derived"}


def test_many_rules_with_constants_are_reached_by_their_own_keys_only() -> None:
    machine = machine_of(" ".join(f"q{i}(V) :- temp(s{i}, V), V > {i}." for i in range(MANY_FILTERS)))
    assert reached(machine, "temp/2 now", change(added=[("temp", "s3", 9), ("temp", "other", 9)])) == {"q3/1 derived"}
    assert reached(machine, "temp/2 now", change(removed=[("temp", "s5", 9)])) == {"q5/1 derived"}
    assert reached(machine, "temp/2 now", change(shortened=[("temp", "s1", 9)])) == {"q1/1 derived"}


def test_a_few_rules_with_constants_are_reached_by_every_change() -> None:
    machine = machine_of(" ".join(f"q{i}(V) :- temp(s{i}, V), V > {i}." for i in range(MANY_FILTERS - 1)))
    assert len(reached(machine, "temp/2 now", change(added=[("temp", "s3", 9)]))) == MANY_FILTERS - 1


def test_several_constants_are_one_filter() -> None:
    machine = machine_of(" ".join(f"q{i} :- a({i}, x, {i})." for i in range(MANY_FILTERS)))
    assert reached(machine, "a/3 now", change(added=[("a", 2, "x", 2), ("a", 3, "x", 4)])) == {"q2/0 derived"}


def test_new_keys_and_negated_keys_that_end_derive_heads() -> None:
    operator = triggers(machine_of("q(X) :- a(X), not b(X)."), "q/1 derived")
    assert [(str(t.source.node), t.read) for t in operator.derive] == [("a/1 now", ADDED), ("b/1 now", REMOVED)]
    assert [(str(t.source.node), t.read) for t in operator.blame] == [("b/1 now", ADDED)]


def test_shortened_keys_of_revocable_nodes_cause_blame() -> None:
    operator = triggers(machine_of("q(X) :- a(X), b(X) in [3 #]."), "q/1 derived")
    assert [(str(t.source.node), t.read) for t in operator.blame] == [("b/1 in [3 #]", SHORTENED)]


def test_a_pending_atom_derives_when_it_is_new_and_again_when_it_fires() -> None:
    pinned = triggers(machine_of("@U p(X) :- a(X) at T in [5], U = T + 2. q(X) :- p(X), c(X)."), "p/1 derived at T")
    assert [t.read for t in pinned.derive] == [ADDED, FIRED]


def test_a_delta_is_sorted_by_constants_once_a_tick() -> None:
    delta = change(added=[("a", 1, "x"), ("a", 2, "x"), ("a", 1, "y")])
    groups = delta.by_constants(ADDED, (1,))
    assert groups == {1: [("a", 1, "x"), ("a", 1, "y")], 2: [("a", 2, "x")]}
    assert delta.by_constants(ADDED, (1,)) is groups
    delta.clear()
    assert (bool(delta), delta.by_constants(ADDED, (1,))) == (False, {})


def test_clearing_a_delta_does_not_change_the_lists_it_returned() -> None:
    delta = change(added=[("a", 1)], removed=[("a", 2)])
    begun, ended = delta.added, delta.removed
    delta.clear()
    assert (begun, ended) == ([("a", 1)], [("a", 2)])


def test_generated_code_and_triggers_hold_the_objects_of_the_relations() -> None:
    reasoner = Reasoner("q(X, Z) :- a(X, Y) in [2], b(Y, Z) in [2], not c(X).")
    machine = reasoner._machine
    held = [(r.alive, r.delta, r.index and dict(r.index.tables)) for r in machine.relations]
    for t in range(12):
        reasoner.advance(t, [("a", t % 3, t % 2), ("b", t % 2, t % 5), ("c", t % 4)])
    machine.forget_derived()
    for relation, (alive, delta, tables) in zip(machine.relations, held, strict=True):
        assert relation.alive is alive
        assert relation.delta is delta
        assert all(
            relation.index is not None and relation.index.tables[p] is table for p, table in (tables or {}).items()
        )
