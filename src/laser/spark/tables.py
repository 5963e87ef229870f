"""Tables as files have them: read as text and cast by us, so that a row that does not fit can be set aside as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.io.formats import FORMATS, format_of_suffix
from laser.io.formats.format import LineFormat
from laser.pipeline import Table
from laser.spark.lines import read_lines
from laser.spark.sources import ROW, Input
from laser.ticks import Tick
from laser.values import Predicate

__all__ = ["check_table", "read_input", "read_table", "spark_output_format"]

_TEXT = ("csv", "json")
_FILES = (*_TEXT, "parquet", "orc")
_LINES = "text"
"""What Spark calls lines as they are."""


def format_of_table(table: Table) -> str | LineFormat:
    """How a table is read, by the end of its name where nothing is said: Spark's name of its format, or lines that we parse."""
    form = FORMATS.get(table.format) if table.format else format_of_suffix(table.path.removesuffix(".bz2").rstrip("/*"))
    if form is None:
        return table.format or ("orc" if table.path.endswith(".orc") else "parquet")
    if form.spark_name is not None:
        return form.spark_name
    if isinstance(form, LineFormat):
        return form
    raise LaserError(f"{table.path}: Spark does not read {form.title}")


def check_table(name: str, table: Table) -> None:
    """Refuse a table of files that does not say which; what else Spark knows may need no path."""
    form = format_of_table(table)
    if not table.path and (isinstance(form, LineFormat) or form in _FILES):
        raise LaserError(f"input {name} has no path")


def spark_output_format(name: str) -> str:
    """What Spark calls the format in which answers are written."""
    form = FORMATS.get(name)
    if form is not None and form.spark_name is None:
        others = ", ".join(other.name for other in FORMATS.values() if other.spark_name)
        raise LaserError(f"Spark does not write {form.title}: choose {others}, or what else Spark knows")
    return name if form is None or form.spark_name is None else form.spark_name


def read_table(spark: SparkSession, table: Table, follow: bool) -> DataFrame:
    """A table in any format that Spark knows; lines are a table of one column."""
    form = format_of_table(table)
    kind = _LINES if isinstance(form, LineFormat) else form
    options = {
        **({"header": "true"} if kind == "csv" else {}),
        **{k: _option(v) for k, v in table.options.items()},
    }
    if follow and "://" not in table.path and Path(table.path).is_file():
        raise LaserError(f"{table.path} is a file: a stream is followed in a directory, to which files are added")
    schema = table.schema or _inferred(spark, table, kind, options, follow)
    reader: Any = (spark.readStream if follow else spark.read).format(kind).options(**options)
    if schema and kind in _TEXT:
        texts = ", ".join(f"`{name}` string" for name in schema)
        return _cast(reader.schema(texts).load(table.path), schema)
    if schema:
        reader = reader.schema(", ".join(f"`{name}` {kind}" for name, kind in schema.items()))
    loaded: DataFrame = reader.load(table.path) if table.path else reader.load()
    return loaded


def _inferred(spark: SparkSession, table: Table, kind: str, options: dict[str, str], follow: bool) -> dict[str, str]:
    """The schema that the files show; Spark's own sources know theirs."""
    if kind not in _FILES or (not follow and kind not in _TEXT):
        return {}
    sample = {**options, **({"inferSchema": "true"} if kind == "csv" else {})}
    try:
        return dict(spark.read.format(kind).options(**sample).load(table.path).dtypes)
    except Exception as error:
        raise LaserError(
            f"{table.path}: its columns cannot be told from its files ({_first_line(error)}); give a schema"
        ) from None


def _cast(table: DataFrame, schema: Any) -> DataFrame:
    """Columns as the schema has them, null where the text does not fit; and the row as it was, for those who ask."""
    columns = [
        F.expr(f"try_cast(trim(`{name}`) AS {kind})").alias(name) if kind != "string" else F.col(f"`{name}`")
        for name, kind in schema.items()
    ]
    whole = F.to_json(F.struct(*[F.col(f"`{name}`") for name in schema]), {"ignoreNullFields": "false"})
    return table.select(*columns, whole.alias(ROW))


def read_input(spark: SparkSession, name: str, table: Table, arity: int | None, tick: Tick, follow: bool) -> Input:
    """A table as an input of a run."""
    form = format_of_table(table)
    if isinstance(form, LineFormat):
        if arity is None:
            raise LaserError(f"input {name}: lines need a predicate that the program reads with one arity")
        return read_lines(spark, table.path, Predicate(name, arity), form, tick, follow)
    columns = table.columns or None
    return Input(read_table(spark, table, follow), columns, table.time or None, table.order or None)


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:200]
