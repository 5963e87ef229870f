"""The three forms of an answer stream, each computed from the changes.

A form takes the changes of one step after another (``take``) and writes the answers; ``end`` writes the rest.
A step may have the same time point as the one before: then its changes revise the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Protocol, TypeAlias

from laser.answers import IntervalBuilder, changes_by_time
from laser.io.formats.format import AnswerWriter, FormName
from laser.values import Atom

__all__ = ["FORMS", "Changes", "Form", "Intervals", "Snapshots"]

Change: TypeAlias = tuple[int, Atom, bool]


class Form(Protocol):
    """Writes one form of the answers."""

    def take(self, changes: Iterable[Change], start: int, now: int) -> None: ...
    def end(self) -> None: ...


class Changes:
    """Writes each change at once; or, as events, only what begins (``only`` is True) or what ends."""

    def __init__(self, writer: AnswerWriter, only: bool | None = None) -> None:
        self._writer, self._only = writer, only

    def take(self, changes: Iterable[Change], start: int, now: int) -> None:
        for time, atom, holds in changes:
            if self._only is None or holds is self._only:
                self._writer.change(time, atom, holds)

    def end(self) -> None:
        """Nothing to do: every change was written."""


class Snapshots:
    """What holds at every time point from the start; a time point that is revised is written again."""

    def __init__(self, writer: AnswerWriter) -> None:
        self._writer = writer
        self._holding: set[Atom] = set()
        self._next: int | None = None

    def take(self, changes: Iterable[Change], start: int, now: int) -> None:
        if self._next is None:
            self._next = start
        revised = False
        for time, atom, holds in changes:
            self._write_until(time - 1)
            revised = True
            (self._holding.add if holds else self._holding.discard)(atom)
        if revised and now < self._next:
            self._next = now
        self._write_until(now)

    def _write_until(self, last: int) -> None:
        assert self._next is not None
        if self._next > last:
            return
        atoms = sorted(self._holding)
        for time in range(self._next, last + 1):
            self._writer.snapshot(time, atoms)
        self._next = last + 1

    def end(self) -> None:
        """Nothing to do: the present was written."""


class Intervals:
    """The maximal intervals in which an atom holds, each as soon as it is certain."""

    def __init__(self, writer: AnswerWriter) -> None:
        self._writer = writer
        self._builder = IntervalBuilder[Atom]()
        self._closing: dict[Atom, int] = {}  # ended at `_time`, which a revision may still take back
        self._time = self._now = -1

    def take(self, changes: Iterable[Change], start: int, now: int) -> None:
        for time, begun, ended in changes_by_time(changes):
            self._move(time)
            self._closing |= {
                atom: since for atom, since, until in self._builder.take(time, begun, ended).rows() if since <= until
            }
            for atom in self._closing.keys() & set(begun):
                self._builder.reopen(atom, self._closing.pop(atom))
        self._move(now)
        self._now = now

    def _move(self, time: int) -> None:
        if time > self._time:
            self._flush()
            self._time = time

    def _flush(self) -> None:
        for atom, since in sorted(self._closing.items(), key=itemgetter(1, 0)):
            self._writer.interval(atom, since, self._time - 1, False)
        self._closing.clear()

    def end(self) -> None:
        """Write the intervals that ended last, and those that are open at the end of the stream."""
        self._flush()
        for atom, since, until in sorted(self._builder.finish(self._now).rows(), key=itemgetter(1, 0)):
            self._writer.interval(atom, since, until, True)


FORMS: Mapping[FormName, Callable[[AnswerWriter], Form]] = {
    "changes": Changes,
    "snapshots": Snapshots,
    "intervals": Intervals,
}
