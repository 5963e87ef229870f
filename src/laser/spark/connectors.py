"""Formats of Spark that come as separate packages, and what to say if one is missing."""

from __future__ import annotations

import pyspark

__all__ = ["is_unknown", "missing_connector"]

_PACKAGES = {
    "kafka": "org.apache.spark:spark-sql-kafka-0-10_2.13:{version}",
    "avro": "org.apache.spark:spark-avro_2.13:{version}",
}
_UNKNOWN = ("find data source", "find the data source", "DATA_SOURCE_NOT_FOUND")


def is_unknown(said: str) -> bool:
    """Whether Spark says that it does not know a format."""
    return any(words in said for words in _UNKNOWN)


def missing_connector(kind: str) -> str:
    """What to do if Spark does not know a format, mostly because its connector is missing."""
    package = _PACKAGES.get(kind)
    named = f" ({package.format(version=pyspark.__version__)})" if package else ""
    return (
        f"Spark does not know the format {kind}: its connector is missing. Name it as a package{named} in "
        '[spark] "spark.jars.packages", or as files in [spark] "spark.jars" (--conf spark.jars=…)'
    )
