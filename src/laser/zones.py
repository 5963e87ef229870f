"""Time zones, for times that do not name one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from laser.errors import TimeError

__all__ = ["CODE_NAMES", "Days", "Shift", "check_tick", "shifts", "zone_name", "zone_of"]

_OFFSET = re.compile(r"(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?")
_ZERO = frozenset({"z", "utc", "gmt", "ut", "etc/utc"})
_SECONDS_A_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_YEAR = 2100
_YEARS = range(1970, 2038)
"""The years in which the offsets of a zone are looked up; later years repeat the last rules."""


def zone_of(name: str) -> tzinfo:
    """The zone with a name such as ``Europe/Vienna``, ``UTC`` or ``+09:00``; TimeError if there is none.

    >>> zone_of("UTC"), zone_of("+09:00"), zone_of("Asia/Tokyo")
    (datetime.timezone.utc, datetime.timezone(datetime.timedelta(seconds=32400)), zoneinfo.ZoneInfo(key='Asia/Tokyo'))
    """
    if name.strip().lower() in _ZERO:
        return UTC
    if offset := _OFFSET.fullmatch(name.strip()):
        length = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(length if offset[1] == "+" else -length)
    try:
        return ZoneInfo(name.strip())
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise TimeError(
            f"{name!r} is not a time zone: write one such as Europe/Vienna or +01:00 "
            "(if this machine has no time zone database: pip install tzdata)"
        ) from None


def zone_name(zone: tzinfo) -> str:
    """A name by which `zone_of` finds a zone again.

    >>> zone_name(zone_of("Asia/Tokyo")), zone_name(zone_of("+09:00")), zone_name(UTC)
    ('Asia/Tokyo', '+09:00', 'UTC')
    """
    return str(zone).removeprefix("UTC") or "UTC"


@cache
def offsets(zone: tzinfo) -> frozenset[int]:
    """All offsets of a zone from UTC over the years, in seconds."""
    days = (datetime(year, month, 1, tzinfo=UTC) for year in _YEARS for month in range(1, 13))
    found = (day.astimezone(zone).utcoffset() for day in days)
    return frozenset(int(offset.total_seconds()) for offset in found if offset is not None)


class Shift(NamedTuple):
    """A clock change of a zone: the local time from which it applies, and the new offset from UTC in seconds.

    A local time that occurs twice means the first one; a skipped one has the offset before the change, as in Python.
    """

    local: int
    offset: int


@cache
def shifts(zone: tzinfo) -> tuple[Shift, ...]:
    """All clock changes of a zone from 1970 to the end of the century; the first one is its initial offset.

    >>> [shift.offset for shift in shifts(zone_of("+09:00"))], len(shifts(zone_of("Europe/Vienna"))) > 200
    ([32400], True)
    """
    before = _offset(_EPOCH, zone)
    found = [Shift(-(2**62) // 1_000_000, before)]
    week, moment = timedelta(days=7), _EPOCH
    while moment.year < _LAST_YEAR:
        after = _offset(moment + week, zone)
        if after != before:
            change = _change(moment, moment + week, zone)
            found.append(Shift(int((change - _EPOCH).total_seconds()) + max(before, after), after))
        moment, before = moment + week, after
    return tuple(found)


def _offset(moment: datetime, zone: tzinfo) -> int:
    offset = moment.astimezone(zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def _change(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The first second at which a zone has another offset than ``before``."""
    offset = _offset(before, zone)
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // timedelta(seconds=1) // 2 * timedelta(seconds=1)
        before, after = (middle, after) if _offset(middle, zone) == offset else (before, middle)
    return after


def check_tick(seconds: Fraction, zone: tzinfo) -> None:
    """Refuse a tick that divides a day but not the offsets of the zone: no time point would begin at its midnight."""
    off = [offset for offset in sorted(offsets(zone)) if offset % seconds]
    if _SECONDS_A_DAY % seconds == 0 and off:
        raise TimeError(
            f"the zone {zone} is {timedelta(seconds=abs(off[0]))} h {'ahead of' if off[0] > 0 else 'behind'} UTC, which is "
            "not a whole number of ticks, so no time point would begin at midnight there: choose a shorter tick, "
            "or the zone UTC"
        )


@dataclass(frozen=True, slots=True)
class Days:
    """Blocks of a number of days in a zone, from midnight to midnight, in ticks. A day of 23 or 25 hours is one day.

    >>> vienna = Days("Europe/Vienna", 1, Fraction(3600))
    >>> spring = 1_774_738_800 // 3600  # 2026-03-29T00:00+01:00
    >>> vienna.begin(spring + 5) - spring, vienna.following(spring) - spring
    (0, 23)
    """

    zone: str
    count: int
    tick: Fraction

    def number(self, t: int) -> int:
        """The number of the block that contains a time point, counted from 1970."""
        return _block(self.zone, self.count, self.tick, t)

    def start(self, number: int) -> int:
        """The first time point of a block."""
        return _first(self.zone, self.count, self.tick, number)

    def begin(self, t: int) -> int:
        """The first time point of the block of t."""
        return self.start(self.number(t))

    def following(self, t: int) -> int:
        """The first time point of the next block."""
        return self.start(self.number(t) + 1)

    @property
    def most_ticks(self) -> int:
        """More ticks than any block has."""
        spread = max(offsets(zone_of(self.zone))) - min(offsets(zone_of(self.zone)))
        return math.ceil((self.count * _SECONDS_A_DAY + spread) / self.tick)

    @property
    def id(self) -> tuple[str | int, ...]:
        """The id of the blocks in saved states."""
        return ("days", self.zone, self.count)

    def code(self, function: str, *args: str) -> str:
        """A call of one of ``CODE_NAMES`` for these blocks, as source code."""
        fixed = f"{self.zone!r}, {self.count}, {self.tick.numerator}, {self.tick.denominator}"
        return f"{function}({fixed}, {', '.join(args)})"


_EPOCH_DAY = date(1970, 1, 1).toordinal()


@lru_cache(maxsize=4096)
def _block(zone: str, count: int, tick: Fraction, t: int) -> int:
    try:
        local = (_EPOCH + timedelta(seconds=float(t * tick))).astimezone(_zone(zone))
    except OverflowError:  # beyond the calendar, every day has 24 hours
        return int(t * tick // (_SECONDS_A_DAY * count))
    return (local.toordinal() - _EPOCH_DAY) // count


@lru_cache(maxsize=4096)
def _first(zone: str, count: int, tick: Fraction, number: int) -> int:
    try:
        midnight = datetime.combine(date.fromordinal(_EPOCH_DAY + number * count), time(), _zone(zone))
        seconds = int(midnight.timestamp())
    except (OverflowError, ValueError):
        seconds = number * count * _SECONDS_A_DAY
    return math.ceil(seconds / tick)


_zone = lru_cache(maxsize=64)(zone_of)


def _day_begin(zone: str, count: int, numerator: int, denominator: int, t: int) -> int:
    return Days(zone, count, Fraction(numerator, denominator)).begin(t)


def _day_after(zone: str, count: int, numerator: int, denominator: int, t: int) -> int:
    return Days(zone, count, Fraction(numerator, denominator)).following(t)


CODE_NAMES = {"DAY_BEGIN": _day_begin, "DAY_AFTER": _day_after}
"""The functions that generated code calls for blocks of days: the start of the block of t, and of the next block."""
