"""Times: instants in microseconds since 1970, UTC, and the durations between them.

Both are separate kinds of value, whatever the tick of the run: `2026-03-02T22:00:00Z` and `90 s` never equal a number or a string.

An instant has no zone, but its text has one: the zone of the run (`texts_in`), which also applies to texts without a zone. The
zone is a context variable, as in `decimal`, because texts are written and read wherever there are values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo
from fractions import Fraction
from typing import Any

from laser.errors import FactError, LiteralError
from laser.phrases import short
from laser.values import static_type
from laser.values.value_type import ValueType

__all__ = ["DURATION", "TIME", "UNITS", "Duration", "Time", "is_local", "texts_in"]

UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
"""The units of durations, in microseconds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MINUTE = timedelta(minutes=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LONGEST = 2**63 - 1
_LONGEST_DIGITS = 40
_RANK_OF_TIME, _RANK_OF_DURATION = 3, 4

_CLOCK = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_OFFSET = r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
_DATE = rf"{_CLOCK}{_OFFSET}?"
_LENGTH = rf"[0-9]+(?:\.[0-9]+)?\s*(?:{'|'.join(UNITS)})(?!\w)"
_SIGNED = rf"(?:-\s*)?{_LENGTH}"
_PARTS = re.compile(r"(-?)\s*([0-9.]+)\s*([a-z]+)")

_ZONE: ContextVar[tzinfo] = ContextVar("zone of texts", default=UTC)


@contextmanager
def texts_in(zone: tzinfo) -> Iterator[None]:
    """A context in which instants are written in a zone, and read in it if their text has no zone.

    >>> from zoneinfo import ZoneInfo
    >>> with texts_in(ZoneInfo("Europe/Vienna")):
    ...     print(Time.of(datetime(2026, 3, 2, 22, tzinfo=UTC)), TIME.read("2026-03-02T23:00"))
    2026-03-02T23:00:00+01:00 2026-03-02T23:00:00+01:00
    """
    token = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(token)


def is_local(text: str) -> bool:
    """Whether the text of an instant has no zone."""
    return re.search(rf"{_OFFSET}\Z", text, re.ASCII) is None


class Time(tuple):  # type: ignore[type-arg]
    """An instant of the calendar, with microseconds.

    It is a tuple of its rank and its microseconds, so that hashing, equality and order run in C.

    >>> Time.of(datetime(2026, 3, 2, 22, tzinfo=UTC))
    2026-03-02T22:00:00Z
    """

    __slots__ = ()

    def __new__(cls, micros: int) -> Time:
        if not _FIRST <= micros <= _LAST:
            raise FactError(f"{micros} microseconds since 1970 is outside the calendar (years 1 to 9999)")
        return tuple.__new__(cls, (_RANK_OF_TIME, micros))

    @classmethod
    def of(cls, moment: datetime) -> Time:
        """The instant of a Python datetime; without a zone, it is in the zone of the run, by default UTC."""
        aware = moment if moment.tzinfo else moment.replace(tzinfo=_ZONE.get())
        return cls((aware - _EPOCH) // _MICROSECOND)

    @property
    def micros(self) -> int:
        return self[1]  # type: ignore[no-any-return]

    @property
    def moment(self) -> datetime:
        """The same as a datetime in UTC."""
        return _EPOCH + timedelta(microseconds=self[1])

    def __str__(self) -> str:
        zone = _ZONE.get()
        return write_moment(self.moment if zone is UTC else _in_zone(self.moment, zone))

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, ...]:
        return (Time, (self[1],))


class Duration(tuple):  # type: ignore[type-arg]
    """A length of time, in whole microseconds.

    >>> Duration(90_000_000), Duration(600_000_000), Duration(-1_500)
    (90 s, 10 min, -1500 us)
    """

    __slots__ = ()

    def __new__(cls, micros: int) -> Duration:
        if not -_LONGEST <= micros <= _LONGEST:
            raise FactError(f"{micros} microseconds is too long for a duration")
        return tuple.__new__(cls, (_RANK_OF_DURATION, micros))

    @property
    def micros(self) -> int:
        return self[1]  # type: ignore[no-any-return]

    def __str__(self) -> str:
        unit = next((unit for unit in reversed(UNITS) if self[1] % UNITS[unit] == 0), "us") if self[1] else "s"
        return f"{self[1] // UNITS[unit]} {unit}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[object, ...]:
        return (Duration, (self[1],))


def _in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """A UTC moment in a zone; it stays in UTC at the ends of the calendar, and if the offset has seconds, which a text cannot have."""
    try:
        there = moment.astimezone(zone)
    except (OverflowError, ValueError):
        return moment
    offset = there.utcoffset()
    return there if offset is not None and offset % _MINUTE == timedelta(0) else moment


def write_moment(moment: datetime) -> str:
    """ISO 8601, with `Z` for UTC and no more digits than needed."""
    timespec = "seconds" if not moment.microsecond else "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")


