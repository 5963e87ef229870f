"""Messages of a broker as rows: their bytes are read by the schema of their columns.

A message that cannot be read, or has a field of the wrong type, becomes a row with a reason, like a malformed row of a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.casts import cast_columns, text_schema
from laser.spark.column_names import quoted

__all__ = ["MESSAGE", "read_messages"]

MESSAGE = "value"
"""The column of the messages."""
_BROKEN = "_broken"


def read_messages(name: str, table: DataFrame, form: str, schema: Mapping[str, str]) -> DataFrame:
    """The columns of the messages, then those of the broker (key, timestamp, topic, …) unless their names are taken."""
    if MESSAGE not in table.columns:
        raise LaserError(f"{name} has no column {MESSAGE} with messages; there are {', '.join(table.columns)}")
    others = [column for column in table.columns if column != MESSAGE and column not in schema]
    kept = [F.col(quoted(column)).cast(_readable(table, column)).alias(column) for column in others]
    text = F.col(MESSAGE).cast("string")
    match form:
        case "text":
            return table.select(text.alias(MESSAGE), *kept)
        case "json" | "csv" if not schema:
            raise LaserError(
                f"{name}: which columns do its messages have? Give a schema, or declare the input with #input"
            )
        case "json":
            read = F.from_json(text, _with_broken(schema), {"columnNameOfCorruptRecord": _BROKEN})
        case "csv":
            read = F.from_csv(text, _with_broken(schema), {"columnNameOfCorruptRecord": _BROKEN})
        case _:
            raise LaserError(f"{name}: value = {form!r} is not a format of messages; there are json, csv and text")
    told = F.col("_text").isNull() | F.col(f"{_BROKEN}.{_BROKEN}").isNotNull()
    broken = F.when(told, F.lit(f"the message is not {form.upper()}"))
    parsed = table.select(read.alias(_BROKEN), text.alias("_text"), *kept)
    fields = [F.col(f"{_BROKEN}.{quoted(column)}").alias(column) for column in schema]
    rows = parsed.select(*fields, broken.alias("_why"), F.col("_text"), *map(quoted, others))
    return cast_columns(rows, schema, [F.col("_why")], F.coalesce(F.col("_text"), F.lit("")), others)


def _with_broken(schema: Mapping[str, str]) -> str:
    return f"{text_schema(schema)}, `{_BROKEN}` string"


def _readable(table: DataFrame, column: str) -> Any:
    """Keys are bytes, and are shown as text."""
    kind = table.schema[column].dataType
    return "string" if kind.simpleString() == "binary" else kind
