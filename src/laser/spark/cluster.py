"""Where Spark runs: whether its workers have this package, and how many parts they work on at once.

Over Spark Connect only DataFrames can be asked, so a small query answers both. On the user's own machine neither needs one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from laser.errors import LaserError
from laser.spark.failures import NO_PACKAGE, explain_failure

__all__ = ["check_workers", "cores_of", "is_connect"]

_ROWS = 10_000
"""Enough that no part of the query is empty."""
_PARTS: WeakKeyDictionary[SparkSession, int] = WeakKeyDictionary()
"""How many parts a query has by itself, of sessions that were asked."""


def is_connect(spark: SparkSession) -> bool:
    """Whether this is a session of Spark Connect; asking for its class would need its libraries."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def cores_of(spark: SparkSession) -> int:
    """How many parts can be worked on at once."""
    return ask_workers(spark) if is_connect(spark) else max(1, spark.sparkContext.defaultParallelism)


def check_workers(spark: SparkSession) -> None:
    """LaserError where workers do not have this package. Workers on this machine are the driver's own interpreter."""
    if is_connect(spark) or not _is_local(spark.sparkContext.master):
        ask_workers(spark)


def _is_local(master: str | None) -> bool:
    return master is not None and (master == "local" or master.startswith("local["))


def ask_workers(spark: SparkSession) -> int:
    """The number of parts of a query, in each of which a worker tried to import this package; asked once a session."""
    if spark not in _PARTS:
        try:
            found = [row["found"] for row in spark.range(_ROWS).mapInArrow(_tries_import, "found boolean").collect()]
        except PySparkException as error:
            raise LaserError(explain_failure(error)) from None
        if not all(found):
            raise LaserError(NO_PACKAGE)
        _PARTS[spark] = max(1, len(found))
    return _PARTS[spark]


def _tries_import(batches: Iterable[Any]) -> Iterator[Any]:
    """Whether a worker has the package; it must not need it to run, so it is self-contained."""
    import pyarrow

    for _ in batches:
        pass
    try:
        import laser.spark.job  # noqa: F401 - what travels to workers begins with it
    except ModuleNotFoundError:
        found = False
    else:
        found = True
    yield pyarrow.RecordBatch.from_pydict({"found": [found]})


_tries_import.__module__ = "__main__"  # what is defined there travels whole, not as the name of a module to import
