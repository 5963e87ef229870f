"""Tables as files have them: read as text and cast by us, so that a row that does not fit can be set aside as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.io.dialect import UTF_8, Dialect, read_dialect
from laser.io.formats import FORMATS, format_of_suffix
from laser.io.formats.format import LineFormat
from laser.pipeline import Table
from laser.spark.avro import AvroSchemas, avro_fields, avro_text
from laser.spark.casts import cast_columns, cast_sql, plain_sql, text_schema
from laser.spark.cluster import named
from laser.spark.column_names import quoted
from laser.spark.connectors import is_unknown, missing_connector
from laser.spark.lines import read_lines
from laser.spark.messages import MESSAGE, read_messages
from laser.spark.sources import REASON, ROW, Input
from laser.ticks import Tick
from laser.values import Predicate
from laser.values.declared import Declared
from laser.values.static_type import NUMBER, StaticType

__all__ = ["Uses", "check_table", "read_background_table", "read_input", "read_table", "spark_output_format"]

_TEXT = ("csv", "json")
_FILES = (*_TEXT, "parquet", "orc", "avro")
_DECLARED = {
    Declared.STRING: "string",
    Declared.INTEGER: "bigint",
    Declared.BOOLEAN: "boolean",
    Declared.TIME: "timestamp",
}
_LINES = "text"
"""What Spark calls lines as they are."""


def format_of_table(table: Table) -> str | LineFormat:
    """How a table is read, by the end of its name where nothing is said: Spark's name of its format, or lines that we parse."""
    form = FORMATS.get(table.format) if table.format else format_of_suffix(table.path.removesuffix(".bz2").rstrip("/*"))
    if form is None:
        return table.format or next((name for name in ("orc", "avro") if table.path.endswith(f".{name}")), "parquet")
    if form.spark_name is not None:
        return form.spark_name
    if isinstance(form, LineFormat):
        return form
    raise LaserError(f"{table.path}: Spark does not read {form.title}")


def check_table(name: str, table: Table) -> None:
    """Refuse a table of files that does not say which; what else Spark knows may need no path."""
    form = format_of_table(table)
    if not table.path and (isinstance(form, LineFormat) or form in _FILES):
        raise LaserError(f"input {name} has no path: name its files, as in --input {name}=readings.csv")


def spark_output_format(name: str) -> str:
    """What Spark calls the format in which answers are written."""
    form = FORMATS.get(name)
    if form is not None and form.spark_name is None:
        others = ", ".join(other.name for other in FORMATS.values() if other.spark_name)
        raise LaserError(f"Spark does not write {form.title}: choose {others}, or another format of Spark")
    return name if form is None or form.spark_name is None else form.spark_name


@dataclass(frozen=True)
class Uses:
    """What the rules take the columns of an input for, as far as they tell."""

    types: Sequence[StaticType | None] = ()
    """Those of its arguments, in order."""
    columns: Sequence[str] = ()
    """The columns of its arguments, where they are named; else all but the following."""
    time: str = ""
    order: str = ""
    key: str = ""
    """A key of which the rules may not know."""
    declared: Mapping[str, Declared] = field(default_factory=dict)
    """The types of columns that the program declares."""

    def schema(self) -> dict[str, str]:
        """The types of text that are declared, besides numbers."""
        return {name: _DECLARED[declared] for name, declared in self.declared.items() if declared in _DECLARED}

    def message_schema(self) -> dict[str, str]:
        """The columns of messages that the program declares; what has no type of its own is a text."""
        kinds = {Declared.NUMBER: "double", **_DECLARED}
        declared = {name: kinds.get(declared, "string") for name, declared in self.declared.items()}
        return {**declared, **({self.time: "timestamp"} if declared and self.time else {})}

    def numbers(self, columns: Iterable[str]) -> list[str]:
        """The columns that the rules take for numbers."""
        args = list(self.columns) or [name for name in columns if name not in (self.time, self.order)]
        if len(args) != len(self.types):
            args = [name for name in args if name != self.key]
        return [name for name, use in zip(args, self.types, strict=False) if use is not None and use.fits(NUMBER)]


