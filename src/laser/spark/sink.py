"""Where the changes of a stream go besides files: the interface of a sink, and simple sinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import NamedTuple, Protocol

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.errors import LaserError
from laser.spark.cluster import named
from laser.spark.directories import directory_names
from laser.spark.failures import explain_failure

__all__ = ["Batch", "Changes", "FormatSink", "FunctionSink", "Sink", "check_tables", "load_function", "stream_writer"]


class Batch(NamedTuple):
    """A micro-batch: its query, by the id in the checkpoint, and its number."""

    query: str
    number: int


@dataclass(frozen=True)
class Changes:
    """The changes of one predicate in one micro-batch."""

    predicate: str
    rows: DataFrame
    """The columns of the arguments, ``time`` and ``holds``."""
    key: str | None
    """The column of the key by which the stream is divided, if it is."""
    is_empty: bool = False
    """Whether there are known to be none: most micro-batches change little, and asking Spark takes time."""

    @property
    def args(self) -> list[str]:
        return self.rows.columns[:-2]


class Sink(Protocol):
    """Takes changes. After a crash, it may receive a micro-batch a second time, with the same changes."""

    def write(self, changes: Sequence[Changes], batch: Batch) -> None: ...


def check_tables(names: Sequence[str]) -> None:
    """LaserError if two predicates would share a table."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise LaserError(
            f"two predicates would share the table {twice}: rename one, or choose predicates for each sink"
        )


def stream_writer(
    sinks: Sequence[tuple[Sink, Sequence[str]]], changes_of: Callable[[DataFrame], Sequence[Changes]]
) -> Callable[[DataFrame, int], None]:
    """A function for ``foreachBatch`` that writes to sinks, each with its predicates; all if none are named."""

    def write(rows: DataFrame, number: int) -> None:
        if not sinks:
            return
        query = rows.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId") or ""
        changes = changes_of(rows)
        for sink, predicates in sinks:
            chosen = [each for each in changes if not predicates or each.predicate in predicates]
            with named(rows.sparkSession, f"write to {type(sink).__name__}"):
                sink.write(chosen, Batch(query, number))

    return write


@dataclass(frozen=True)
class FunctionSink:
    """A function of the user, which receives the changes of a micro-batch by predicate, and its number."""

    function: Callable[[Mapping[str, DataFrame], int], None]

    def write(self, changes: Sequence[Changes], batch: Batch) -> None:
        self.function({each.predicate: each.rows for each in changes}, batch.number)


def load_function(path: str) -> Callable[[Mapping[str, DataFrame], int], None]:
    """The function of ``module:function``."""
    module, _, name = path.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise LaserError(
            f"call = {path!r}: {error}; write it as module:function, with a module that Python can import"
        ) from None
    if not callable(found):
        raise LaserError(f"call = {path!r} is not a function")
    return found  # type: ignore[no-any-return]


@dataclass(frozen=True)
class FormatSink:
    """Any format that Spark writes: each micro-batch is appended, with its number in the column ``batch``.

    A micro-batch that is repeated after a crash is appended again, with the same rows and the same number.
    """

    format: str
    path: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def write(self, changes: Sequence[Changes], batch: Batch) -> None:
        places = directory_names(each.predicate for each in changes)
        for each in changes:
            if each.is_empty:
                continue
            rows = each.rows.withColumn("batch", F.lit(batch.number).cast("bigint"))
            writer = rows.write.format(self.format).mode("append").options(**self._options(each.predicate))
            try:
                writer.save(f"{self.path}/{places[each.predicate]}" if self.path else None)
            except PySparkException as error:
                raise LaserError(f"sink {self.format}: {explain_failure(error)}") from None

    def _options(self, predicate: str) -> dict[str, str]:
        """Options of a predicate: a database has a table for each, with its name unless another is given."""
        table = {"dbtable": predicate} if self.format == "jdbc" else {}
        return {**table, **self.options}
