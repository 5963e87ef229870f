"""Collects when atoms hold, from points, spans and changes in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from laser.answers import IntervalBuilder, Runs, overlapping
from laser.plot.curves import make_curves
from laser.plot.model import Bar, Group, Row, Timeline
from laser.ticks import Tick
from laser.values import Atom, Predicate

__all__ = ["Lines", "Tracks"]

Lines: TypeAlias = dict[Predicate, int | None] | None
"""The argument of each predicate to draw as a line. None for all: choose automatically; None as value: choose the argument."""


class Tracks:
    """Collects runs of time points by atom."""

    def __init__(self) -> None:
        self.start: int | None = None
        self.end: int | None = None
        self._runs: dict[Atom, list[Bar]] = {}
        self._builder = IntervalBuilder[Atom]()

    def seen(self, time: int) -> None:
        """Add a time point to the timeline, even if nothing holds at it."""
        self.start = time if self.start is None or time < self.start else self.start
        self.end = time if self.end is None or time > self.end else self.end

    def point(self, time: int, atom: Atom) -> None:
        """An atom holds at a time point."""
        runs = self._runs.setdefault(atom, [])
        if runs and runs[-1].until in (time, time - 1):
            runs[-1] = Bar(runs[-1].since, time)
        else:
            runs.append(Bar(time, time))

    def span(self, atom: Atom, since: int, until: int, ongoing: bool = False) -> None:
        """An atom holds from one time point to another; a span that ends before it begins is ignored."""
        if since <= until:
            self.seen(since)
            self.seen(until)
            self._runs.setdefault(atom, []).append(Bar(since, until, ongoing))

    def change(self, time: int, atom: Atom, holds: bool) -> None:
        """An atom begins or ceases to hold. Files may repeat a change, or lack the beginning of what held at their start."""
        self.seen(time)
        if holds != (atom in self._builder.still_open):
            runs = self._builder.take(time, *(((atom,), ()) if holds else ((), (atom,))))
            self._spans(runs)
        elif not holds:
            assert self.start is not None
            self.span(atom, self.start, time - 1)

    def finish(self) -> None:
        """What has begun and not ceased holds until the end."""
        if self.end is not None:
            self._spans(self._builder.finish(self.end), ongoing=True)

    def _spans(self, runs: Runs[Atom], ongoing: bool = False) -> None:
        for atom, since, until in runs.rows():
            self.span(atom, since, until, ongoing)

    def groups(self, given: bool, lines: Lines = None, order: Iterable[Predicate] = ()) -> list[Group]:
        """The groups, in the given order and then by name; those with curves first."""
        self.finish()
        rank = {predicate: place for place, predicate in enumerate(order)}
        by_predicate: dict[Predicate, list[Row]] = {}
        for atom in sorted(self._runs):
            by_predicate.setdefault(atom.signature, []).append(Row(atom, _merged(self._runs[atom])))
        wanted = sorted(by_predicate, key=lambda predicate: (rank.get(predicate, len(rank)), predicate))
        groups = [_group(predicate, given, by_predicate[predicate], lines) for predicate in wanted]
        return sorted(groups, key=lambda group: not group.curves)


def _group(predicate: Predicate, given: bool, rows: Sequence[Row], lines: Lines) -> Group:
    curves = make_curves(predicate, rows, given, lines)
    return Group(predicate, given, () if curves else tuple(rows), curves)


def _merged(bars: list[Bar]) -> tuple[Bar, ...]:
    """Maximal runs, in order, from runs that may overlap or touch; a run is open if the part that ends last is."""
    return tuple(Bar(group[0].since, *max((bar.until, bar.open) for bar in group)) for group in overlapping(bars))


def make_timeline(
    given: Tracks, derived: Tracks, lines: Lines, order: Iterable[Predicate], tick: Tick | None
) -> Timeline:
    """One timeline: the derived atoms first, because readers look for them, then the facts."""
    groups = [*derived.groups(False, lines, order), *given.groups(True, lines)]
    times = [time for track in (given, derived) for time in (track.start, track.end) if time is not None]
    if not times:
        return Timeline(0, 0, (), tick)
    return Timeline(min(times), max(times), tuple(groups), tick)
