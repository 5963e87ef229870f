"""What holds when, gathered from points, spans and changes in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from laser.plot.curves import make_curves
from laser.plot.model import Bar, Group, Row, Timeline
from laser.ticks import Tick
from laser.values import Atom, Predicate

__all__ = ["Lines", "Tracks"]

Lines: TypeAlias = dict[Predicate, int | None] | None
"""Which argument of which predicate is drawn as a line: None as a whole, choose; as a value, choose the argument."""


class Tracks:
    """Collects runs of time points by atom."""

    def __init__(self) -> None:
        self.start: int | None = None
        self.end: int | None = None
        self._runs: dict[Atom, list[Bar]] = {}
        self._since: dict[Atom, int] = {}

    def seen(self, time: int) -> None:
        """A time point is on the timeline, whether or not anything holds at it."""
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
        """An atom holds from a time point to another; what ends before it begins is nothing."""
        if since <= until:
            self.seen(since)
            self.seen(until)
            self._runs.setdefault(atom, []).append(Bar(since, until, ongoing))

    def change(self, time: int, atom: Atom, holds: bool) -> None:
        """An atom begins to hold, or ceases; a beginning that nobody saw was before everything else."""
        self.seen(time)
        if holds:
            self._since.setdefault(atom, time)
        else:
            assert self.start is not None
            self.span(atom, self._since.pop(atom, self.start), time - 1)

    def finish(self) -> None:
        """What has begun and not ceased holds to the end."""
        for atom, since in self._since.items():
            self.span(atom, since, since if self.end is None else self.end, True)
        self._since.clear()

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
    """Maximal runs, in order, of runs that may overlap or touch."""
    merged: list[Bar] = []
    for bar in sorted(bars):
        last = merged[-1] if merged else None
        if last is not None and bar.since <= last.until + 1:
            ends_later = bar if bar.until >= last.until else last
            merged[-1] = Bar(last.since, ends_later.until, ends_later.open)
        else:
            merged.append(bar)
    return tuple(merged)


def make_timeline(
    given: Tracks, derived: Tracks, lines: Lines, order: Iterable[Predicate], tick: Tick | None
) -> Timeline:
    """One timeline of what streamed in and what was derived."""
    groups = [*given.groups(True, lines), *derived.groups(False, lines, order)]
    times = [time for track in (given, derived) for time in (track.start, track.end) if time is not None]
    if not times:
        return Timeline(0, 0, (), tick)
    return Timeline(min(times), max(times), tuple(groups), tick)
