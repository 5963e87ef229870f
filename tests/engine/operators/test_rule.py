"""One node: suspects are renewed or gone, new keys give new heads, and what got shorter says so."""

from __future__ import annotations

from laser.engine.agenda import Agenda
from laser.engine.delta import ADDED, SHORTENED
from laser.engine.operators.operator import Trigger
from laser.engine.operators.rule import RuleOperator
from laser.engine.relation import FOREVER, Key, Relation
from tests.engine.operators.relations import changes, relation


class Copy:
    """``q(X) :- a(X)`` as an operator."""

    def __init__(self, q: dict[Key, int], a: dict[Key, int], self_ending: bool = False) -> None:
        self.agenda = Agenda()
        self.a, self.q = relation("a", 0, self.agenda, a), relation("q", 1, self.agenda, q)
        self.checked: list[Key] = []
        derive = Trigger(self.a, self.a.delta, ADDED, self.join, self.q, 0)
        blame = Trigger(self.a, self.a.delta, SHORTENED, lambda keys, t, t0: {("q", *k[1:]) for k in keys}, self.q, 0)
        self.operator = RuleOperator(self.q, [derive], [blame], [self.check], self_ending)

    def join(self, keys: object, t: int, t0: int) -> dict[Key, int]:
        return {("q", *k[1:]): self.a.alive[k] for k in keys if self.a.alive[k] >= t}  # type: ignore[attr-defined]

    def check(self, keys: object, t: int, t0: int) -> dict[Key, int]:
        self.checked += keys  # type: ignore[operator]
        below = {k: self.a.alive.get(("a", *k[1:]), -1) for k in keys}  # type: ignore[attr-defined]
        return {k: h for k, h in below.items() if h >= t}

    def settle(self, t: int) -> tuple[list[Key], list[Key]]:
        self.operator.settle(t, 0)
        return changes(self.q)


def test_new_keys_give_new_heads() -> None:
    copy = Copy({}, {("a", 1): 7})
    copy.a.delta.added = [("a", 1)]
    assert copy.settle(5) == ([("q", 1)], [])
    assert (copy.q.alive, copy.agenda.next()) == ({("q", 1): 7}, 8)


def test_a_head_whose_horizon_has_passed_is_renewed_if_something_still_supports_it() -> None:
    copy = Copy({("q", 1): 7, ("q", 2): 7}, {("a", 1): 9})
    copy.a.raised_until = 9
    assert copy.settle(8) == ([], [("q", 2)])
    assert (copy.q.alive, sorted(copy.checked)) == ({("q", 1): 9}, [("q", 1), ("q", 2)])


def test_there_is_no_search_if_no_source_was_raised_beyond_the_present() -> None:
    copy = Copy({("q", 1): 7, ("q", 2): 7}, {("a", 3): 9})
    copy.a.raised_until = 7
    assert copy.settle(8) == ([], [("q", 1), ("q", 2)])
    assert (copy.q.alive, copy.checked) == ({}, [])


def test_a_head_that_expires_and_is_derived_again_at_once_has_not_ended() -> None:
    copy = Copy({("q", 1): 7, ("q", 2): 7}, {("a", 1): 12})
    copy.a.delta.added = [("a", 1)]
    assert copy.settle(8) == ([], [("q", 2)])
    assert (copy.q.alive, copy.checked, copy.q.raised_until) == ({("q", 1): 12}, [], 12)


def test_a_self_ending_head_is_dropped_without_a_search() -> None:
    copy = Copy({("q", 1): 7}, {("a", 1): 9}, self_ending=True)
    assert copy.settle(8) == ([], [("q", 1)])
    assert copy.checked == []


def test_a_head_that_depends_on_a_revoked_key_ends_and_its_readers_learn_it() -> None:
    copy = Copy({("q", 1): FOREVER}, {("a", 1): FOREVER})
    copy.a.revoke([("a", 1)])
    copy.operator.settle(5, 0)
    assert list(copy.q.delta.shortened) == [("q", 1)]
    assert changes(copy.q) == ([], [("q", 1)])
    assert copy.q.alive == {}


def test_a_head_with_an_earlier_end_is_shortened_but_has_not_ended() -> None:
    copy = Copy({("q", 1): 20}, {("a", 1): 12})
    copy.a.delta.shortened = [("a", 1)]
    copy.operator.settle(5, 0)
    assert list(copy.q.delta.shortened) == [("q", 1)]
    assert changes(copy.q) == ([], [])
    assert copy.q.alive == {("q", 1): 12}


def test_a_repeated_fact_does_not_cause_a_check_of_its_heads() -> None:
    copy = Copy({("q", 1): 7}, {("a", 1): 12})
    assert copy.settle(6) == ([], [])
    assert (copy.q.alive, copy.checked) == ({("q", 1): 7}, [])


def test_merging_distinguishes_new_keys_from_revived_ones() -> None:
    agenda = Agenda()
    head: Relation = relation("q", 0, agenda, {("q", 1): 9, ("q", 2): 3})
    fresh, again = head.merge({("q", 1): 5, ("q", 2): 8, ("q", 3): 6}, 5)
    assert (fresh, again) == ([("q", 3)], [("q", 2)])
    assert head.alive == {("q", 1): 9, ("q", 2): 8, ("q", 3): 6}
