"""Where answers, rejected rows and late facts go."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame

from laser.errors import LaserError
from laser.io.atomic import write_whole_directory
from laser.pipeline import Pipeline
from laser.spark.answers import Answers
from laser.spark.checkpoint import Checkpoint
from laser.spark.cluster import named
from laser.spark.directories import directory_names
from laser.spark.progress import Summary

__all__ = [
    "LinesOnce",
    "batch_writer",
    "check_output",
    "output_directory",
    "reject_writer",
    "write_all",
    "write_json",
]


def check_output(pipeline: Pipeline) -> None:
    if pipeline.output and not pipeline.follow and not pipeline.overwrite and _is_local(pipeline.output):
        place = Path(pipeline.output)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise LaserError(
                f"{pipeline.output} exists already: choose another output, or add --overwrite to replace it"
            )


@contextmanager
def output_directory(output: str, overwrite: bool) -> Iterator[str]:
    """Where to write so that the output appears completely or not at all."""
    if _is_local(output):
        with write_whole_directory(output, overwrite) as place:
            yield str(place)
    else:
        yield output  # without a move, Spark's own commit marks the output with _SUCCESS


def write_all(frames: dict[str, DataFrame], form: str, place: str) -> None:
    """Write several tables in parallel: most are small, and most of the time is waiting."""
    directories = directory_names(frames)

    def write(name: str) -> None:
        with named(frames[name].sparkSession, f"write {name}"):
            frames[name].write.format(form).save(f"{place}/{directories[name]}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, frames))


def reject_writer(path: str, checkpoint: Checkpoint) -> Callable[[DataFrame, int], None]:
    lines = LinesOnce(path, checkpoint, "rejects")

    def write(rows: DataFrame, batch: int) -> None:
        with named(rows.sparkSession, f"batch {batch}"):
            lines.write(rows, batch)

    return write


@dataclass(frozen=True)
class LinesOnce:
    """Rows of micro-batches as lines of one file; a micro-batch that is repeated after a crash replaces its lines.

    Its number, and the previous length of the file, are noted in the checkpoint before its first line.
    """

    path: str
    checkpoint: Checkpoint
    name: str

    def write(self, rows: DataFrame, batch: int) -> None:
        lines = _json_lines(rows)
        first = next(lines, None)
        if first is None:
            return
        with open(self.path, "ab") as file:
            file.truncate(self._length_before(batch, file.seek(0, os.SEEK_END)))
            for line in itertools.chain([first], lines):
                file.write(line.encode())

    def _length_before(self, batch: int, length: int) -> int:
        noted = self.checkpoint.note(self.name)
        if noted is not None and noted.split()[0] == str(batch):
            return min(int(noted.split()[1]), length)
        self.checkpoint.put_note(self.name, f"{batch} {length}")
        return length


def batch_writer(
    pipeline: Pipeline,
    answers: Answers,
    summary: Summary,
    held: dict[str, int],
    to_sinks: Callable[[DataFrame, int], None],
    checkpoint: Checkpoint,
) -> Callable[[DataFrame, int], None]:
    """Write a micro-batch: each predicate to its own directory, named by the batch, so that a repeated batch writes the same.

    The sinks of the pipeline also receive it.
    """
    directories = directory_names(answers)

    def write(rows: DataFrame, batch: int) -> None:
        spark = rows.sparkSession
        rows = rows.persist()
        with named(spark, f"batch {batch}"):
            with named(spark, "reason"):
                counted = rows.groupBy("tag", "holds").count().collect()
            counts = {(row["tag"], row["holds"]): row["count"] for row in counted}
            for tag, (name, frame) in enumerate(answers.split(rows).items()):
                begun = counts.get((tag, True), 0)
                held[name] += begun
                if pipeline.output and begun + counts.get((tag, False), 0):
                    with named(spark, f"write {name}"):
                        _write_batch(frame, pipeline, directories[name], batch)
            to_sinks(rows, batch)
            late = counts.get((-1, None), 0)
            summary.late += late
            if late and pipeline.late:
                with named(spark, "write late facts"):
                    LinesOnce(pipeline.late, checkpoint, "late").write(answers.late_of(rows), batch)
        rows.unpersist()

    return write


def _write_batch(frame: DataFrame, pipeline: Pipeline, name: str, batch: int) -> None:
    place = f"{pipeline.output}/{name}/batch={batch:08d}"
    if _is_local(place):
        with write_whole_directory(place, overwrite=True) as part:
            frame.write.format(pipeline.format).mode("append").save(f"{part}/rows")
            _lift_files(part)
    else:
        frame.write.format(pipeline.format).mode("overwrite").save(place)


def _lift_files(part: Path) -> None:
    """Move the files one level up, because Spark insists on creating the directory itself."""
    for file in (part / "rows").iterdir():
        file.rename(part / file.name)
    (part / "rows").rmdir()


def _is_local(path: str) -> bool:
    return "://" not in path


def write_json(path: str, rows: DataFrame) -> None:
    """Write rows as JSON Lines in one file, replacing an old one."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(_json_lines(rows))


def _json_lines(rows: DataFrame) -> Iterator[str]:
    for row in rows.toLocalIterator():
        yield json.dumps(row.asDict(), ensure_ascii=False, default=str) + "\n"
