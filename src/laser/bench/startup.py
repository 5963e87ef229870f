"""The cost of large programs before they run: parsing, compiling, and the size of the generated source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from time import thread_time

from laser.bench import programs
from laser.bench.case import Case
from laser.bench.measure import Effort, numbers, spread
from laser.bench.record import Record
from laser.checks.load import parse
from laser.engine.reasoner import Reasoner

__all__ = ["KINDS", "SIZES", "startup"]

SIZES = (10, 30, 100, 300, 1_000)
KINDS: dict[str, Callable[[Case], str]] = {
    "startup": programs.large,
    "startup-sensors": programs.rules,
}


def startup(name: str, effort: Effort) -> Iterator[Record]:
    """Parse and compile programs of a kind, of each size; times are per program, the ratio is per rule."""
    for rules in SIZES:
        case = Case(w=20, r=rules)
        parsing, compiling, size = _times(KINDS[name](case), 3 if effort.chunks < 20 else 5)
        for output, values in (("parse", parsing), ("compile", compiling)):
            low, middle, high = (value / rules for value in spread(values))
            yield _record(name, case, output, "ms", median(values), middle, low, high)
        yield _record(name, case, "source", "characters", size, size / rules, size / rules, size / rules)


def _times(text: str, repetitions: int) -> tuple[list[float], list[float], int]:
    parsing, compiling, size = [], [], 0
    for _ in range(repetitions):
        begin = thread_time()
        program = parse(text)
        middle = thread_time()
        reasoner = Reasoner(program)
        end = thread_time()
        parsing.append((middle - begin) * 1e3)
        compiling.append((end - middle) * 1e3)
        size = len(reasoner.source)
    return parsing, compiling, size


def _record(
    name: str, case: Case, output: str, unit: str, value: float, ratio: float, low: float, high: float
) -> Record:
    return Record(name, *numbers(case), "laser", output, unit, value, None, ratio, low, high, "the ratio is per rule")
