"""Messages of a broker as rows: their bytes are read by the schema of their columns.

A message that cannot be read, or has a field of the wrong type, becomes a row with a reason, like a malformed row of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce
from operator import and_

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.avro import AvroSchemas, avro_fields, avro_record
from laser.spark.casts import cast_columns, text_schema
from laser.spark.column_names import REASON, ROW, quoted
from laser.spark.connectors import missing_connector
from laser.spark.failures import explain_failure

__all__ = ["MESSAGE", "read_messages"]

MESSAGE = "value"
"""The column of the messages."""
_BROKEN = "_broken"


def read_messages(
    table: DataFrame,
    form: str,
    schema: Mapping[str, str] | None = None,
    *,
    avro: AvroSchemas = "",
    name: str = "messages",
) -> DataFrame:
    """The columns of the messages, then those of the broker (key, timestamp, topic, …) unless their names are taken.

    ``form`` is the format of the messages in the column ``value``: json, csv, text or avro. ``schema`` has the columns of JSON and CSV with their
    types, ``avro`` the schema of Avro: its text, the name of its file, or such a schema for each number of a schema registry.
    A message that cannot be read becomes a row that :func:`laser.spark.reason` rejects, with the reason.
    """
    if MESSAGE not in table.columns:
        raise LaserError(f"{name} has no column {MESSAGE} with messages; its columns are {', '.join(table.columns)}")
    match form:
        case "text":
            kept = _of_broker(table, ())
            return table.select(F.col(MESSAGE).cast("string").alias(MESSAGE), *kept)
        case "avro":
            return _read_avro(name, table, avro)
        case "json" | "csv" if not schema:
            raise LaserError(
                f"{name}: which columns do its messages have? Give a schema, or declare the input with #input"
            )
        case "json":
            return _read_text(table, "JSON", F.from_json, schema or {})
        case "csv":
            return _read_text(table, "CSV", F.from_csv, schema or {})
    raise LaserError(f"{name}: value = {form!r} is not a format of messages; the formats are json, csv, text and avro")


def _of_broker(table: DataFrame, taken: Collection[str]) -> list[Column]:
    """The columns besides the message, unless their names are taken. Keys are bytes, and are shown as text."""
    return [
        F.col(quoted(name)).cast("string" if kind == "binary" else kind).alias(name)
        for name, kind in table.dtypes
        if name != MESSAGE and name not in taken
    ]


def _read_text(table: DataFrame, title: str, read: Callable[..., Column], schema: Mapping[str, str]) -> DataFrame:
    """Messages as text, whose values are read as text and cast by us."""
    text, broken = F.col(MESSAGE).cast("string"), {"columnNameOfCorruptRecord": _BROKEN}
    record = read(text, f"{text_schema(schema)}, `{_BROKEN}` string", broken)
    parsed = table.select(record.alias(_BROKEN), text.alias("_text"), *_of_broker(table, schema))
    others = parsed.columns[2:]
    told = F.col("_text").isNull() | F.col(f"{_BROKEN}.{_BROKEN}").isNotNull()
    fault = F.when(told, F.lit(f"the message is not {title}"))
    fields = _fields(schema)
    rows = parsed.select(*fields, fault.alias("_why"), F.col("_text"), *map(quoted, others))
    return cast_columns(rows, schema, [F.col("_why")], F.coalesce(F.col("_text"), F.lit("")), others)


def _read_avro(name: str, table: DataFrame, avro: AvroSchemas) -> DataFrame:
    """Messages in Avro, which has types. One that does not follow its schema is, for Spark, a record without values.

    A rejected message is shown as JSON if it was read, otherwise as its bytes in base64.
    """
    fields = avro_fields(name, avro)
    try:
        record, fault = avro_record(name, MESSAGE, avro)
        parsed = table.select(
            record.alias(_BROKEN), fault.alias("_why"), F.base64(MESSAGE).alias("_text"), *_of_broker(table, fields)
        )
        others = map(quoted, parsed.columns[3:])
        nothing = reduce(and_, (field.isNull() for field in _fields(fields)))
        why = F.coalesce("_why", F.when(nothing, F.lit("the message does not follow its Avro schema")))
        row = F.when(why.isNull(), F.to_json(F.col(_BROKEN))).otherwise(F.coalesce("_text", F.lit("")))
        return parsed.select(*_fields(fields), *others, why.alias(REASON), row.alias(ROW))
    except (PySparkException, Py4JJavaError) as error:
        raise LaserError(_avro_failure(name, error)) from None


def _fields(names: Iterable[str]) -> list[Column]:
    return [F.col(f"{_BROKEN}.{quoted(name)}").alias(name) for name in names]


def _avro_failure(name: str, error: PySparkException | Py4JJavaError) -> str:
    """What is wrong where Spark cannot use a schema: the connector is missing, or Java says what it does not understand."""
    if isinstance(error, PySparkException):
        return missing_connector("avro") if "AVRO_NOT_LOADED" in str(error) else f"{name}: {explain_failure(error)}"
    said = str(error.java_exception.getMessage()).strip().split("\n", 1)[0]
    return f"{name}: its Avro schema is not valid: {said}"
