"""Tables as files have them: read as text and cast by us, so that a row that does not fit can be set aside as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.pipeline import Table
from laser.spark.sources import ROW, Input
from laser.values import write_value
from laser.values.facts import parse_facts

__all__ = ["read_input", "read_table"]

_LINE = re.compile(r"\s*(\d+)\s*:\s*(.*?)\s*\.?\s*\Z")
_TEXT = ("csv", "json")


def read_table(spark: SparkSession, table: Table, follow: bool) -> DataFrame:
    """A table in any format that Spark knows."""
    options = {
        **({"header": "true"} if table.kind == "csv" else {}),
        **{k: _option(v) for k, v in table.options.items()},
    }
    if follow and "://" not in table.path and Path(table.path).is_file():
        raise LaserError(f"{table.path} is a file: a stream is followed in a directory, to which files are added")
    schema = table.schema or _inferred(spark, table, options, follow)
    reader: Any = (spark.readStream if follow else spark.read).format(table.kind).options(**options)
    if schema and table.kind in _TEXT:
        texts = ", ".join(f"`{name}` string" for name in schema)
        return _cast(reader.schema(texts).load(table.path), schema)
    if schema:
        reader = reader.schema(", ".join(f"`{name}` {kind}" for name, kind in schema.items()))
    loaded: DataFrame = reader.load(table.path) if table.path else reader.load()
    return loaded


def _inferred(spark: SparkSession, table: Table, options: dict[str, str], follow: bool) -> dict[str, str]:
    """The schema that the files show; Spark's own sources know theirs."""
    if table.kind not in ("csv", "json", "parquet", "orc") or (not follow and table.kind not in _TEXT):
        return {}
    sample = {**options, **({"inferSchema": "true"} if table.kind == "csv" else {})}
    try:
        return dict(spark.read.format(table.kind).options(**sample).load(table.path).dtypes)
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


def read_input(spark: SparkSession, name: str, table: Table, arity: int | None, follow: bool) -> Input:
    """A table as an input of a run."""
    if table.kind == "text":
        return _lines(spark, name, table, arity, follow)
    columns = table.columns or None
    return Input(read_table(spark, table, follow), columns, table.time or None, table.order or None)


def _lines(spark: SparkSession, name: str, table: Table, arity: int | None, follow: bool) -> Input:
    """Lines as streams have them, ``36: temp(98), temp(99).``: the facts of one predicate in them."""
    if arity is None:
        raise LaserError(f"input {name}: lines of text need a predicate that the program reads with one arity")
    lines: DataFrame = (spark.readStream if follow else spark.read).format("text").load(table.path)
    args = [f"arg{i + 1}" for i in range(arity)]
    schema = ", ".join(["time bigint", *(f"{arg} string" for arg in args), "line string"])
    return Input(lines.mapInArrow(_reader(name, args), schema), args, "time", None, frozenset(args))


def _reader(name: str, args: list[str]) -> Any:
    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        types = [("time", pa.int64()), *((arg, pa.string()) for arg in args), ("line", pa.string())]
        for batch in batches:
            rows = [row for line in batch.column("value").to_pylist() for row in _rows(line, name, args)]
            yield pa.RecordBatch.from_pylist(rows, pa.schema(types))

    return read


def _rows(line: str, name: str, args: list[str]) -> Iterator[dict[str, Any]]:
    if not line.strip() or line.lstrip().startswith("%"):
        return
    match = _LINE.match(line)
    try:
        facts = parse_facts(match[2]) if match and match[2] else []
    except (LaserError, ValueError):
        match = None
    if match is None:
        yield {"time": None, "line": line, **dict.fromkeys(args)}
        return
    for fact in facts:
        if fact[0] == name and len(fact) == len(args) + 1:
            yield {"time": int(match[1]), "line": line, **dict(zip(args, map(write_value, fact[1:]), strict=True))}


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:200]
