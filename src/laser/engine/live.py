"""A reasoner that follows a live stream: rows out of order, rows that come too late, and time that goes on while nothing comes.

The *watermark* is the latest time seen, of a row or, while nothing comes, of the clock, less the lateness. Time points that it has
passed are complete: rows of them that still come are late, and set aside. It is the rule of streams on Spark.

Nothing here reads a clock or waits; `laser.engine.driver` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from laser.engine.reasoner import Reasoner
from laser.engine.run import Step
from laser.ticks import Tick, moment_of, seconds_of
from laser.values.facts import FactInput

__all__ = ["Aside", "Live"]

NOWHERE = -1


class Aside(NamedTuple):
    """Facts that do not count, and why: they came too late, or lie too far ahead of the clock. ``origin`` is what they came in."""

    time: int
    facts: list[FactInput]
    reason: str
    origin: object = None


def _ignore(_: Aside) -> None:
    """Where nobody wants to know, what is set aside is only counted."""


@dataclass
class Live:
    """Takes rows as they come, and gives the steps that they make possible.

    Without a lateness each row is answered at once, and more rows of the same time point revise the answer. With one, a time point
    is answered when it is complete.
    """

    reasoner: Reasoner
    tick: Tick
    lateness: Fraction = Fraction(0)
    """In seconds."""
    until: int | None = None
    aside: Callable[[Aside], object] = _ignore
    every_tick: bool = False
    """Whether time moves tick by tick, and not only when something may change: snapshots are wanted at each."""
    taken: int = 0
    """Rows that counted."""
    late: int = 0
    """Facts that came too late."""
    _waiting: dict[int, list[FactInput]] = field(default_factory=dict)
    _complete: int = NOWHERE
    """The last time point that the watermark has passed."""

    @property
    def is_prompt(self) -> bool:
        return not self.lateness

    @property
    def has_begun(self) -> bool:
        """Whether there is a timeline, or something that begins it."""
        return self.reasoner.start is not None or bool(self._waiting)

    @property
    def is_over(self) -> bool:
        """Whether the end that was asked for is complete."""
        return self.until is not None and self._complete >= self.until

    def take(self, time: int, facts: list[FactInput], origin: object = None) -> Iterator[Step]:
        """A row. It counts if its time point is not complete and the timeline has not begun after it."""
        start = self.reasoner.start
        if time <= self._complete or (start is not None and time < start):
            self.late += len(facts)
            reason = f"it is late: its time point was complete {self._complete - time + 1} ticks ago"
            if time > self._complete:
                reason = "it lies before the start of the timeline"
            self.aside(Aside(time, facts, reason, origin))
            return
        self.taken += 1
        within = self.until is None or time <= self.until
        self._complete = max(self._complete, time - ceil(self.lateness / self.tick.seconds) - 1)
        if self.is_prompt:
            if within:
                yield Step(time, facts, self.reasoner.advance(time, facts))
            return
        if within:
            self._waiting.setdefault(time, []).extend(facts)
        yield from self._feed()

    def move(self, now: datetime) -> Iterator[Step]:
        """Nothing comes, and the clock says so: time goes on with it."""
        if not self.has_begun:
            return
        passed = int((seconds_of(now) - self.lateness) // self.tick.seconds)
        self._complete = max(self._complete, passed - 1)
        yield from self._feed()
        yield from self._go_on()

    def due(self) -> datetime | None:
        """When the clock must be looked at again if nothing comes; None where nothing can change."""
        if not self.has_begun:
            return None
        points = [time + 1 for time in self._waiting]
        if self.until is not None:
            points.append(self.until + 1)
        if self.reasoner.start is not None and (wake := self._next()) is not None:
            points.append(wake if self.is_prompt else wake + 1)
        return moment_of(min(points) * self.tick.seconds + self.lateness) if points else None

    def end(self, cut_short: bool = False) -> Iterator[Step]:
        """Nothing more will come: answer what waits, and go on to the end that was asked for, or, if cut short, to where time is.

        Where the timeline has a start, it has at least that time point.
        """
        self._complete = max([self._complete, *self._waiting])
        yield from self._feed()
        if self.until is not None and not cut_short:
            self._complete = self.until
        start, present = self.reasoner.start, self.reasoner.time
        if start is None or (self.until is not None and self.until < start):
            return
        last = max(start, self._target())
        if present is None or present < last:
            yield self._silence(last)

    def _target(self) -> int:
        """Where time is: at the time point under way where it is answered at once, else at the last complete one."""
        target = self._complete + self.is_prompt
        return target if self.until is None else min(target, self.until)

    def _next(self) -> int | None:
        present = self.reasoner.time
        return present + 1 if self.every_tick and present is not None else self.reasoner.next_wake

    def _feed(self) -> Iterator[Step]:
        """What waits and is complete, in the order of time."""
        for time in sorted(time for time in self._waiting if time <= self._complete):
            facts = self._waiting.pop(time)
            yield Step(time, facts, self.reasoner.advance(time, facts))

    def _go_on(self) -> Iterator[Step]:
        """Move to where time is, if something may have changed on the way."""
        target = self._target()
        present = self.reasoner.time
        if self.reasoner.start is None or target < self.reasoner.start or (present is not None and present >= target):
            return
        wake = self._next()
        if wake is not None and wake <= target:
            yield self._silence(target)

    def _silence(self, time: int) -> Step:
        return Step(time, [], self.reasoner.advance(time))
