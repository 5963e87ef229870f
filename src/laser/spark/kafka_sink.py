"""Writes changes as Kafka messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.column_names import quoted
from laser.spark.failures import explain_failure
from laser.spark.sink import Batch, Changes

__all__ = ["KafkaSink"]


@dataclass(frozen=True)
class KafkaSink:
    """Each change as a JSON object; the key of the message is the predicate with the key of the stream.

    Changes of one key are in one partition, in order of time. A micro-batch that is repeated after a crash is sent again, with
    the same messages: a reader that ignores repeated messages gets each of them once.
    """

    servers: str
    topic: str
    options: Mapping[str, str] = field(default_factory=dict)

    def write(self, changes: Sequence[Changes], batch: Batch) -> None:
        found = [_messages(each) for each in changes if not each.is_empty]
        if not found:
            return
        messages = reduce(DataFrame.unionByName, found)
        # A single task, because several would mix up the order of a key's changes, and there are few.
        ordered = messages.coalesce(1).sortWithinPartitions("time", "key", "value").select("key", "value")
        writer = ordered.write.format("kafka").options(**self.options)
        try:
            writer.option("kafka.bootstrap.servers", self.servers).option("topic", self.topic).save()
        except PySparkException as error:
            raise LaserError(f"Kafka at {self.servers}: {explain_failure(error)}") from None


def _messages(changes: Changes) -> DataFrame:
    named = F.lit(changes.predicate).alias("predicate")
    key = [F.col(quoted(changes.key))] if changes.key is not None else []
    whole = [F.col(quoted(column)) for column in changes.rows.columns]
    return changes.rows.select(
        F.to_json(F.struct(named, *key)).alias("key"),
        F.to_json(F.struct(named, *whole)).alias("value"),
        F.col("time").cast("string").alias("time"),
    )