def read_table(spark: SparkSession, table: Table, follow: bool, uses: Uses = Uses()) -> DataFrame:  # noqa: B008 - frozen
    """A table in any format that Spark knows; lines are a table of one column.

    A column of text without a schema that rules take for numbers has numbers, also where some rows have something else.
    """
    form = format_of_table(table)
    kind = _LINES if isinstance(form, LineFormat) else form
    dialect = _dialect(table, kind)
    if dialect.encoding != UTF_8:
        spark.conf.set("spark.sql.legacy.javaCharsets", "true")  # else Spark takes five encodings only, not even cp1252
    options = {
        **_reading(kind, dialect),
        **_avro_option(table, kind),
        **{k: _option(v) for k, v in table.options.items()},
    }
    if follow and "://" not in table.path and Path(table.path).is_file():
        raise LaserError(f"{table.path} is a file, but --follow needs a directory to which files are added")
    schema = ({} if table.value else table.schema) or _inferred(spark, table, kind, options, follow, uses)
    reader: Any = (spark.readStream if follow else spark.read).format(kind).options(**options)
    if schema and kind in _TEXT:
        loaded: DataFrame = reader.schema(text_schema(schema)).load(table.path)
        return cast_columns(loaded, schema, [], _as_json(schema), decimal=dialect.decimal)
    if schema:
        reader = reader.schema(", ".join(f"`{name}` {kind}" for name, kind in schema.items()))
    try:
        loaded = reader.load(table.path) if table.path else reader.load()
    except (PySparkException, Py4JJavaError) as error:
        raise LaserError(_no_source(kind, str(error))) from None
    if not table.value:
        return loaded
    schema = table.schema or uses.message_schema()
    return read_messages(loaded, table.value, schema, avro=_avro(table), name=kind)


def _avro_option(table: Table, kind: str) -> dict[str, str]:
    """The schema by which Spark reads files of Avro; that of messages is not an option of the reader."""
    given = _avro(table)
    if given and kind != "avro" and table.value != "avro":
        raise LaserError(
            f'{table.path or kind}: an Avro schema is for messages with value = "avro", and for files of Avro'
        )
    if table.value == "avro" and table.schema:
        raise LaserError(f"{table.path or kind}: the columns of Avro are those of its Avro schema: leave schema out")
    if not given or table.value:
        return {}
    if not isinstance(given, str):
        raise LaserError(f"{table.path}: files of Avro have one schema (avro_schema), not several by number")
    return {"avroSchema": avro_text(table.path, given)}


def _dialect(table: Table, kind: str) -> Dialect:
    """How the text of a table is written; only text has such settings."""
    said = {name: text for name in ("delimiter", "encoding", "decimal") if (text := getattr(table, name))}
    misplaced = [name for name in said if kind not in _TEXT or (kind == "json" and name != "encoding")]
    if misplaced:
        raise LaserError(
            f"{table.path}: {misplaced[0]} is allowed only for files of {'CSV and JSON Lines' if misplaced[0] == 'encoding' else 'CSV'}"
        )
    return read_dialect(**said)


def _reading(kind: str, dialect: Dialect) -> dict[str, str]:
    """The settings of Spark's reader for text."""
    if kind not in _TEXT:
        return {}
    encoding = {} if dialect.encoding == UTF_8 else {"encoding": _java_name(dialect.encoding)}
    lines = {"lineSep": "\n"} if encoding and kind == "json" else {}  # Spark asks for it with other encodings
    return {**encoding, **lines, **({"header": "true", "sep": dialect.delimiter} if kind == "csv" else {})}


def _java_name(encoding: str) -> str:
    """What Java calls an encoding of Python's."""
    return re.sub(r"^cp(125\d)$", r"windows-\1", re.sub(r"^iso8859-", "iso-8859-", encoding.replace("_", "-")))


def _no_source(kind: str, said: str) -> str:
    return missing_connector(kind) if is_unknown(said) else _first_line(said)


def _inferred(
    spark: SparkSession, table: Table, kind: str, options: dict[str, str], follow: bool, uses: Uses
) -> dict[str, str]:
    """The schema that the files show; Spark's own sources know theirs."""
    if kind not in _FILES or (not follow and kind not in _TEXT):
        return {}
    sample = {**options, **({"inferSchema": "true"} if kind == "csv" else {})}
    try:
        loaded = spark.read.format(kind).options(**sample).load(table.path)
        schema = dict(loaded.dtypes)
        decimal = table.decimal or "."
        return {**schema, **uses.schema(), **_settled(loaded, schema, uses, decimal)} if kind in _TEXT else schema
    except Exception as error:
        if "PATH_NOT_FOUND" in str(error):
            raise LaserError(f"{table.path}: there is no such file or directory") from None
        if is_unknown(str(error)):
            raise LaserError(missing_connector(kind)) from None
        raise LaserError(
            f"{table.path}: the types of its columns cannot be inferred from its files ({_first_line(error)}): give a schema"
        ) from None


