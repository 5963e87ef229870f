"""Where Spark runs: whether its workers have this package, how many parts they work on at once, and what its jobs are called.

Over Spark Connect there are only DataFrames, so a small query answers both. On the user's own machine, no query is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from pyspark import SparkFiles
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from laser.errors import LaserError
from laser.spark.failures import NO_PACKAGE, explain_failure

__all__ = ["check_workers", "cores_of", "is_connect", "named", "sent_files_on_path"]

_ROWS = 10_000
"""Enough rows that no part of the query is empty."""
_DESCRIPTION = "spark.job.description"
_PARTS: WeakKeyDictionary[SparkSession, int] = WeakKeyDictionary()
"""The number of parts that a query has by default, by session."""


def is_connect(spark: SparkSession) -> bool:
    """Whether this is a session of Spark Connect; importing its class would need its libraries."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


@contextmanager
def named(spark: SparkSession, step: str) -> Iterator[None]:
    """Jobs that this thread starts in the body are described by a step in Spark's UI, after the description that was set before.

    Their group stays, and so does the description of the jobs that follow.
    """
    if is_connect(spark):
        yield
        return
    context = spark.sparkContext
    before = context.getLocalProperty(_DESCRIPTION)
    first = (before or "").split("\n", 1)[0]  # Spark adds the ids of a stream in further lines
    context.setLocalProperty(_DESCRIPTION, f"{first if first and not first.startswith('id = ') else 'laser'}: {step}")
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)  # type: ignore[arg-type]  # None removes it


@contextmanager
def sent_files_on_path(spark: SparkSession) -> Iterator[None]:
    """Functions for workers that are made in the body find the files of ``--py-files`` also on the driver.

    Spark itself puts these files on the path of workers, but not on that of the process which asks a stateful operator for its
    variables before a query starts.
    """
    context: Any = spark.sparkContext
    files = [os.path.join(SparkFiles.getRootDirectory(), name) for name in context._python_includes]
    before = dict(context.environment)
    if files:
        own = [before["PYTHONPATH"]] if before.get("PYTHONPATH") else []
        context.environment["PYTHONPATH"] = os.pathsep.join([*files, *own])
    try:
        yield
    finally:
        context.environment.clear()
        context.environment.update(before)


def cores_of(spark: SparkSession) -> int:
    """The number of parts that can be processed at once."""
    return ask_workers(spark) if is_connect(spark) else max(1, spark.sparkContext.defaultParallelism)


def check_workers(spark: SparkSession) -> None:
    """LaserError if workers do not have this package. Workers on this machine use the driver's own interpreter."""
    if is_connect(spark) or not _is_local(spark.sparkContext.master):
        ask_workers(spark)


def _is_local(master: str | None) -> bool:
    return master is not None and (master == "local" or master.startswith("local["))


def ask_workers(spark: SparkSession) -> int:
    """The number of parts of a query in which each worker tried to import this package; run once per session."""
    if spark not in _PARTS:
        try:
            with named(spark, "which workers have the package"):
                rows = spark.range(_ROWS).mapInArrow(_tries_import, "found boolean").collect()
        except PySparkException as error:
            raise LaserError(explain_failure(error)) from None
        if not all(row["found"] for row in rows):
            raise LaserError(NO_PACKAGE)
        _PARTS[spark] = max(1, len(rows))
    return _PARTS[spark]


def _tries_import(batches: Iterable[Any]) -> Iterator[Any]:
    """Whether a worker has the package. It must run without it, so it is self-contained."""
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


_tries_import.__module__ = "__main__"  # functions of __main__ are pickled as code, not as a module to import
