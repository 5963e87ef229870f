"""Converts text to values of a column's type, in SQL, and chooses the type of a text column if none is given.

Spark's own casts guess (``12:30`` is today, ``2026`` the first of January), and silently return null for what they cannot read.
Here, a text of the wrong type is distinguished from a missing one, so that its row can be set aside with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.spark.column_names import REASON, ROW, quoted

__all__ = ["cast_columns", "cast_sql", "fault_sql", "instant_sql", "plain_sql", "text_schema"]

_ISO = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$"
_WORDS = (
    (re.compile("tinyint|smallint|int|bigint"), "an integer"),
    (re.compile(r"decimal\(\d+,\s*0\)"), "an integer"),
    (re.compile("float|double|decimal.*"), "a number"),
    (re.compile("timestamp.*|date"), "an ISO 8601 time"),
    (re.compile("boolean"), "true or false"),
)
_INEXACT = "{text} RLIKE '^[+-]?[0-9]+$' AND CAST(try_cast({text} AS double) AS decimal(38,0)) != CAST({text} AS decimal(38,0))"


def cast_sql(text: str, kind: str) -> str:
    """A text as a value of a type; null if it is not one. Surrounding blanks are ignored."""
    if kind == "string":
        return text
    cast = f"try_cast(trim({text}) AS {kind})"
    if kind.startswith(("timestamp", "date")):
        return f"CASE WHEN trim({text}) RLIKE '{_ISO}' THEN {cast} END"
    if kind == "double":
        return f"CASE WHEN NOT coalesce({_inexact(text)}, false) THEN {cast} END"
    return cast


def text_schema(schema: Mapping[str, str]) -> str:
    """The schema for the first reading: text, so that malformed values can be shown; nested columns keep their types."""
    return ", ".join(f"{quoted(name)} {kind if _is_nested(kind) else 'string'}" for name, kind in schema.items())


def _is_nested(kind: str) -> bool:
    return kind.strip().lower().startswith(("struct", "array", "map"))


def cast_columns(
    table: DataFrame,
    schema: Mapping[str, str],
    faults: Sequence[Column],
    row: Column,
    others: Sequence[str] = (),
    decimal: str = ".",
) -> DataFrame:
    """Text columns converted by the schema, why a row is malformed, and the row as it was; other columns are unchanged.

    ``faults`` are reasons that are already known; ``decimal`` is the decimal sign.
    """
    flat = {name: kind for name, kind in schema.items() if not _is_nested(kind)}
    plain = {name: plain_sql(quoted(name), flat.get(name, "string"), decimal) for name in schema}
    columns = [F.expr(cast_sql(plain[n], flat.get(n, "string"))).alias(n) for n in schema]
    found = [
        F.expr(fault_sql(name, quoted(name), kind, plain[name])) for name, kind in flat.items() if kind != "string"
    ]
    reason = F.coalesce(*faults, *found, F.lit(None).cast("string"))
    return table.select(*columns, *map(quoted, others), reason.alias(REASON), row.alias(ROW))


def plain_sql(text: str, kind: str, decimal: str) -> str:
    """A text with a decimal point, as SQL needs it; with a decimal comma, a point is not part of a number."""
    is_number = any(pattern.fullmatch(kind) for pattern, words in _WORDS if words in ("an integer", "a number"))
    return f"translate({text}, '.,', ',.')" if decimal == "," and is_number else text


def instant_sql(text: str) -> str:
    """A text as microseconds since 1970; null if it is not a time."""
    return f"unix_micros({cast_sql(text, 'timestamp')})"


def fault_sql(name: str, text: str, kind: str, plain: str = "") -> str:
    """Why a text is not of its type; null if it is, or if there is no text. ``plain`` is the text with a decimal point."""
    plain = plain or text
    words = next((words for pattern, words in _WORDS if pattern.fullmatch(kind)), f"of type {kind}")
    label, quoted = name.replace("'", "\\'"), f"left({text}, 100)"
    reason = f"concat('{label} is \\'', {quoted}, '\\', which is not {words}')"
    if kind == "double":
        inexact = f"concat('{label} is ', {quoted}, ', which a double does not hold exactly: read it as bigint')"
        reason = f"CASE WHEN {_inexact(plain)} THEN {inexact} ELSE {reason} END"
    return f"CASE WHEN trim({text}) != '' AND ({cast_sql(plain, kind)}) IS NULL THEN {reason} END"


def _inexact(text: str) -> str:
    return _INEXACT.replace("{text}", f"trim({text})")
