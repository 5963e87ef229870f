"""How the cost grows: the exponent of a power law, fitted by least squares to logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from laser.bench.case import Case
from laser.bench.record import Record

__all__ = ["Growth", "exponent", "growths"]


@dataclass(frozen=True)
class Growth:
    """``ratio ~ axis ** exponent`` along some points of an experiment; ``fixed`` has the parameters that were constant."""

    experiment: str
    system: str
    output: str
    unit: str
    axis: str
    fixed: Case
    points: tuple[tuple[int, float], ...]
    exponent: float


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """The slope in a log-log plot.

    >>> round(exponent([(1, 3), (10, 300), (100, 30000)]), 6)
    2.0
    """
    logs = [(math.log(x), math.log(y)) for x, y in points]
    middle_x = sum(x for x, _ in logs) / len(logs)
    middle_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - middle_x) ** 2 for x, _ in logs)
    return sum((x - middle_x) * (y - middle_y) for x, y in logs) / spread


def growths(records: Iterable[Record]) -> Iterator[Growth]:
    """An exponent for each line of at least three points along one axis, with all other parameters equal."""
    lines: dict[tuple[str, str, str, str, str, Case], dict[int, float]] = {}
    for record in records:
        cost = record.value if record.unit in ("ms", "characters") else record.ratio
        for axis in ("n", "w", "r", "live"):
            at = getattr(record.case, axis)
            if at > 0 and cost:
                fixed = replace(record.case, **{axis: 0})
                key = (record.experiment, record.system, record.output, record.unit, axis, fixed)
                lines.setdefault(key, {})[at] = cost
    for (experiment, system, output, unit, axis, fixed), line in lines.items():
        points = tuple(sorted(line.items()))
        if len(points) >= 3:
            yield Growth(experiment, system, output, unit, axis, fixed, points, exponent(points))
