"""Where answers, rejected rows and late facts go."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame

from laser.errors import LaserError
from laser.io.atomic import write_whole_directory
from laser.pipeline import Pipeline
from laser.spark.answers import Answers
from laser.spark.directories import directory_names
from laser.spark.progress import Summary

__all__ = [
    "append_json",
    "batch_writer",
    "check_output",
    "output_directory",
    "reject_writer",
    "write_all",
]


def check_output(pipeline: Pipeline) -> None:
    if pipeline.output and not pipeline.follow and not pipeline.overwrite and _is_local(pipeline.output):
        place = Path(pipeline.output)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise LaserError(f"{pipeline.output} is there already: --overwrite replaces it")


@contextmanager
def output_directory(output: str, overwrite: bool) -> Iterator[str]:
    """Where to write so that the output appears whole or not at all."""
    if _is_local(output):
        with write_whole_directory(output, overwrite) as place:
            yield str(place)
    else:
        yield output  # a store without a move relies on Spark's own commit, which marks it with _SUCCESS


def write_all(frames: dict[str, DataFrame], form: str, place: str) -> None:
    """Write several tables at once: most are small, and waiting for one after the other is most of the time."""
    directories = directory_names(frames)

    def write(name: str) -> None:
        frames[name].write.format(form).save(f"{place}/{directories[name]}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, frames))


def reject_writer(path: str) -> Callable[[DataFrame, int], None]:
    def write(rows: DataFrame, batch: int) -> None:
        append_json(path, rows)

    return write


def batch_writer(
    pipeline: Pipeline,
    answers: Answers,
    summary: Summary,
    held: dict[str, int],
    to_sinks: Callable[[DataFrame, int], None],
) -> Callable[[DataFrame, int], None]:
    """Write a micro-batch: each predicate to a directory of its own, named by the batch, so that a repeated batch writes the same.

    The sinks of the pipeline are given it too.
    """
    directories = directory_names(answers)

    def write(rows: DataFrame, batch: int) -> None:
        rows = rows.persist()
        counts = {(row["tag"], row["holds"]): row["count"] for row in rows.groupBy("tag", "holds").count().collect()}
        for tag, (name, frame) in enumerate(answers.split(rows).items()):
            begun = counts.get((tag, True), 0)
            held[name] += begun
            if pipeline.output and begun + counts.get((tag, False), 0):
                _write_batch(frame, pipeline, directories[name], batch)
        to_sinks(rows, batch)
        late = counts.get((-1, None), 0)
        summary.late += late
        if late and pipeline.late:
            append_json(pipeline.late, answers.late_of(rows))
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
    """Bring the files one level up: Spark wants to make the directory itself."""
    for file in (part / "rows").iterdir():
        file.rename(part / file.name)
    (part / "rows").rmdir()


def _is_local(path: str) -> bool:
    return "://" not in path


def append_json(path: str, rows: DataFrame, fresh: bool = False) -> int:
    """Rows as JSON Lines in one file."""
    count = 0
    with open(path, "w" if fresh else "a", encoding="utf-8") as file:
        for row in rows.toLocalIterator():
            file.write(json.dumps(row.asDict(), ensure_ascii=False, default=str) + "\n")
            count += 1
    return count
