"""The settings of a run: what users give is checked once, for all functions that take it."""

from __future__ import annotations

import pytest

from laser import FactError, Reasoner, TimeError, check, explain, intervals, run
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.ticks import Tick
from laser.values import Atom


def test_settings_of_users_are_converted_for_a_run():
    given = {"start": 3, "background": ["p(1)", ("p", 2)], "tick": "250 ms", "constants": {"n": 4}}
    settings = RunSettings.read(given)
    assert settings.background == (Atom("p", (1,)), Atom("p", (2,)))
    assert settings.tick == Tick.parse("250 ms")
    assert (settings.start, settings.until, settings.limit, settings.constants) == (3, None, DEFAULT_LIMIT, {"n": 4})


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"start": -1}, TimeError),
        ({"until": "soon"}, TimeError),
        ({"tick": "a while"}, TimeError),
        ({"background": ["p(X)"]}, FactError),
        ({"limit": -1}, ValueError),
        ({"strat": 3}, TypeError),
    ],
)
def test_an_invalid_setting_is_refused(given, error):
    with pytest.raises(error):
        RunSettings.read(given)


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError):
        RunSettings().start = 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: Reasoner("q :- p.", until=3),
        lambda: Reasoner.restore("q :- p.", b"", start=3),
        lambda: list(run("q :- p.", [], strat=3)),
        lambda: list(intervals("q :- p.", [], strat=3)),
        lambda: explain("q :- p.", [(1, ["p"])], "q", 1, limit=3),
        lambda: check("q :- p.", start=3),
    ],
)
def test_an_option_that_a_function_does_not_have_is_refused_by_name(call):
    with pytest.raises(TypeError, match=r"there is no option '(until|start|strat|limit)'; the options are"):
        call()
