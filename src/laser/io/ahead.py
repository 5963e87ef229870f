"""Rows that lie ahead of the clock, as those with a wrong year do: all that follows them would be late, and the timeline would not end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from laser.ticks import Tick

__all__ = ["Ahead"]


@dataclass
class Ahead:
    """How far a row may lie ahead of the clock. Where there is no limit, the first one that lies ahead is told, once.

    The clock is asked again only for a row that lies ahead of what it said before.
    """

    tick: Tick
    clock: Callable[[], datetime]
    limit: timedelta | None = None
    words: str = ""
    """How the user said the limit."""
    tell: Callable[[str], object] = field(default=lambda _: None)
    _latest: int | None = None
    _told: bool = False

    def covers(self, time: int) -> bool:
        """Whether a time does not lie ahead, so that nothing is to be said of it."""
        return time <= self.tick.from_datetime(self.clock() + (self.limit or timedelta(0))) or self._told

    def fault(self, time: int, line: int) -> str | None:
        """What is wrong with the date of a row, if anything."""
        if self._latest is not None and time <= self._latest:
            return None
        self._latest = self.tick.from_datetime(self.clock() + (self.limit or timedelta(0)))
        if time <= self._latest:
            return None
        moment = self.tick.to_text(time)
        if self.limit is not None:
            return f"{moment} lies more than {self.words} ahead of the clock (--max-ahead)"
        if not self._told:
            self._told = True
            self.tell(f"line {line} lies ahead of the clock, at {moment}: --max-ahead '1 d' refuses such rows")
        return None
