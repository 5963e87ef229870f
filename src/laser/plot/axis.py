"""The positions and labels of the marks on an axis."""

from __future__ import annotations

from fractions import Fraction

from laser.ticks import Tick

__all__ = ["time_marks", "value_marks", "write_number"]

# Steps that people count time in, in seconds; for longer steps, whole days.
_STEPS = [Fraction(n, 1000) for n in (1, 2, 5, 10, 20, 50, 100, 200, 500)] + [
    Fraction(n) for n in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
]


def time_marks(start: int, end: int, most: int, tick: Tick | None = None) -> list[tuple[int, str]]:
    """At most ``most`` time points at round distances, with their labels.

    >>> time_marks(1, 17, 6)
    [(5, '5'), (10, '10'), (15, '15')]
    """
    if tick is not None:
        return _date_marks(start, end, most, tick)
    step = int(_round_step(max(1.0, (end - start) / max(1, most))))
    first = -(-start // step) * step
    return [(time, str(time)) for time in range(first, end + 1, step)]


def _date_marks(start: int, end: int, most: int, tick: Tick) -> list[tuple[int, str]]:
    seconds = (end - start) * tick.seconds / max(1, most)
    fitting = [step for step in _STEPS if step >= seconds and (step / tick.seconds).denominator == 1]
    step = int(fitting[0] / tick.seconds) if fitting else max(1, int(_round_step(float((end - start) / max(1, most)))))
    first = -(-start // step) * step
    return [(time, _date_label(tick, time, step)) for time in range(first, end + 1, step)]


def _date_label(tick: Tick, time: int, step: int) -> str:
    try:
        moment = tick.to_datetime(time)
    except OverflowError:
        return str(time)
    if step * tick.seconds >= 86400:
        return moment.strftime("%Y-%m-%d")
    if moment.microsecond:
        return moment.strftime("%H:%M:%S.%f").rstrip("0")
    return moment.strftime("%H:%M:%S" if step * tick.seconds < 60 or moment.second else "%H:%M")


def value_marks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Round values between ``low`` and ``high``, with their labels.

    >>> value_marks(-2, 158, 4)
    [(0.0, '0'), (50.0, '50'), (100.0, '100'), (150.0, '150')]
    """
    if high <= low:
        return [(low, write_number(low))]
    step = _round_step((high - low) / max(1, most))
    first = -(-low // step)
    count = int((high - first * step) / step + 1e-9) + 1
    return [((first + i) * step, write_number((first + i) * step)) for i in range(max(0, count))]


def _round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 …"""
    power: float = 1.0
    while power * 10 <= least:
        power *= 10
    while power > least:
        power /= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def write_number(value: float) -> str:
    """A number as short text."""
    return f"{value:.6g}"
