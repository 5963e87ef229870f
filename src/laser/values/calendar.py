"""Calendar functions in a time zone: the hour, the day of the week and the start of the day of an instant."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import lru_cache

from laser.errors import FactError
from laser.values.time import Time
from laser.zones import zone_of

__all__ = ["date", "hour", "weekday"]

_SECOND = timedelta(seconds=1)

_zone = lru_cache(maxsize=64)(zone_of)


def hour(instant: Time, zone: str = "UTC") -> int | None:
    """The hour, 0 to 23, on a clock in the zone; None outside the calendar.

    >>> hour(Time.of(datetime(2026, 3, 2, 22, 30, tzinfo=UTC)), "Europe/Vienna")
    23
    """
    local = _local(instant, zone)
    return None if local is None else local.hour


def weekday(instant: Time, zone: str = "UTC") -> int | None:
    """The day of the week: 1 is Monday, 7 is Sunday."""
    local = _local(instant, zone)
    return None if local is None else local.isoweekday()


def date(instant: Time, zone: str = "UTC") -> Time | None:
    """The instant at which the day began in the zone.

    >>> date(Time.of(datetime(2026, 3, 2, 23, 30, tzinfo=UTC)), "Europe/Vienna")
    2026-03-02T23:00:00Z
    """
    local = _local(instant, zone)
    try:
        return None if local is None else Time.of(_midnight(local))
    except (OverflowError, ValueError, FactError):
        return None


def _local(instant: Time, zone: str) -> datetime | None:
    try:
        return instant.moment.astimezone(_zone(zone))
    except (OverflowError, ValueError):
        return None


def _midnight(local: datetime) -> datetime:
    """The first instant of a day; if the clocks skip midnight, the instant of the change."""
    first = datetime.combine(local.date(), time(), local.tzinfo)
    instant = first.astimezone(UTC)
    if instant.astimezone(local.tzinfo).replace(tzinfo=None) == first.replace(tzinfo=None):
        return instant
    assert local.tzinfo is not None
    return _skip(first.replace(fold=1).astimezone(UTC), instant, local.tzinfo)


def _skip(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The last instant up to ``after`` at which the offset of a zone changes; changes are at whole seconds."""
    offset = before.astimezone(zone).utcoffset()
    while after - before > _SECOND:
        middle = before + (after - before) // _SECOND // 2 * _SECOND
        before, after = (middle, after) if middle.astimezone(zone).utcoffset() == offset else (before, middle)
    return after