def _settled(table: DataFrame, schema: dict[str, str], uses: Uses, decimal: str) -> dict[str, str]:
    """The types of columns that a few odd rows have made text: numbers for rules, and times."""
    numbers = uses.numbers(schema)
    dirty = [name for name in (*numbers, uses.time) if schema.get(name) == "string"]
    if not dirty:
        return {}
    tests = {name: ("bigint", "double" if name in numbers else "timestamp") for name in dirty}
    counts = [
        F.count(F.expr(cast_sql(plain_sql(quoted(name), kind, decimal), kind))).alias(f"{name} {kind}")
        for name, kinds in tests.items()
        for kind in kinds
    ]
    with named(table.sparkSession, f"types of {', '.join(dirty)}"):
        found = table.agg(*counts).collect()[0].asDict()
    return {
        name: whole
        if found[f"{name} {whole}"] and found[f"{name} {whole}"] >= found[f"{name} {other}"]
        else _other(other)
        for name, (whole, other) in tests.items()
    }


def _other(kind: str) -> str:
    """A time that is not a number stays a text, which is read as ISO 8601."""
    return "string" if kind == "timestamp" else kind


def _as_json(names: Iterable[str]) -> Column:
    return F.to_json(F.struct(*[F.col(quoted(name)) for name in names]), {"ignoreNullFields": "false"})


def read_input(
    spark: SparkSession, predicate: Predicate | str, table: Table, uses: Uses, tick: Tick, follow: bool
) -> Input:
    """A table as an input of a run; of a predicate whose arity is not known, only the name is given."""
    form = format_of_table(table)
    if isinstance(form, LineFormat):
        if isinstance(predicate, str):
            raise LaserError(f"input {predicate}: lines need a predicate that the program reads with one arity")
        return read_lines(spark, table.path, predicate, form, tick, follow)
    read = _of_predicate(_with_expressions(read_table(spark, table, follow, uses), table), predicate, table)
    columns = table.columns or (tuple(_message_columns(table, uses)) if table.value else ())
    args = (
        [name for name in columns if name not in (uses.time, uses.order)]
        if table.expressions or table.value
        else columns
    )
    return Input(read, args or None, table.time or None, table.order or None)


def _of_predicate(read: DataFrame, predicate: Predicate | str, table: Table) -> DataFrame:
    """The rows of a predicate, where a column names it; those without a name do not fit."""
    if not table.predicate:
        return read
    if table.predicate not in read.columns:
        known = ", ".join(name for name in read.columns if name not in (ROW, REASON))
        raise LaserError(
            f"{table.path}: there is no column {table.predicate!r} with the predicates; its columns are {known}"
        )
    name = (predicate if isinstance(predicate, str) else predicate.name).partition("/")[0]
    column = F.trim(F.col(quoted(table.predicate)).cast("string"))
    missing = F.when(column.isNull() | (column == ""), F.lit(f"{table.predicate} is missing"))
    faults = [F.col(REASON), missing] if REASON in read.columns else [missing]
    own = read.where((column == name) | missing.isNotNull()).withColumn(REASON, F.coalesce(*faults))
    return own.drop(table.predicate)


def _message_columns(table: Table, uses: Uses) -> Iterable[str]:
    """What a message has, and not what the broker knows of it."""
    if table.value == "avro":
        return uses.message_schema() or avro_fields(table.format, _avro(table))
    return table.schema or uses.message_schema() or [MESSAGE]


def _avro(table: Table) -> AvroSchemas:
    return table.avro_schemas or table.avro_schema


def _with_expressions(read: DataFrame, table: Table) -> DataFrame:
    try:
        return (
            read.withColumns({name: F.expr(given) for name, given in table.expressions.items()})
            if table.expressions
            else read
        )
    except PySparkException as error:
        raise LaserError(f"the columns of {table.path or table.format}: {_first_line(error)}") from None


def read_background_table(spark: SparkSession, name: str, table: Table, uses: Uses) -> DataFrame:
    """A table that holds at every time. One row that does not fit is an error: nobody looks for what it would have meant."""
    read = read_table(spark, table, False, uses)
    if REASON in read.columns:
        faulty = read.where(F.col(REASON).isNotNull()).select(REASON, ROW).take(1)
        if faulty:
            raise LaserError(f"background {name}: {faulty[0][REASON]}, in the row {faulty[0][ROW]}")
    return read.select(*(table.columns or ["*"])).drop(ROW, REASON)


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first_line(error: object) -> str:
    return str(error).split("\n", 1)[0][:200]
