"""Every input against the definition of its window: what it holds at each tick, woken by the agenda alone, saved and restored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laser.engine.agenda import Agenda
from laser.engine.arrivals import Arrivals
from laser.engine.inputs import Input, make_input
from laser.engine.relation import Key
from laser.plan.nodes import Beginning, Dated, Feed, InputNode, Points, Recent, Unbroken
from laser.reference import window_points
from laser.values import Atom, Predicate
from laser.windows import (
    HISTORY,
    PRESENT,
    Ago,
    Between,
    Growing,
    Hopping,
    LastFacts,
    LastOf,
    Sliding,
    Tumbling,
    TupleWindow,
    Window,
)  # fmt: skip

P = Predicate("p", 1)
WINDOWS: list[Window] = [
    PRESENT, Sliding(3), Hopping(3, 2), Hopping(1, 4), Tumbling(3), Growing(4), Ago(0), Ago(2), Between(1, 3), LastFacts(3),
]  # fmt: skip
BY_KEY = [LastOf(1, P, (0,)), LastOf(2, P, (0,)), LastOf(1, P), LastOf(3, P), LastOf(70, P)]
NODES: list[InputNode] = [
    *(Recent(P, window) for window in [*WINDOWS, *BY_KEY]),
    *(Dated(P, window) for window in [*WINDOWS, *BY_KEY, HISTORY]),
    *(Beginning(window) for window in BY_KEY),
    *(Points(window) for window in [*WINDOWS, HISTORY]),
    *(Unbroken(P, Sliding(n)) for n in (1, 2, 3)),
]
START = 2

calls = st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 2), max_size=3)), max_size=14)
"""How far each call moves on, and its facts."""


class Run:
    """An input, fed and woken as a machine does it, beside the stream that it was given."""

    def __init__(self, node: InputNode, is_joined: bool) -> None:
        self.node, self.is_joined = node, is_joined
        self.arrivals = Arrivals(3, BY_KEY)
        self.stream: list[tuple[int, Key]] = []
        self.time = START
        self.input = self.fresh()

    def fresh(self) -> Input:
        self.agenda = Agenda()
        return make_input(self.node, 0, self.agenda, self.arrivals, {}, self.is_joined)

    def move(self, t: int, facts: list[Key]) -> None:
        """Go to t through the ticks at which the input is woken, and take facts there."""
        for tick in range(self.time + 1, t):
            self.tick(tick, [])
        self.tick(t, facts)

    def tick(self, t: int, facts: list[Key]) -> None:
        self.time = t
        before = set(self.input.live())
        due = self.agenda.take(t)
        new = [fact for fact in dict.fromkeys(facts) if (t, fact) not in self.stream]
        self.stream += [(t, fact) for fact in new]
        if facts:
            self.arrivals.append(facts, t)
            self.arrivals.count({("p", 2): set(facts)}, facts, t)
        feed = self.node.feed
        counts = feed in (Feed.ARRIVALS, Feed.LATEST)
        if (feed is Feed.STREAM and (facts or due)) or (counts and facts) or feed is Feed.CLOCK:
            self.advance(t, set(facts) if feed is Feed.STREAM else set(), before)

    def advance(self, t: int, batch: set[Key], before: set[Key]) -> None:
        """Move the input; its delta says what that changed, no more and no less."""
        self.input.advance(t, START, batch)
        added, removed = sorted(self.input.delta.added), sorted(self.input.delta.removed)
        self.input.end_tick()
        after = set(self.input.live())
        assert (added, removed) == (sorted(after - before), sorted(before - after))

    def restore(self) -> None:
        """Go on with another input that knows only what the first one saved."""
        rows = list(self.input.dump())
        self.input = self.fresh()
        self.input.load(rows, self.time, START)
        self.input.fill(self.time, START)

    def expected(self, stream: list[tuple[int, Key]], t: int) -> set[Key]:
        """The definition."""
        window = self.node.window  # type: ignore[union-attr]
        if isinstance(window, LastOf):
            return self.expected_by_key(window, stream)
        points = window_points(window, [(u, Atom.of(fact)) for u, fact in stream], START, t)
        inside = [(u, fact) for u, fact in stream if u in points]
        if isinstance(window, LastFacts):
            inside = [each for each in inside if each in stream[-window.size :]]
        match self.node:
            case Recent():
                return {fact for _, fact in inside}
            case Dated():
                return {(*fact, u) for u, fact in inside}
            case Unbroken():
                return {fact for _, fact in inside if all((u, fact) in inside for u in points)}
            case _:
                return {("", u) for u in points}

    def expected_by_key(self, window: LastOf, stream: list[tuple[int, Key]]) -> set[Key]:
        """The same where each key is a stream of its own."""
        parts = [
            [(u, f) for u, f in stream if window.key_of(f) == key] for key in {window.key_of(f) for _, f in stream}
        ]
        inside = [entry for part in parts for entry in part[-window.size :]]
        match self.node:
            case Recent():
                return {fact for _, fact in inside}
            case Dated():
                return {(*fact, u) for u, fact in inside}
            case _:
                full = [part[-window.size] for part in parts if len(part) >= window.size]
                return {("", *window.key_of(fact), u) for u, fact in full}


def cases(test: Callable[..., None]) -> Callable[..., None]:
    decorated = settings(max_examples=40, deadline=None)(test)
    return pytest.mark.parametrize("is_joined", [True, False])(
        pytest.mark.parametrize("node", NODES, ids=str)(decorated)
    )


def keys(facts: list[int]) -> list[Key]:
    return [("p", fact) for fact in facts]


@cases
@given(moves=calls, restored=st.integers(0, 14))
def test_an_input_holds_what_its_window_shows(node: Any, is_joined: bool, moves: list[Any], restored: int) -> None:
    run = Run(node, is_joined)
    run.tick(START, [])
    for number, (step, facts) in enumerate(moves):
        for silent in range(run.time + 1, run.time + step):
            run.tick(silent, [])
            assert set(run.input.live()) == run.expected(run.stream, silent)
        run.tick(run.time + min(step, 1), keys(facts))
        assert set(run.input.live()) == run.expected(run.stream, run.time)
        if number == restored:
            run.restore()


@cases
@given(moves=calls)
def test_the_saved_evidence_of_an_input_is_enough_to_continue(node: Any, is_joined: bool, moves: list[Any]) -> None:
    run = Run(node, is_joined)
    run.tick(START, [])
    for step, facts in moves:
        run.move(run.time + step, keys(facts))
    window = node.window
    if isinstance(window, TupleWindow) or isinstance(node, Points):
        assert list(run.input.evidence()) == []  # the arrivals and the clock have it
        return
    evidence = [(u, fact) for fact, u in run.input.evidence()]
    assert set(evidence) <= set(run.stream)
    for later in range(run.time, run.time + 9):
        assert run.expected(evidence, later) == run.expected(run.stream, later)