def _read_time(text: str) -> Time:
    try:
        return Time.of(datetime.fromisoformat(text))
    except (ValueError, OverflowError, FactError):
        note = (
            "a time is written like 2026-03-02T22:00:00Z, with an offset like 2026-03-02T23:00:00+01:00, or without one, "
            "in the zone of the run"
        )
        raise LiteralError("bad-time", f"{text} is not a valid date", None, note) from None


def _read_duration(text: str) -> Duration:
    sign, digits, unit = _PARTS.fullmatch(text).groups()  # type: ignore[union-attr]  # it matched before
    micros = Fraction(digits) * UNITS[unit] if len(digits) <= _LONGEST_DIGITS else Fraction(_LONGEST + 1)
    if micros.denominator != 1 or micros > _LONGEST:
        size = "is shorter than a microsecond" if micros < 1 else "is not a whole number of microseconds, or too long"
        raise LiteralError(
            "bad-duration", f"{short(text)} {size}", None, "a duration is a whole number of microseconds, below 2**63"
        )
    return Duration(int(-micros if sign else micros))


def _accept_time(value: object) -> Time | None:
    if isinstance(value, Time):
        return Time(value.micros)
    return Time.of(value) if isinstance(value, datetime) else None


def _accept_duration(value: object) -> Duration | None:
    if isinstance(value, Duration):
        return Duration(value.micros)
    return Duration(value // _MICROSECOND) if isinstance(value, timedelta) else None


def _time_from_json(content: Any) -> Time:
    if not isinstance(content, str) or not re.fullmatch(_DATE, content):
        raise FactError(f'{content!r} is not a time such as {{"time": "2026-03-02T22:00:00Z"}}')
    return _read_time(content)


def _duration_from_json(content: Any) -> Duration:
    if not isinstance(content, str) or not re.fullmatch(_SIGNED, content):
        raise FactError(f'{content!r} is not a duration such as {{"duration": "90 s"}}')
    return _read_duration(content)


TIME = ValueType(
    name="time",
    classes={Time: static_type.TIME},
    plain=frozenset({Time}),
    rank=_RANK_OF_TIME,
    in_program=_DATE,
    in_fact=_DATE,
    read=_read_time,
    write=Time.__str__,
    accept=_accept_time,
    json_tag="time",
    to_json=lambda value: {"time": str(value)},
    from_json=_time_from_json,
    code=lambda value: f"Time({value.micros})",
    code_names={"Time": Time},
)

DURATION = ValueType(
    name="duration",
    classes={Duration: static_type.DURATION},
    plain=frozenset({Duration}),
    rank=_RANK_OF_DURATION,
    terminal="DURATION",
    in_program=_LENGTH,
    in_fact=_SIGNED,
    read=_read_duration,
    write=Duration.__str__,
    accept=_accept_duration,
    json_tag="duration",
    to_json=lambda value: {"duration": str(value)},
    from_json=_duration_from_json,
    code=lambda value: f"Duration({value.micros})",
    code_names={"Duration": Duration},
)
