"""The timeline of a history on Spark: as given by the user, or computed from the data."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import reduce
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.arrow import SELECTED
from laser.spark.cluster import named
from laser.spark.prepare import Prepared

__all__ = ["Extent", "extent_of"]

log = logging.getLogger("laser")


class Extent(NamedTuple):
    """The first and the last time point, and the number of facts that can matter, if it was computed."""

    first: int
    last: int
    rows: int


def extent_of(prepared: Prepared, times_of: Callable[[], DataFrame], sized: bool) -> Extent:
    """The extent of a history; only what is not given is computed. ``times_of`` gives the time points of all facts."""
    start, until = prepared.job.settings.start, prepared.job.settings.until
    if start is not None and until is not None and sized:
        return Extent(start, until, 0)
    times = times_of()
    clocks = [source.times() for source in prepared.clocks]
    united = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), clocks, times)
    counted = F.count(F.when(F.col(SELECTED), 1)) if SELECTED in times.columns else F.count("time")
    with named(united.sparkSession, "first and last time of the inputs"):
        row = united.agg(F.min("time"), F.max("time"), counted).collect()[0]
    first = row[0] if start is None else start
    last = row[1] if until is None else until
    if first is None or last is None:
        raise LaserError(_nothing(prepared))
    if last < first:
        raise LaserError(f"the timeline would end at {last}, before it begins at {first}")
    _warn_of_future(prepared, last)
    return Extent(first, last, row[2])


def _nothing(prepared: Prepared) -> str:
    """Why there are no facts: there are no rows, or all are malformed."""
    for source in prepared.sources:
        faulty = source.rejects().take(1)
        if faulty:
            return f"input {source.name}: every row was rejected; the first one because {faulty[0]['reason']}, in {faulty[0]['row']}"
    return "the inputs are empty, so the timeline has no beginning and no end: give start and until"


def _warn_of_future(prepared: Prepared, last: int) -> None:
    """Warn of a row with a wrong year: the timeline, and all open intervals, would go on until then."""
    tick = prepared.job.settings.tick
    if prepared.dated and prepared.job.settings.until is None and last > tick.from_datetime(datetime.now(UTC)):
        log.warning(
            "the last row is dated %s, which is ahead of the clock, and the timeline continues up to it: to end it earlier, "
            "give until=…; to reject such rows, give max_ahead=…",
            tick.to_text(last),
        )
