"""A run as text: one line for each measurement, the targets, the growths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from laser.bench.growth import growths
from laser.bench.record import Record
from laser.bench.targets import outcomes

__all__ = ["growth_lines", "line", "lines", "target_lines", "titles"]

_COLUMNS = ("experiment", "case", "system", "output", "value", "unit", "× floor", "quartiles")
_WIDTHS = (15, 24, 17, 21, 9, 15, 8, 0)


def titles() -> str:
    return _row(_COLUMNS)


def line(record: Record) -> str:
    """A measurement, or why there is none."""
    start = (record.experiment, str(record.case), record.system, record.output)
    if record.value is None:
        return _row((*start, "-", record.note))
    ratio = "" if record.ratio is None or record.floor is None else f"{record.ratio:.3g}"
    spread = "" if not ratio or record.low is None or record.high is None else f"{record.low:.3g} to {record.high:.3g}"
    return _row((*start, f"{record.value:.4g}", record.unit, ratio, spread))


def _row(cells: Sequence[str]) -> str:
    return " ".join(f"{cell:{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)).rstrip()


def lines(records: Iterable[Record]) -> Iterator[str]:
    yield titles()
    yield from map(line, records)


def target_lines(records: Iterable[Record]) -> Iterator[str]:
    """Each target with its figure."""
    yield f"{'target':56} {'limit':>7} {'measured':>9}"
    for outcome in outcomes(records):
        target = outcome.target
        sign = "≥" if target.at_least else "≤"
        value = "" if outcome.value is None else f"{outcome.value:.3g}"
        yield f"{target.text:56} {sign}{target.limit:>6g} {value:>9}  {outcome.verdict}"


def growth_lines(records: Iterable[Record]) -> Iterator[str]:
    """How the cost grows: 0 is flat, 1 is linear."""
    yield f"{'experiment':15} {'system':10} {'output':15} {'unit':12} {'along':6} {'held':20} exponent"
    for growth in growths(records):
        start = f"{growth.experiment:15} {growth.system:10} {growth.output:15} {growth.unit:12} {growth.axis:6}"
        yield f"{start} {growth.fixed!s:20} {growth.exponent:+.2f}"
