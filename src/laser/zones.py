"""Zones: what a time means that says none."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from laser.errors import TimeError

__all__ = ["check_tick", "zone_of"]

_OFFSET = re.compile(r"(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?")
_ZERO = frozenset({"z", "utc", "gmt", "ut", "etc/utc"})
_SECONDS_A_DAY = 86_400
_YEARS = range(1970, 2038)
"""The years over which a zone is asked for its offsets; later ones repeat the last rules."""


def zone_of(name: str) -> tzinfo:
    """The zone of a name, as in ``Europe/Vienna``, ``UTC`` or ``+09:00``; TimeError where there is none.

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
            f"{name!r} is not a zone: write one such as Europe/Vienna or +01:00 "
            "(if the machine has no zones at all: pip install tzdata)"
        ) from None


@cache
def offsets(zone: tzinfo) -> frozenset[int]:
    """The seconds by which a zone is ahead of UTC, in the course of the years."""
    days = (datetime(year, month, 1, tzinfo=UTC) for year in _YEARS for month in range(1, 13))
    found = (day.astimezone(zone).utcoffset() for day in days)
    return frozenset(int(offset.total_seconds()) for offset in found if offset is not None)


def check_tick(seconds: Fraction, zone: tzinfo) -> None:
    """Refuse a tick of which a day has a whole number, and the zone's offsets do not: its days would begin off midnight."""
    off = [offset for offset in sorted(offsets(zone)) if offset % seconds]
    if _SECONDS_A_DAY % seconds == 0 and off:
        raise TimeError(
            f"the zone {zone} is {timedelta(seconds=abs(off[0]))} h {'ahead of' if off[0] > 0 else 'behind'} UTC, which is "
            "not a whole number of ticks, so that time points would not begin at midnight there: choose a shorter tick, "
            "or the zone UTC"
        )
