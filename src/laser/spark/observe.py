"""How the numbers of the workers reach the driver.

The operator adds one row with its numbers to the answers. Spark sums them up on the way (``DataFrame.observe``) and reports them with the
progress of the micro-batch, so they cost neither a job nor a message of their own.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.spark.work import Work

__all__ = ["SCHEMA", "WORK", "answer_row", "observed", "work_row"]

WORK = "laser "
"""How the names begin under which Spark reports the numbers of a job; a query may have several."""
_LEVELS = ("kept", "waiting", "keys")
"""Numbers that say how much there is. A bucket that is not called keeps what it had, so they are reported for each bucket."""
_NO_WORK = dict.fromkeys(("bucket", *Work._fields))
SCHEMA = ", ".join(["answers binary", "bucket int", *(f"{name} bigint" for name in Work._fields)])
"""The columns of what the operator returns."""


def answer_row(answers: bytes) -> Row:
    return Row(answers=answers, **_NO_WORK)


def work_row(bucket: int, work: Work) -> Row:
    return Row(answers=None, bucket=bucket, **work._asdict())


def observed(answered: DataFrame, fingerprint: str, dated: bool) -> DataFrame:
    """The same rows; Spark reports the sums of their numbers with each micro-batch."""
    sums: list[Any] = [F.sum(name).alias(name) for name in Work._fields if name not in _LEVELS]
    levels = F.collect_list(F.when(F.col("bucket").isNotNull(), F.struct("bucket", *_LEVELS)))
    name = WORK + fingerprint.rpartition(":")[2][:12]
    return answered.observe(name, *sums, levels.alias("levels"), F.lit(dated).alias("dated"))
