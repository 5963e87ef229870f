"""The answers of a run: a DataFrame for each predicate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce

from pyspark import StorageLevel
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.spark.cluster import named
from laser.spark.column_names import quoted
from laser.spark.columns import conversion
from laser.spark.flush import End, Flush, flush_stream
from laser.spark.job import Job
from laser.spark.layout import PredicateColumns
from laser.spark.prepare import Prepared
from laser.spark.request import read_point, session_zone
from laser.spark.sink import Changes, Sink, stream_writer
from laser.values import Predicate

__all__ = ["Answers"]


@dataclass(frozen=True)
class Answers(Mapping[str, DataFrame]):
    """A DataFrame for each predicate of the output, by name (``alarm``) or by name and arity (``alarm/0``).

    Static inputs give intervals: the arguments' columns, ``since`` and ``until``. Streams give changes: the arguments'
    columns, ``time`` and ``holds``.
    """

    prepared: Prepared
    table: DataFrame
    """All predicates in one table, to write them together: ``split`` divides it."""
    cut: str
    """How the stream is divided, and why."""
    streaming: bool = False
    kept: DataFrame | None = None
    """The table that is computed once and cached, if there is one."""
    end: Flush | None = None
    """Tells a stream that it has ended, if it was made for that."""
    exact_from: int | None = None
    """If the rules of a stream were changed, the time point from which on the answers are exactly those of the new rules."""
    _by_name: dict[str, PredicateColumns] = field(default_factory=dict)

    def __post_init__(self) -> None:
        predicates = self.prepared.job.outputs.predicates
        for columns in predicates:
            name = columns.predicate.name
            alone = sum(other.predicate.name == name for other in predicates) == 1
            self._by_name[name if alone else str(self._program_predicate(columns))] = columns

    def _program_predicate(self, columns: PredicateColumns) -> Predicate:
        """The predicate as in the program, without a lifted key."""
        name, arity = columns.predicate
        return Predicate(name, arity - self.prepared.job.partition.adds_key)

    def __getitem__(self, name: str) -> DataFrame:
        columns = self._by_name.get(name) or next(
            (c for c in self._by_name.values() if str(self._program_predicate(c)) == name), None
        )
        if columns is None:
            raise KeyError(f"{name}: the program derives {', '.join(self._by_name) or 'nothing'}")
        return self._select(self.table, columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Answers({', '.join(self)}; {self.cut})"

    def split(self, table: DataFrame) -> dict[str, DataFrame]:
        """The rows of ``table`` (all of it, or a micro-batch of it) by predicate."""
        return {name: self._select(table, columns) for name, columns in self._by_name.items()}

    def changes(self, table: DataFrame) -> list[Changes]:
        """The changes among the rows of ``table``, a micro-batch, by predicate, for a sink."""
        with named(table.sparkSession, "reason"):
            there = {row["tag"] for row in table.select("tag").distinct().collect()}
        tags = {name: self.prepared.job.outputs.tags[columns.predicate] for name, columns in self._by_name.items()}
        return [
            Changes(name, rows, self._key(name), is_empty=tags[name] not in there)
            for name, rows in self.split(table).items()
        ]

    def _key(self, name: str) -> str | None:
        columns, partition = self._by_name[name], self.prepared.job.partition
        place = partition.key_position(columns.predicate)
        return None if place is None else columns.names[place]

    def writer(self, *sinks: Sink) -> Callable[[DataFrame, int], None]:
        """A function for ``foreachBatch`` of a query over ``table``, which writes the changes of each micro-batch to sinks."""
        write = stream_writer([(sink, ()) for sink in sinks], self.changes)

        def write_kept(rows: DataFrame, batch: int) -> None:
            rows = rows.persist()  # otherwise it is computed again for each predicate
            try:
                with named(rows.sparkSession, f"batch {batch}"):
                    write(rows, batch)
            finally:
                rows.unpersist()

        return write_kept

    @property
    def rejects(self) -> DataFrame:
        """The malformed rows, which the answers leave out: the input's name, the reason, the row as JSON."""
        return reduce(DataFrame.unionByName, [source.rejects() for source in self.prepared.all_sources])

    @property
    def late(self) -> DataFrame:
        """Of a stream, the facts that came after the watermark had passed their time: predicate, fact, time."""
        return self.late_of(self.table)

    def late_of(self, table: DataFrame) -> DataFrame:
        """The late facts among the rows of ``table``."""
        late = table.where(F.col("tag") == -1)
        return late.selectExpr("note AS fact", f"{self._moment('time')} AS time")

    def flush(self, until: int | str | datetime = End.LAST) -> int:
        """Declare that no more facts come up to a time: the next query on the checkpoint answers everything up to it.

        "last" is the time of the last row so far; "closed" is later, when all time windows over that row have closed.
        The stream must be made with ``flush=True``. Returns the time point; rows up to it that still arrive are late.
        """
        job = self.prepared.job
        if isinstance(until, str) and until in [*End]:
            return flush_stream(self.end, job, End(until))
        zone = session_zone(self.table.sparkSession)
        return flush_stream(self.end, job, read_point(until, job.settings.tick, zone))

    def unpersist(self) -> None:
        """Free the memory of the cached answers of a batch."""
        if self.kept is not None:
            self.kept.unpersist()

    def _select(self, table: DataFrame, columns: PredicateColumns) -> DataFrame:
        rows = table.where(f"tag = {self.prepared.job.outputs.tags[columns.predicate]}")
        args = [
            f"{conversion(kind).given_back(slot)} AS {quoted(name)}"
            for slot, kind, name in zip(columns.slots, columns.kinds, columns.names, strict=True)
        ]
        times = [f"{self._moment(time)} AS {time}" for time in (["time"] if self.streaming else ["since", "until"])]
        return rows.selectExpr(*args, *times, *(["holds"] if self.streaming else []))

    def _moment(self, column: str) -> str:
        """A time point as it is shown, as SQL."""
        if not self.prepared.dated:
            return column
        return f"timestamp_micros({column} * {self.prepared.job.settings.tick.duration.micros}L)"


def whole_intervals(job: Job, table: DataFrame, slices: int) -> DataFrame:
    """Join intervals that extend across the edges of slices."""
    if slices == 1:
        return table.drop("cut")
    slots = ["tag", *job.outputs.slots]
    in_order = Window.partitionBy(*slots).orderBy("since")
    begins = F.coalesce(F.col("since") > F.lag("until").over(in_order) + 1, F.lit(True)).cast("int")
    runs = table.where("cut").withColumn("begins", begins).withColumn("run", F.sum("begins").over(in_order))
    joined = runs.groupBy(*slots, "run").agg(F.min("since").alias("since"), F.max("until").alias("until")).drop("run")
    return table.where(~F.col("cut")).drop("cut").unionByName(joined)


def keep(table: DataFrame) -> DataFrame:
    """A table that is computed once, when it is first needed, however many predicates are read from it."""
    return table.persist(StorageLevel.MEMORY_AND_DISK)
