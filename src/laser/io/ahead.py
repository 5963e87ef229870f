"""Rows ahead of the clock, such as those with a wrong year: after such a row, all others would be late, and the timeline would not end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from laser.ticks import Tick

__all__ = ["Ahead"]


@dataclass
class Ahead:
    """How far a row may be ahead of the clock. Without a limit, only the first row ahead of the clock is reported.

    The clock is read again only for a row that is later than its last reading.
    """

    tick: Tick
    clock: Callable[[], datetime]
    limit: timedelta | None = None
    words: str = ""
    """The limit as the user wrote it."""
    tell: Callable[[str], object] = field(default=lambda _: None)
    _latest: int | None = None
    _told: bool = False

    def covers(self, time: int) -> bool:
        """Whether a time is not ahead of the last reading, so that there is nothing to check."""
        return time <= self.tick.from_datetime(self.clock() + (self.limit or timedelta(0))) or self._told

    def fault(self, time: int, line: int) -> str | None:
        """What is wrong with the date of a row; None if nothing is."""
        if self._latest is not None and time <= self._latest:
            return None
        self._latest = self.tick.from_datetime(self.clock() + (self.limit or timedelta(0)))
        if time <= self._latest:
            return None
        moment = self.tick.to_text(time)
        if self.limit is not None:
            return f"{moment} is more than {self.words} ahead of the clock (--max-ahead)"
        if not self._told:
            self._told = True
            self.tell(f"line {line} is ahead of the clock, at {moment}: to refuse such rows, use --max-ahead '1 d'")
        return None
