"""Atoms with a time to come: they fire when it has come, unless they are gone by then."""

from __future__ import annotations

import pytest

from laser.engine.agenda import Agenda
from laser.engine.operators.pending import PendingRelation
from laser.plan.nodes import Pending
from laser.values import Predicate
from laser.windows import HISTORY, Ago, TimeWindow, Tumbling

KEY = ("p", 1, 8)


def pending(window: TimeWindow = HISTORY) -> PendingRelation:
    made = PendingRelation(Pending(Predicate("p", 1), window), 0, Agenda())
    made.merge({KEY: 30}, 5)
    return made


@pytest.mark.parametrize(
    ("window", "entry"), [(HISTORY, 8), (Ago(2), 10), (Tumbling(5), 10)], ids=["none", "ago", "each"]
)
def test_a_key_fires_when_its_time_enters_the_window(window: TimeWindow, entry: int) -> None:
    waiting = pending(window)
    assert waiting.agenda.next() == entry
    for t in range(5, entry):
        waiting.fire(t)
        assert waiting.delta.fired == []
    waiting.fire(entry)
    assert waiting.delta.fired == [KEY]


def test_a_time_in_the_past_does_not_fire() -> None:
    waiting = PendingRelation(Pending(Predicate("p", 1)), 0, Agenda())
    fresh, _ = waiting.merge({("p", 1, 4): 30}, 5)
    assert (fresh, waiting.timers) == ([("p", 1, 4)], {})


def test_a_removed_key_does_not_fire_and_its_timer_is_dropped() -> None:
    waiting = pending()
    waiting.suspect([KEY], 6)
    waiting.finish_suspects([KEY], 6)
    waiting.end_tick()
    assert (waiting.timers, waiting.alive) == ({}, {})
    waiting.fire(8)
    assert waiting.delta.fired == []


def test_a_key_that_expires_before_its_time_does_not_fire() -> None:
    waiting = PendingRelation(Pending(Predicate("p", 1)), 0, Agenda())
    waiting.merge({KEY: 6}, 5)
    waiting.drop_expired(waiting.expired(7))
    assert waiting.timers == {}
