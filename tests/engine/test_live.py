"""Live streams: rows out of order, late rows, and a clock that goes on while nothing comes."""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from queue import SimpleQueue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laser import Reasoner, TimeError, intervals
from laser.answers import IntervalBuilder, changes_by_time
from laser.engine.driver import Inbox, drive
from laser.engine.live import Live
from laser.ticks import SECOND, Tick

PROGRAM = "q(X) :- p(X) in [2]. silent :- not p(_) in [3]. both(X) :- p(X) always in [1]."
BEGIN = datetime(2026, 3, 2, 22, tzinfo=UTC)
HOSTS = "silent(H) :- host(H), not ping(H) in [5 s]."


def at(second):
    return BEGIN + timedelta(seconds=second)


def answers_of(steps):
    """The intervals of live answers, as a set."""
    builder, found, last = IntervalBuilder(), set(), None
    for step in steps:
        for changed in changes_by_time(step.changes):
            found |= set(builder.take(*changed).rows())
        last = step.time
    return found if last is None else found | set(builder.finish(last).rows())


def expected(rows):
    ordered = sorted(rows, key=lambda row: row[0])
    return {tuple(interval) for interval in intervals(PROGRAM, ordered, engine="reasoner")}


ROWS = st.lists(st.tuples(st.integers(0, 20), st.sampled_from("abc")), min_size=1, max_size=25).map(
    lambda rows: [(time, [("p", name)]) for time, name in rows]
)


@settings(deadline=None)  # a busy machine is slow
@given(ROWS)
def test_rows_out_of_order_within_the_lateness_change_nothing(rows):
    asides = []
    steps = drive(Reasoner(PROGRAM), rows, lateness="30 s", aside=asides.append)
    assert answers_of(steps) == expected(rows)
    assert asides == []


@settings(deadline=None)  # a busy machine is slow
@given(ROWS, st.integers(1, 6))
def test_a_row_is_late_when_the_watermark_has_passed_its_time_point(rows, lateness):
    asides = []
    steps = list(drive(Reasoner(PROGRAM), rows, lateness=f"{lateness} s", aside=asides.append))
    in_time, late, highest = [], [], -1
    for row in rows:
        (late if row[0] <= highest - lateness - 1 else in_time).append(row)
        highest = max(highest, row[0])
    assert [aside.origin for aside in asides] == late
    assert answers_of(steps) == expected(in_time)


def test_a_lateness_between_two_ticks_counts_as_the_longer_one():
    live = Live(Reasoner(PROGRAM), Tick.parse("2 s"), Fraction(3))
    for time in (10, 8, 12, 10, 9):
        list(live.take(time, ["p(a)"]))
    assert live.late == 1


def test_with_a_lateness_a_time_point_is_answered_once_when_it_is_complete():
    rows = [(1, ["p(a)"]), (2, []), (1, ["p(b)"]), (4, [])]
    steps = list(drive(Reasoner("none :- not p(_). some(X) :- p(X)."), rows, lateness="2 s"))
    assert [(step.time, len(step.facts)) for step in steps] == [(1, 2), (2, 0), (4, 0)]


def test_without_a_lateness_a_row_is_answered_at_once_and_revised():
    steps = list(drive(Reasoner("ok :- a, not b."), [(1, ["a"]), (1, ["b"]), (0, ["a"]), (2, [])]))
    assert [[str(change) for change in step.changes] for step in steps] == [["1 + ok"], ["1 - ok"], []]


def test_rows_set_aside_are_logged_once(caplog):
    with caplog.at_level(logging.WARNING, logger="laser"):
        list(drive(Reasoner(PROGRAM), [(9, []), (1, ["p(a)"]), (2, ["p(a)"])]))
    assert [record.getMessage() for record in caplog.records] == [
        "rows are set aside; the first is at 1: it is late: its time point was complete 8 ticks ago"
    ]


class Moments:
    """A clock of a test, which is set by hand."""

    def __init__(self, second=0):
        self.second = second

    def __call__(self):
        return at(self.second)


def scripted(clock, *script):
    """A source in which a number is a second that the clock shows while nothing comes."""
    for row in script:
        if isinstance(row, int | float):
            clock.second = row
            yield None
        else:
            yield row


def changes(script, **options):
    clock = Moments()
    reasoner = Reasoner(HOSTS, background=["host(a)"])
    steps = drive(reasoner, scripted(clock, *script), clock=clock, max_ahead="off", **options)
    return [
        (int((reasoner.tick.to_datetime(time) - BEGIN).total_seconds()), holds)
        for step in steps
        for time, _, holds in step.changes
    ]


