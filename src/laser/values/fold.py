"""The aggregate functions by name. Each executor defines how it computes them."""

from __future__ import annotations

from enum import Enum

__all__ = ["Fold"]


class Fold(Enum):
    """A function of a set of tuples; the value is its name in programs."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"
    MEDIAN = "median"
    STDEV = "stdev"
    QUANTILE = "quantile"

    @property
    def of_nothing(self) -> int | None:
        """Its value for the empty set; None if it has none."""
        return 0 if self in (Fold.COUNT, Fold.SUM) else None

    @property
    def of_numbers(self) -> bool:
        """Whether it is defined only for numbers."""
        return self not in (Fold.COUNT, Fold.MIN, Fold.MAX)
