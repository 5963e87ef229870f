"""Selections on Spark: the condition under which a row of an input can matter, as a column that Catalyst evaluates.

Static DataFrames are filtered by it when they are read. In streams, rows that do not matter still move the time and can still be
late, so they travel to the operator, as Arrow columns with a mark; it drops them before anything becomes a Python object or a
part of the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, or_

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.checks.accept import accept
from laser.rules.selection import Place, Selection, Selections, Test, select
from laser.spark.column_names import quoted
from laser.spark.columns import CARRIERS, carrier, conversion, static_type
from laser.spark.job import Job
from laser.spark.sources import Source
from laser.values import Duration, Predicate, Time, Value
from laser.values.operations import COMPARISONS
from laser.values.static_type import ANY, INTEGER, StaticType

__all__ = ["is_selected", "needed_by"]


def needed_by(job: Job, sources: Sequence[Source]) -> Selections:
    """The facts of each input that can matter to a job; inputs all of whose facts matter are left out.

    A program that depends on the set of keys needs every fact: the first one of a key makes it known.
    """
    if job.partition.knows_keys:
        return {}
    background = (*job.settings.background, *job.own_background)
    core = accept(job.program, replace(job.settings, background=background))
    return select(core, {source.predicate: list(map(_type, source.kinds)) for source in sources})


def _type(kind: str) -> StaticType:
    """The static type of a column, if its carrier is ordered as its values are; otherwise, nothing is known."""
    static = static_type(kind)
    return ANY if static.fits(INTEGER) and carrier(kind) == "string" else static


def is_selected(source: Source, selections: Mapping[Predicate, Selection]) -> Column:
    """Whether a valid row can matter."""
    selection = selections.get(source.predicate)
    if selection is None:
        return F.lit(True)
    several = [reduce(and_, (_column(source, test) for test in tests)) for tests in selection.alternatives]
    return reduce(or_, several, F.lit(False))


def _column(source: Source, test: Test) -> Column:
    compare = COMPARISONS[test.operator]
    left = _carried(source, test.position)
    if isinstance(test.other, Place):
        return compare(left, _carried(source, test.other.position))  # type: ignore[return-value]
    kind = CARRIERS[carrier(source.kinds[test.position])]
    return compare(left, F.lit(_cell(test.other)).cast(kind))  # type: ignore[return-value]


def _carried(source: Source, position: int) -> Column:
    return F.expr(conversion(source.kinds[position]).carried(quoted(source.args[position])))


def _cell(value: Value) -> int | float | str:
    """A value as in the carrier of its column; a whole number becomes a double there, if that is the carrier."""
    return value.micros if isinstance(value, Time | Duration) else value  # type: ignore[return-value]
