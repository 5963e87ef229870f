"""A whole stream at once: snapshots and intervals, made from changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Unpack

from laser.answers import Changes, Interval
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
        if shown is None:
            shown = reasoner.start
        for change in changes:
            assert shown is not None
            while shown < change.time:
                yield shown, snapshot
                shown += 1
            (holding.add if change.holds else holding.discard)(change.atom)
            snapshot = frozenset(holding)
        assert shown is not None and reasoner.time is not None
        while shown < reasoner.time:
            yield shown, snapshot
            shown += 1
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
    since: dict[Atom, int] = {}
    for changes in _advances(reasoner, stream, settings.until):
        for change in changes:
            if change.holds:
                since[change.atom] = change.time
            else:
                yield Interval(change.atom, since.pop(change.atom), change.time - 1)
    for atom in sorted(since):
        assert reasoner.time is not None
        yield Interval(atom, since[atom], reasoner.time)


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
