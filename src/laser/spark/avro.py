"""Messages in Avro: Spark's ``from_avro`` reads their bytes by a schema that the user gives.

The bytes of a message do not say which schema they follow. Either all messages follow one, or each begins with the number of its schema, as a
schema registry defines it: a zero byte, then four bytes with the number. Then the user gives a schema for each number, and the
columns are those of the last one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows
from pyspark.sql.avro.functions import from_avro

from laser.errors import LaserError

__all__ = ["JAVA_LIMITS", "AvroSchemas", "avro_fields", "avro_record", "avro_text"]

AvroSchemas = str | Mapping[str, str]
"""A schema as text or as the name of a file, or such a schema for each number of a schema registry."""
JAVA_LIMITS = " ".join(
    f"-Dorg.apache.avro.limits.{name}.maxLength={most}"
    for name, most in (("string", 2**26), ("bytes", 2**26), ("collectionItems", 10_000_000))
)
"""Settings of Java without which five broken bytes can end Spark: they look like a text of two gigabytes, for which Avro allocates memory."""
_HEADER = 5
"""The length of the zero byte and the number of a schema."""


def avro_text(where: str, given: str) -> str:
    """A schema as text, read from its file unless it is given as text."""
    if given.lstrip().startswith("{"):
        return given
    try:
        return Path(given).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or "it is not UTF-8"
        raise LaserError(f"{where}: the Avro schema {given} cannot be read: {said}") from None


def avro_fields(where: str, given: AvroSchemas) -> list[str]:
    """The columns that messages have: the fields of the schema, or of the last one."""
    last = given if isinstance(given, str) else ([*given.values()] or [""])[-1]
    if not last:
        raise LaserError(
            f"{where}: which schema do its messages have? Give avro_schema, a file or the text of the schema"
        )
    try:
        read = json.loads(avro_text(where, last))
    except json.JSONDecodeError as error:
        raise LaserError(f"{where}: its Avro schema is not JSON: {error}") from None
    fields = read.get("fields") if isinstance(read, dict) and read.get("type") == "record" else None
    if (
        not fields
        or not isinstance(fields, list)
        or not all(isinstance(each, dict) and "name" in each for each in fields)
    ):
        raise LaserError(f"{where}: its Avro schema is not a record with fields, which would be the columns")
    return [str(each["name"]) for each in fields]


def avro_record(where: str, message: str, given: AvroSchemas) -> tuple[Column, Column]:
    """The record of a message, and why it cannot be read before a schema is applied; null if it can be."""
    if isinstance(given, str):
        return _decoded(message, avro_text(where, given), {}), F.lit(None).cast("string")
    texts = {_number(where, number): avro_text(where, each) for number, each in given.items()}
    found = F.expr(f"CAST(conv(hex(substring({message}, 2, 4)), 16, 10) AS bigint)")
    last = {"avroSchema": [*texts.values()][-1]}
    record = reduce(
        lambda cases, number: cases.when(found == number, _decoded(f"substring({message}, 6)", texts[number], last)),
        texts,
        F.when(F.lit(False), None),
    )
    headless = F.expr(f"length({message}) < {_HEADER} OR substring({message}, 1, 1) != X'00'")
    known = ", ".join(map(str, texts))
    strange = F.concat(F.lit("the message has the schema "), found, F.lit(f"; there are schemas for {known}"))
    return record, F.when(headless, F.lit("the message does not begin with the number of a schema")).when(
        ~found.isin(*texts), strange
    )


def _decoded(message: str, text: str, options: dict[str, str]) -> Column:
    """A record of nulls where the bytes do not follow the schema."""
    return from_avro(F.expr(message), text, {"mode": "PERMISSIVE", **options})


def _number(where: str, text: str) -> int:
    if not text.isdecimal():
        raise LaserError(f"{where}: avro_schemas.{text} is not the number of a schema, such as 7")
    return int(text)
