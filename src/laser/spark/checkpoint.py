"""What a checkpoint says of the stream that made it, read before a query starts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from laser.spark.store import Head

__all__ = ["read_heads"]


def read_heads(spark: SparkSession, checkpoint: str) -> list[Head]:
    """How far the buckets of a checkpoint are; none where there is no checkpoint yet, or it is not of such a stream."""
    if "://" not in checkpoint and not (Path(checkpoint) / "commits").is_dir():
        return []
    with suppress(PySparkException):  # a query that cannot go on from it will say so
        heads = spark.read.format("statestore").option("stateVarName", "head").load(checkpoint)
        return [Head(*row["value"]) for row in heads.select("value").collect()]
    return []
