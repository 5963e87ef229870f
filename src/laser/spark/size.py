"""How large the inputs of a history are, as Spark estimates it before anything runs."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from laser.spark.cluster import is_connect

__all__ = ["ROWS_A_STATEMENT", "estimated_rows"]

ROWS_A_STATEMENT = 8_000
"""So many rows the reasoner takes while Spark plans one statement of SQL."""

BYTES_A_ROW = 2
"""Of a file: a reading in Parquet, of machines whose values repeat, takes little more. A file with wider rows is taken for longer than it is."""


def estimated_rows(tables: Iterable[DataFrame]) -> int | None:
    """About how many rows some tables have; None where nothing is known, as over Spark Connect.

    A table in the driver's memory is estimated by the widths of its columns, and exactly. What comes from elsewhere without statistics
    (an RDD, say) counts as large, as it does where Spark plans a join.
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
    """What Spark counts for a row: 8 bytes, and a default for each column."""
    schema = table._jdf.schema()
    return 8 + int(schema.defaultSize())
