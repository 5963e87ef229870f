"""Ticks: the length of one tick, and the conversion of durations and dates to time points."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import TypeAlias

from laser.errors import TimeError
from laser.phrases import shown
from laser.values.time import Duration
from laser.zones import zone_of

__all__ = [
    "MAX_TIME",
    "OFF",
    "SECOND",
    "UNITS",
    "Tick",
    "TimeInput",
    "check_time",
    "is_date",
    "moment_of",
    "read_length",
    "seconds_of",
]

MAX_TIME = 2**63 - 1
"""The last time point: the largest that fits into the integer columns of files and of Spark."""

TimeInput: TypeAlias = int | str | datetime
"""A time as users give it: a time point or a date."""

UNITS = {
    "us": Fraction(1, 1_000_000),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
}
"""The units of durations, in seconds."""

_LONG = {
    "microsecond": "us", "millisecond": "ms", "second": "s", "sec": "s", "minute": "min", "hour": "h", "day": "d",
}  # fmt: skip

OFF = "off"
"""The word that switches off a limit that is on by default."""

LONGEST_LENGTH = 100
"""The longest text of a duration; longer texts are refused without computing them."""

_NO_TIME = re.compile(r"\s*0+(\.0*)?\s*[A-Za-z]*\s*\Z")  # zero is not a valid tick, but it is a valid duration
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)?\s*([A-Za-z]+)\s*\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Tick:
    """The exact length of one tick in seconds; and the zone in which dates are written, and read if they have no zone.

    >>> Tick.parse("250 ms").ticks(30, "s")
    120
    """

    seconds: Fraction = Fraction(1)
    zone: tzinfo = UTC

    def in_zone(self, name: str | None) -> Tick:
        """The same tick, with dates in a zone; UTC if no zone is given.

        >>> Tick().in_zone("Asia/Tokyo").to_text(0), Tick().in_zone("Asia/Tokyo").point("1970-01-01T09:00")
        ('1970-01-01T09:00:00+09:00', 0)
        """
        return replace(self, zone=UTC if name is None else zone_of(name))

    @classmethod
    def parse(cls, text: str | Tick) -> Tick:
        """Read ``1 s``, ``250 ms`` or ``1 minute``; a unit alone means one of it."""
        if isinstance(text, Tick):
            return text
        if not isinstance(text, str):
            raise TimeError(
                f"{shown(text)} is not a tick: write a number and a unit ({', '.join(UNITS)}), as in '250 ms'"
            )
        match = _DURATION.match(text) if len(text) <= LONGEST_LENGTH else None
        unit = _unit(match[2]) if match else None
        if match is None or unit is None:
            raise TimeError(
                f"{shown(text)} is not a tick: write a number and a unit ({', '.join(UNITS)}), as in '250 ms'"
            )
        seconds = Fraction(match[1] or "1") * UNITS[unit]
        if seconds <= 0:
            raise TimeError("a tick must be longer than 0")
        return cls(seconds)

    def ticks(self, size: int | float, unit: str) -> int | None:
        """A duration in ticks, or None if it is not a whole number of ticks."""
        count = Fraction(str(size)) * UNITS[unit] / self.seconds
        return int(count) if count.denominator == 1 else None

    @property
    def duration(self) -> Duration:
        """The tick as a duration; TimeError if it is not a whole number of microseconds, as dates need."""
        micros = self.seconds * 1_000_000
        if micros.denominator != 1:
            raise TimeError(f"a tick of {self} is not a whole number of microseconds, as a run with dates needs")
        return Duration(int(micros))

    def count(self, duration: Duration) -> int | float:
        """How many ticks a duration lasts.

        >>> Tick.parse("250 ms").count(Duration(90_000_000))
        360
        """
        ticks = Fraction(duration.micros, 1_000_000) / self.seconds
        return int(ticks) if ticks.denominator == 1 else float(ticks)

    def from_datetime(self, moment: datetime, zone: tzinfo | None = None) -> int:
        """The time point that contains a moment; a moment without a zone is in ``zone``, or in the zone of the run."""
        point = seconds_of(moment, self.zone if zone is None else zone) // self.seconds
        if point < 0:
            raise TimeError(f"{moment.isoformat()} is before 1970, but a time point cannot be negative")
        return int(point)

    def from_text(self, text: str, zone: tzinfo | None = None) -> int:
        """A time point from an integer or an ISO 8601 date and time."""
        text = text.strip()
        if text.isascii() and text.isdigit():
            return check_time(int(text)) if len(text) < 30 else check_time(MAX_TIME + 1)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise TimeError(
                f"{shown(text)} is not a time: write a non-negative integer or an ISO 8601 date and time"
            ) from None
        return self.from_datetime(moment, zone)

    def point(self, time: TimeInput, zone: tzinfo | None = None) -> int:
        """A time point from what a user gives as a time: an integer, a datetime, or ISO 8601 text.

        >>> Tick().point(36), Tick().point("1970-01-01T00:01:00Z")
        (36, 60)
        """
        if isinstance(time, datetime):
            return self.from_datetime(time, zone)
        return self.from_text(time, zone) if isinstance(time, str) and is_date(time) else check_time(time)

    def to_datetime(self, point: int) -> datetime:
        """The moment when a time point begins, in the zone of the run."""
        moment = _EPOCH + timedelta(microseconds=int(point * self.seconds * 1_000_000))
        return moment if self.zone is UTC else moment.astimezone(self.zone)

    def to_text(self, point: int) -> str:
        """The ISO 8601 form of a time point; a time point beyond the calendar stays a number."""
        try:
            return self.to_datetime(point).isoformat().replace("+00:00", "Z")
        except OverflowError:
            return str(point)

    def __str__(self) -> str:
        for unit in ("d", "h", "min", "s", "ms", "us"):
            count = self.seconds / UNITS[unit]
            if count.denominator == 1:
                return f"{count} {unit}"
        return f"{float(self.seconds)} s"


def is_date(time: object) -> bool:
    """Whether a time is given as a date."""
    return isinstance(time, datetime) or (isinstance(time, str) and not time.strip().isdigit())


def seconds_of(moment: datetime, zone: tzinfo = UTC) -> Fraction:
    """The exact number of seconds from 1970 to a moment; a moment without a zone is in ``zone``."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return Fraction((aware - _EPOCH) // timedelta(microseconds=1), 1_000_000)


