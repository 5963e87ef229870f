"""Durations that users give to a run on Spark, in ticks or with a unit; and how far ahead of the clock a row may be."""

from __future__ import annotations

from dataclasses import dataclass

from laser.ticks import OFF, Tick, read_length

__all__ = ["NO_TIME", "OFF", "Ahead", "Duration"]


@dataclass(frozen=True)
class Duration:
    """A length of time in microseconds, Spark's own unit, and the user's text for it."""

    micros: int
    text: str

    @classmethod
    def read(cls, given: str | int, tick: Tick, what: str) -> Duration:
        """An integer counts ticks.

        >>> Duration.read("2 min", Tick(), "the lateness"), Duration.read(3, Tick(), "the lateness")
        (Duration(micros=120000000, text='2 min'), Duration(micros=3000000, text='3 s'))
        """
        length = read_length(given, tick, what)
        return cls(int(length * 1_000_000), given.strip() if isinstance(given, str) else str(Tick(length)))


NO_TIME = Duration(0, "0 s")


@dataclass(frozen=True)
class Ahead:
    """How far a row may be ahead of the clock. The clock is the time at which a batch began; in a stream, where ``now`` is None, each
    micro-batch has its own time, and keeps it if it is repeated."""

    length: Duration
    now: int | None

    def last(self, tick: int) -> str:
        """The last time point that a row may have, as SQL, if a tick has this many microseconds."""
        now = "unix_micros(current_timestamp())" if self.now is None else f"{self.now}L"
        return f"({now} + {self.length.micros}L) div {tick}L"

    def fault(self, column: str) -> str:
        return f"{column} is more than {self.length.text} ahead of the clock"
