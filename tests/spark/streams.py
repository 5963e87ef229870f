"""Real streams for tests: facts in files, a file for each input and micro-batch, and what a query says of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from laser.spark import Answers, Input
from laser.values import Predicate, write_value
from tests.spark.rooms import Answers as Snapshots
from tests.spark.rooms import Arrivals, Drive, atom_of


def write_file(table: pa.Table, place: Path, number: int) -> None:
    """A file that appears whole, and after all others in the order in which a stream takes them."""
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{number:04d}.parquet"
    pq.write_table(table, f"{path}.part", coerce_timestamps="us")
    os.utime(f"{path}.part", (1_700_000_000 + number, 1_700_000_000 + number))
    os.replace(f"{path}.part", path)


def follow(spark: Any, place: Path) -> Any:
    """The stream of a directory, a file a micro-batch."""
    schema = spark.read.parquet(str(place)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(place))


@dataclass
class Feed:
    """Facts of several predicates, whose columns are text in the notation of programs."""

    spark: Any
    place: Path
    inputs: Sequence[Predicate]
    files: int = 0

    def put(self, rows: Arrivals) -> None:
        """One more micro-batch: a file for each input, though some have no row."""
        for predicate in self.inputs:
            mine = [(time, atom, order) for time, atom, order in rows if atom.signature == predicate]
            columns = {f"c{i}": [write_value(a[i + 1]) for _, a, _ in mine] for i in range(predicate.arity)}
            arrays = {name: pa.array(values, pa.string()) for name, values in columns.items()}
            times = {
                "t": pa.array([t for t, _, _ in mine], pa.int64()),
                "n": pa.array([n for _, _, n in mine], pa.int64()),
            }
            write_file(pa.table({**times, **arrays}), self.directory(predicate), self.files)
        self.files += 1

    def directory(self, predicate: Predicate) -> Path:
        return self.place / str(predicate).replace("/", "-")

    def streams(self) -> dict[str, Input]:
        return {str(p): self._input(follow(self.spark, self.directory(p)), p) for p in self.inputs}

    def tables(self) -> dict[str, Input]:
        return {str(p): self._input(self.spark.read.parquet(str(self.directory(p))), p) for p in self.inputs}

    @staticmethod
    def _input(table: Any, predicate: Predicate) -> Input:
        args = [f"c{i}" for i in range(predicate.arity)]
        return Input(table, args, "t", "n", frozenset(args))


@dataclass
class Told:
    """The rows that a query wrote, by micro-batch."""

    batches: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def rows(self) -> list[Any]:
        return [row for batch in sorted(self.batches) for row in self.batches[batch]]

    def drain(self, frame: Any, checkpoint: Path) -> None:
        """Run until all that is there is taken."""

        def take(rows: Any, batch: int) -> None:
            self.batches[batch] = rows.collect()

        writer = frame.writeStream.foreachBatch(take).option("checkpointLocation", str(checkpoint))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()

    def snapshots(self, answers: Answers, start: int, until: int) -> Snapshots:
        """The changes up to a time, added up."""
        job = answers.prepared.job
        changes = Drive(job, None)  # type: ignore[arg-type]
        found = [(row["time"], row["holds"], atom_of(job, row.asDict())) for row in self.rows if row["tag"] >= 0]
        for time, holds, atom in sorted(found, key=lambda change: change[:2]):
            if time <= until:
                changes.changes.append((time, atom, holds))
        return changes.answers(start, until)
