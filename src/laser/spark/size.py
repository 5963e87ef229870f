"""The size of the inputs of a history, as Spark estimates it before anything runs."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from laser.spark.cluster import is_connect

__all__ = ["LARGEST_SHARE", "ROWS_A_STATEMENT", "estimated_rows"]

ROWS_A_STATEMENT = 8_000
"""The number of rows that the reasoner processes while Spark plans one SQL statement."""

LARGEST_SHARE = 0.2
"""Up to how many intervals for each fact a recursion may read from SQL. With more, the reasoner is faster from the facts on: an interval on its way
through SQL and back costs about twice as much as a fact."""

BYTES_A_ROW = 2
"""The assumed size of a row in a file: a reading in Parquet, with repeating values, takes little more. Wider rows are overestimated in number."""


def estimated_rows(tables: Iterable[DataFrame]) -> int | None:
    """The approximate number of rows of some tables; None if nothing is known, as over Spark Connect.

    A table in the driver's memory is estimated exactly, by the widths of its columns. Other tables without statistics (such as an
    RDD) count as large, as they do when Spark plans a join.
    """
    each = [_rows(table) for table in tables]
    return None if None in each else sum(rows for rows in each if rows is not None)


def _rows(table: DataFrame) -> int | None:
    if is_connect(table.sparkSession):
        return None
    plan = table._jdf.queryExecution().optimizedPlan()
    size = int(str(plan.stats().sizeInBytes()))
    return size // (_width(table) if plan.nodeName() == "LocalRelation" else BYTES_A_ROW)


def _width(table: DataFrame) -> int:
    """The size that Spark assumes for a row: 8 bytes, and a default for each column."""
    schema = table._jdf.schema()
    return 8 + int(schema.defaultSize())
