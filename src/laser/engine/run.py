"""A whole stream at once: snapshots and intervals, made from changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, repeat
from operator import itemgetter
from typing import Unpack

from laser.answers import Changes, Interval, IntervalBuilder, changes_by_time
from laser.engine.intake import take
from laser.engine.reasoner import Reasoner
from laser.settings import RunOptions, RunSettings
from laser.syntax.program import Program
from laser.values import Atom
from laser.values.facts import FactInput

__all__ = ["intervals", "run"]


def run(
    program: Program | str,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    **options: Unpack[RunOptions],
) -> Iterator[tuple[int, frozenset[Atom]]]:
    """A snapshot for every time point of the timeline.

    >>> for time, atoms in run("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (5, [])]):
    ...     print(time, sorted(atoms))
    3 [q(a)]
    4 [q(a)]
    5 []
    """
    settings = RunSettings.read(options)
    reasoner = Reasoner.of(program, settings)
    holding: set[Atom] = set()
    snapshot: frozenset[Atom] = frozenset()
    shown: int | None = None
    for changes in _advances(reasoner, stream, settings.until):
        assert reasoner.start is not None and reasoner.time is not None
        shown = reasoner.start if shown is None else shown
        for time, shifts in groupby(changes.shifts, key=itemgetter(0)):
            yield from zip(range(shown, time), repeat(snapshot))
            shown = time
            for shift in shifts:
                shift.apply(holding)
            snapshot = frozenset(holding)  # once a time point: a tick may have many changes
        yield from zip(range(shown, reasoner.time), repeat(snapshot))
        shown = reasoner.time
    if shown is not None:
        yield shown, snapshot


def intervals(
    program: Program | str,
    stream: Iterable[tuple[int, Iterable[FactInput]]],
    **options: Unpack[RunOptions],
) -> Iterator[Interval]:
    """The output stream as intervals, each when it is over; the last ones end where the stream does.

    >>> list(intervals("q(X) :- p(X) in [1].", [(3, ["p(a)"]), (5, [])]))
    [Interval(atom=q(a), since=3, until=4)]
    """
    settings = RunSettings.read(options)
    reasoner = Reasoner.of(program, settings)
    builder = IntervalBuilder[Atom]()
    for changes in _advances(reasoner, stream, settings.until):
        for step in changes_by_time(changes):
            yield from map(Interval._make, builder.take(*step).rows())
    if reasoner.time is not None:
        yield from map(Interval._make, sorted(builder.finish(reasoner.time).rows()))


def _advances(
    reasoner: Reasoner, stream: Iterable[tuple[int, Iterable[FactInput]]], until: int | None
) -> Iterator[Changes]:
    """The changes of each step of a stream, and of the way from its start and to its end."""
    begin = [] if reasoner.start is None else [(reasoner.start, ())]
    for time, entries in groupby(chain(begin, stream), key=itemgetter(0)):
        if until is not None and time > until:
            break
        yield reasoner.advance(time, list(chain.from_iterable(take(facts) for _, facts in entries)))
    if until is not None and reasoner.time is not None and reasoner.time < until:
        yield reasoner.advance(until)
