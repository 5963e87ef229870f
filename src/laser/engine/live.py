"""A reasoner that follows a live stream: rows out of order, late rows, and time that goes on while no rows arrive.

The *watermark* is the latest time of a row (or of the clock, while no rows arrive) minus the lateness. Time points before it
are complete: rows that still arrive for them are late, and set aside. Streams on Spark follow the same rule.

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
    """Facts that are ignored, and the reason: they are too late, or too far ahead of the clock. ``origin`` is the row that they came in."""

    time: int
    facts: list[FactInput]
    reason: str
    origin: object = None


def _ignore(_: Aside) -> None:
    """Ignore facts that are set aside; they are only counted."""


@dataclass
class Live:
    """Takes rows as they arrive, and yields the steps that they make possible.

    Without a lateness, each row is answered at once, and more rows of the same time point revise the answer. With a lateness, a
    time point is answered when it is complete.
    """

    reasoner: Reasoner
    tick: Tick
    lateness: Fraction = Fraction(0)
    """In seconds."""
    until: int | None = None
    aside: Callable[[Aside], object] = _ignore
    every_tick: bool = False
    """Whether time moves tick by tick, for a snapshot at each tick, and not only when something may change."""
    taken: int = 0
    """The number of rows that were accepted."""
    late: int = 0
    """The number of facts that were late."""
    _waiting: dict[int, list[FactInput]] = field(default_factory=dict)
    _complete: int = NOWHERE
    """The last time point that is complete."""

    @property
    def is_prompt(self) -> bool:
        return not self.lateness

    @property
    def has_begun(self) -> bool:
        """Whether the timeline has begun, or a row that begins it is waiting."""
        return self.reasoner.start is not None or bool(self._waiting)

    @property
    def is_over(self) -> bool:
        """Whether the requested end is complete."""
        return self.until is not None and self._complete >= self.until

    def take(self, time: int, facts: list[FactInput], origin: object = None) -> Iterator[Step]:
        """Take a row. It is accepted if its time point is not complete and not before the start of the timeline."""
        start = self.reasoner.start
        if time <= self._complete or (start is not None and time < start):
            self.late += len(facts)
            reason = f"it is late: its time point was complete {self._complete - time + 1} ticks ago"
            if time > self._complete:
                reason = "it is before the start of the timeline"
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
        """No row has arrived: let time go on with the clock."""
        if not self.has_begun:
            return
        passed = int((seconds_of(now) - self.lateness) // self.tick.seconds)
        self._complete = max(self._complete, passed - 1)
        yield from self._feed()
        yield from self._go_on()

    def due(self) -> datetime | None:
        """When to look at the clock again if no row arrives; None if nothing can change."""
        if not self.has_begun:
            return None
        points = [time + 1 for time in self._waiting]
        if self.until is not None:
            points.append(self.until + 1)
        if self.reasoner.start is not None and (wake := self._next()) is not None:
            points.append(wake if self.is_prompt else wake + 1)
        return moment_of(min(points) * self.tick.seconds + self.lateness) if points else None

    def end(self, cut_short: bool = False) -> Iterator[Step]:
        """The stream has ended: answer the waiting rows, and go on to the requested end or, if cut short, to the present.

        A timeline with a start has at least that time point.
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
        """The time to move to: the current time point if rows are answered at once, else the last complete one."""
        target = self._complete + self.is_prompt
        return target if self.until is None else min(target, self.until)

    def _next(self) -> int | None:
        present = self.reasoner.time
        return present + 1 if self.every_tick and present is not None else self.reasoner.next_wake

    def _feed(self) -> Iterator[Step]:
        """The waiting rows whose time points are complete, in the order of time."""
        for time in sorted(time for time in self._waiting if time <= self._complete):
            facts = self._waiting.pop(time)
            yield Step(time, facts, self.reasoner.advance(time, facts))

    def _go_on(self) -> Iterator[Step]:
        """Move to that time, if something may have changed on the way."""
        target = self._target()
        present = self.reasoner.time
        if self.reasoner.start is None or target < self.reasoner.start or (present is not None and present >= target):
            return
        wake = self._next()
        if wake is not None and wake <= target:
            yield self._silence(target)

    def _silence(self, time: int) -> Step:
        return Step(time, [], self.reasoner.advance(time))
