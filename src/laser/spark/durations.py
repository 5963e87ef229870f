"""Durations that users give to a run on Spark, in ticks or with a unit; and how far ahead of the clock a row may lie."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.ticks import Tick

__all__ = ["NO_TIME", "OFF", "Ahead", "Duration"]

_NONE = re.compile(r"\s*0+(\.0*)?\s*[A-Za-z]*\s*\Z")  # no time at all is not a tick, but it is a duration
OFF = "off"
"""What switches a limit off that there is by default."""


@dataclass(frozen=True)
class Duration:
    """A length of time in microseconds, Spark's own unit, and how the user said it."""

    micros: int
    text: str

    @classmethod
    def read(cls, given: str | int, tick: Tick, what: str) -> Duration:
        """An integer counts ticks.

        >>> Duration.read("2 min", Tick(), "the lateness"), Duration.read(3, Tick(), "the lateness")
        (Duration(micros=120000000, text='2 min'), Duration(micros=3000000, text='3 s'))
        """
        if isinstance(given, str):
            seconds = Tick.parse(given).seconds if not _NONE.match(given) else 0
            return cls(int(seconds * 1_000_000), given.strip())
        if given < 0:
            raise LaserError(f"{what} cannot be negative")
        length = tick.seconds * given
        return cls(int(length * 1_000_000), str(Tick(length)))


NO_TIME = Duration(0, "0 s")


@dataclass(frozen=True)
class Ahead:
    """A row may lie so far ahead of the clock. That is the time at which a batch began; in a stream, where ``now`` is None, each
    micro-batch has its own, and keeps it if it is repeated."""

    length: Duration
    now: int | None

    def last(self, tick: int) -> Column:
        """The last time point that a row may have, where a tick has so many microseconds."""
        now = F.unix_micros(F.current_timestamp()) if self.now is None else F.lit(self.now)
        return F.floor((now + F.lit(self.length.micros)) / F.lit(tick)).cast("bigint")

    def fault(self, column: str) -> str:
        return f"{column} lies more than {self.length.text} ahead of the clock"
