"""A far jump of time costs what changes on the way, and where every tick changes something there is a limit."""

from __future__ import annotations

import pytest

from laser import LimitError, Reasoner, intervals, run
from laser.engine import machine
from laser.engine import run as runs

FAR = 10**12
EVERY_TICK = "q(N) :- tick at N in [0]. tick."


@pytest.mark.parametrize(
    "text",
    [
        "q(X) :- p(X) in [3].",
        "q(X) :- p(X) always in [3]. r :- not p(_) in [5].",
        "q(X) :- p(X) in [10 every 3]. s(X) :- p(X) in [each 7]. t(X) :- p(X) in [this 9].",
        "q(X) :- p(X) in [1000000000000000].",
        "@(T + 5) q(X) :- p(X) at T.",
        "q(X) :- p(X) in [3 #]. s(X) :- p(X) in [last 2 per X].",
        "q(N) :- N = count(X : p(X) in [5]).",
    ],
)
def test_a_far_jump_takes_no_time(text: str) -> None:
    reasoner = Reasoner(text)
    reasoner.advance(1, ["p(5)"])
    reasoner.advance(FAR, ["p(6)"])
    assert reasoner.time == FAR


def test_a_silence_in_which_every_tick_has_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "MOST_SILENT_TICKS", 100)
    reasoner = Reasoner(EVERY_TICK)
    reasoner.advance(1)
    assert len(reasoner.advance(101)) == 200
    with pytest.raises(LimitError, match="choose a longer tick"):
        reasoner.advance(FAR)


def test_ticks_at_which_facts_expire_do_not_count_towards_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window full of facts empties itself, however many they are."""
    monkeypatch.setattr(machine, "MOST_SILENT_TICKS", 10)
    reasoner = Reasoner("q(X) :- p(X) in [1000].")
    for t in range(100):
        reasoner.advance(t, [("p", t)])
    assert len(reasoner.advance(FAR)) == 100


def test_runs_go_through_a_long_silence_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = [(1, ["p"]), (1000, ["p"])]
    whole = list(run(EVERY_TICK, stream)), list(intervals(EVERY_TICK, stream))
    monkeypatch.setattr(machine, "MOST_SILENT_TICKS", 100)
    monkeypatch.setattr(runs, "TICKS_A_STEP", 50)
    assert (list(run(EVERY_TICK, stream)), list(intervals(EVERY_TICK, stream))) == whole
    monkeypatch.setattr(runs, "MOST_TICKS", 500)
    with pytest.raises(LimitError, match="to 1000 there are more"):
        list(run(EVERY_TICK, stream))


def test_runs_jump_where_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MOST_TICKS", 500)
    monkeypatch.setattr(runs, "TICKS_A_STEP", 50)
    assert len(list(intervals("q(X) :- p(X) in [3].", [(1, ["p(1)"]), (FAR, ["p(2)"])]))) == 2