def moment_of(seconds: Fraction) -> datetime:
    """The first moment, in whole microseconds, that is at least this number of seconds after 1970."""
    return _EPOCH + timedelta(microseconds=-int(-seconds * 1_000_000 // 1))


def read_length(given: str | int, tick: Tick, what: str) -> Fraction:
    """A duration that a user gives to a run, in seconds; an integer counts ticks. It may be zero.

    >>> read_length("2 min", SECOND, "the lateness"), read_length(3, SECOND, "the lateness")
    (Fraction(120, 1), Fraction(3, 1))
    """
    if isinstance(given, str):
        if _NO_TIME.match(given):
            return Fraction(0)
        try:
            return Tick.parse(given).seconds
        except TimeError:
            raise TimeError(f"{what}: {given!r} is not a duration: write a number and a unit, as in '20 s'") from None
    if given < 0:
        raise TimeError(f"{what} cannot be negative")
    return tick.seconds * given


SECOND = Tick()
"""The default tick."""


def _unit(word: str) -> str | None:
    word = word.lower()
    for form in (word, word.removesuffix("s")):
        if form in UNITS:
            return form
        if form in _LONG:
            return _LONG[form]
    return None


def check_time(time: object) -> int:
    """A time point, or TimeError."""
    if type(time) is int and 0 <= time <= MAX_TIME:
        return time
    if isinstance(time, bool) or not hasattr(time, "__index__"):
        raise TimeError(f"{shown(time)} is not a time point: it must be a non-negative integer")
    try:
        point = int(time.__index__())
    except Exception as error:  # whatever an object of another library raises
        raise TimeError(f"{shown(time)} is not a time point: {error}") from None
    if not 0 <= point <= MAX_TIME:
        raise TimeError(f"{shown(point)} is not a time point: it must be in [0, {MAX_TIME}]")
    return point