def test_time_follows_the_clock_while_no_rows_arrive():
    ping = [(at(0), ["ping(a)"])]
    assert changes([*ping, 5]) == []
    assert changes([*ping, 5.9]) == []
    assert changes([*ping, 6]) == [(6, True)]
    assert changes([*ping, 900]) == [(6, True)]
    assert changes([*ping, 8, (at(9), ["ping(a)"])]) == [(6, True), (9, False)]


def test_time_follows_the_clock_minus_the_lateness():
    ping = [(at(0), ["ping(a)"])]
    assert changes([*ping, 8.9], lateness="2 s") == []
    assert changes([*ping, 9], lateness="2 s") == [(6, True)]


def test_a_row_behind_the_clock_is_late():
    asides = []
    assert changes([(at(0), ["ping(a)"]), 7, (at(5), ["ping(a)"]), 12], aside=asides.append) == [(6, True)]
    assert [aside.time for aside in asides] == [SECOND.point(at(5))]


def test_the_clock_alone_does_not_start_a_timeline():
    assert changes([900, (at(0), ["ping(a)"])]) == []


def test_the_clock_ends_a_stream_at_the_requested_end():
    assert changes([(at(0), ["ping(a)"]), 3, 900, (at(901), ["ping(a)"])], until=at(5)) == []
    assert changes([(at(0), ["ping(a)"]), 3, 900, (at(901), ["ping(a)"])], until=at(7)) == [(6, True)]


def test_rows_far_ahead_of_the_clock_are_set_aside():
    clock, asides = Moments(), []
    source = [(at(0), ["ping(a)"]), (at(100_000), ["ping(a)"]), (at(1), ["ping(a)"])]
    steps = drive(Reasoner(HOSTS), source, clock=clock, aside=asides.append)
    assert [len(step.facts) for step in steps] == [1, 1]
    assert asides[0].reason == "it is more than 1 day, 0:00:00 ahead of the clock"
    assert len(list(drive(Reasoner(HOSTS), source, clock=clock, max_ahead="2 d"))) == 2


def test_the_next_wake_up_is_when_something_may_change():
    live = Live(Reasoner(HOSTS, background=["host(a)"], dates=True), SECOND)
    assert live.due() is None
    list(live.take(SECOND.point(at(0)), [("ping", "a")]))
    assert live.due() == at(6)
    late = Live(Reasoner(HOSTS, background=["host(a)"], dates=True), SECOND, Fraction(2))
    list(late.take(SECOND.point(at(0)), [("ping", "a")]))
    assert late.due() == at(3)  # the row waits for the rest of its time point
    list(late.move(at(3)))
    assert late.due() == at(9)


def test_the_wall_clock_wakes_a_silent_stream():
    """The source never says another word, so only the clock can bring the answer."""
    silence = threading.Event()

    def source():
        yield datetime.now(UTC), ["ping(a)"]
        silence.wait(60)

    reasoner = Reasoner("silent(H) :- host(H), not ping(H) in [1 s].", background=["host(a)"])
    steps = drive(reasoner, source(), clock="wall")
    assert [len(next(steps).changes), str(next(steps).changes[0].atom)] == [0, "silent(a)"]
    steps.close()
    silence.set()


def test_an_error_in_a_source_is_raised_where_its_rows_are_read():
    def source():
        yield 1
        raise TimeError("no more")

    inbox = Inbox(source())
    assert inbox.receive(None) == 1
    with pytest.raises(TimeError, match="no more"):
        inbox.receive(None)


def test_an_inbox_that_has_ended_stays_ended():
    inbox = Inbox([])
    assert inbox.receive(20) is Inbox.END
    assert inbox.receive(20) is Inbox.END


def test_an_inbox_that_was_ended_gives_no_more_rows():
    queue = SimpleQueue()
    inbox = Inbox(iter(queue.get, None))
    queue.put("row")
    assert inbox.receive(20) == "row"
    assert inbox.receive(0.01) is None
    queue.put("more")
    inbox.set()
    assert inbox.receive(20) is Inbox.END
    queue.put(None)


def test_an_invalid_row_gets_a_clear_error():
    with pytest.raises(TypeError, match="a row of a live stream must be"):
        list(drive(Reasoner(PROGRAM), ["1: p(a)"]))
