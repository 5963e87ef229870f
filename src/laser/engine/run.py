"""Runs a whole stream at once: drives a reasoner through it and computes snapshots and intervals from its changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, repeat, takewhile
from operator import itemgetter
from typing import NamedTuple, TypeAlias, Unpack

from laser.answers import Changes, Interval, IntervalBuilder, changes_by_time
from laser.checks.load import parse
from laser.engine.intake import listed
from laser.engine.machine import too_long
from laser.engine.reasoner import Reasoner
from laser.settings import RunOptions, RunSettings
from laser.syntax.program import Program, expect_program
from laser.ticks import TimeInput
from laser.values import Atom
from laser.values.facts import FactInput

__all__ = ["Step", "Stream", "intervals", "run", "step_through"]

Stream: TypeAlias = Iterable[tuple[TimeInput, Iterable[FactInput]]]
"""Facts with their times, which are numbers or dates, in order of time."""


TICKS_A_STEP = 100_000
MOST_TICKS = 10_000_000
"""In a silence in which no tick can be skipped: the number of ticks per step, and in total."""


class Step(NamedTuple):
    """The time that a reasoner has reached, the facts that it took, and the changes of its output."""

    time: int
    facts: list[FactInput]
    changes: Changes


def step_through(
    reasoner: Reasoner, stream: Stream, until: int | None = None, by_entry: bool = False
) -> Iterator[Step]:
    """Step a reasoner through a stream, and on to ``until``.

    Successive entries of one time point make one step. With ``by_entry``, each entry is answered at once, and later entries
    revise the answer. A timeline with a start has at least that time point, even if nothing arrives.
    """
    entries = ((reasoner.point(time), facts) for time, facts in _pairs(stream))
    within = entries if until is None else takewhile(lambda entry: entry[0] <= until, entries)
    for time, facts in within if by_entry else _time_points(within):
        given = listed(facts)
        yield from _silence(reasoner, time)
        yield Step(time, given, reasoner.advance(time, given))
    start, present = reasoner.start, reasoner.time
    if start is None:
        return
    last = start if until is None else until
    if last >= start and (present is None or present < last):
        yield from _silence(reasoner, last)
        yield Step(last, [], reasoner.advance(last))


def _silence(reasoner: Reasoner, until: int) -> Iterator[Step]:
    """Steps through a long silence, because a program that needs every tick can have very many changes in it."""
    if reasoner.time is None or until - reasoner.time <= TICKS_A_STEP:
        return
    begin = reasoner.time
    while (wake := reasoner.next_wake) is not None and (time := wake + TICKS_A_STEP) < until:
        if time - begin > MOST_TICKS and wake == reasoner.time + 1:
            raise too_long(wake - begin, wake, until)
        yield Step(time, [], reasoner.advance(time))


def _pairs(stream: Stream) -> Iterator[tuple[TimeInput, Iterable[FactInput]]]:
    """The entries of a stream, or a TypeError that helps: people often pass the name of a file."""
    if isinstance(stream, str) or not isinstance(stream, Iterable):
        raise TypeError(
            f"a stream must be an iterable of (time, facts), not {stream!r}; to read a file, use `laser eval`"
        )
    for entry in stream:
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            raise TypeError(f"an entry of a stream must be (time, facts), not {entry!r}")
        yield entry[0], entry[1]


def _time_points(stream: Iterable[tuple[int, Iterable[FactInput]]]) -> Iterator[tuple[int, list[FactInput]]]:
    for time, entries in groupby(stream, key=itemgetter(0)):
        yield time, [fact for _, facts in entries for fact in (facts if type(facts) is tuple else listed(facts))]


def run(
    program: Program | str,
    stream: Stream,
    **options: Unpack[RunOptions],
) -> Iterator[tuple[int, frozenset[Atom]]]:
    """A snapshot for every time point of the timeline.

    >>> for time, atoms in run("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (5, [])]):
    ...     print(time, sorted(atoms))
    3 [q(a)]
    4 [q(a)]
    5 []
    """
    program = parse(program) if isinstance(program, str) else expect_program(program)
    settings = RunSettings.read(options, in_zone=program.zone)
    reasoner = Reasoner.of(program, settings)
    holding: set[Atom] = set()
    snapshot: frozenset[Atom] = frozenset()
    shown: int | None = None
    for now, _, changes in step_through(reasoner, stream, settings.until):
        shown = reasoner.start if shown is None else shown
        assert shown is not None
        for time, shifts in groupby(changes.shifts, key=itemgetter(0)):
            yield from zip(range(shown, time), repeat(snapshot))
            shown = time
            for shift in shifts:
                shift.apply(holding)
            snapshot = frozenset(holding)  # once per time point, because a tick may have many changes
        yield from zip(range(shown, now), repeat(snapshot))
        shown = now
    if shown is not None:
        yield shown, snapshot


def intervals(
    program: Program | str,
    stream: Stream,
    **options: Unpack[RunOptions],
) -> Iterator[Interval]:
    """The output as intervals, each when it ends, those with the same end sorted by their begin; open intervals end with the stream.

    >>> list(intervals("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (5, [])]))
    [Interval(atom=q(a), since=3, until=4)]
    """
    program = parse(program) if isinstance(program, str) else expect_program(program)
    settings = RunSettings.read(options, in_zone=program.zone)
    reasoner = Reasoner.of(program, settings)
    builder = IntervalBuilder[Atom]()
    for step in step_through(reasoner, stream, settings.until):
        for changed in changes_by_time(step.changes):
            yield from map(Interval._make, sorted(builder.take(*changed).rows(), key=itemgetter(1, 0)))
    if reasoner.time is not None:
        yield from map(Interval._make, sorted(builder.finish(reasoner.time).rows(), key=itemgetter(1, 0)))
