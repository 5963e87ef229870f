"""Finds what became slower since another run: compares ratios to the floor, and ignores differences within the noise of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from laser.bench.record import Record

__all__ = ["LEAST", "Difference", "compare"]

LEAST = 1.15
"""A smaller factor cannot be distinguished from noise."""


@dataclass(frozen=True)
class Difference:
    """One measurement in two runs; ``factor`` above 1 is slower now."""

    old: Record
    new: Record
    factor: float
    beyond_noise: bool

    def __str__(self) -> str:
        kind = "slower" if self.factor > 1 else "faster"
        where = f"{self.new.experiment} {self.new.case} {self.new.system}, {self.new.output} ({self.new.unit})"
        return f"{kind} x{max(self.factor, 1 / self.factor):.2f}: {where}: {self.old.ratio:.3g} -> {self.new.ratio:.3g}"


def compare(old: Iterable[Record], new: Iterable[Record], least: float = LEAST) -> Iterator[Difference]:
    """The measurements that two runs share, the slowest first; peers are left out, because they are not under our control."""
    before = {record.key: record for record in old}
    pairs = [(before[record.key], record) for record in new if record.key in before and record.system == "laser"]
    found = [_difference(one, other, least) for one, other in pairs if one.ratio and other.ratio]
    yield from sorted(found, key=lambda difference: -difference.factor)


def _difference(old: Record, new: Record, least: float) -> Difference:
    assert old.ratio and new.ratio
    factor = new.ratio / old.ratio
    apart = _or(new.low, new.ratio) > _or(old.high, old.ratio) or _or(new.high, new.ratio) < _or(old.low, old.ratio)
    return Difference(old, new, factor, apart and max(factor, 1 / factor) >= least)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
