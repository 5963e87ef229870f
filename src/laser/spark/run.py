"""Run a pipeline: from files to files, with somebody who is told how far it is."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows
from pyspark.sql.streaming.query import StreamingQuery

from laser.checks.accept import accept
from laser.checks.load import load
from laser.errors import LaserError
from laser.pipeline import Pipeline
from laser.rules.body import ExtendedAtom
from laser.settings import RunSettings
from laser.spark.answers import Answers
from laser.spark.reason import reason
from laser.spark.session import session
from laser.spark.tables import read_input, read_table
from laser.syntax.program import Program

__all__ = ["Held", "Summary", "Watcher", "run_pipeline"]


class Watcher(Protocol):
    """Who is told how a run goes."""

    def say(self, text: str) -> None: ...
    def parts(self, done: int, total: int, rows: int | None) -> None: ...
    def batch(self, progress: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class Held:
    """What held of one predicate: how often, how long in all and at most, in time points."""

    name: str
    times: int
    total: int | None = None
    longest: int | None = None


@dataclass
class Summary:
    """What a run did."""

    rows: int = 0
    rejected: int = 0
    late: int = 0
    seconds: float = 0.0
    batches: int = 0
    held: list[Held] = field(default_factory=list)
    cut: str = ""


def run_pipeline(pipeline: Pipeline, watcher: Watcher, stop: threading.Event | None = None) -> Summary:
    """Run, write the answers, and say what held."""
    pipeline = pipeline.checked()
    program = load(pipeline.program)
    _check_output(pipeline)
    watcher.say("starting Spark …")
    spark = session(pipeline.master or None, name=f"laser run {Path(pipeline.program).name}", settings=pipeline.spark)
    began = time.monotonic()
    try:
        answers = _answers(spark, pipeline, program)
        watcher.say(answers.cut)
        go = _follow if pipeline.follow else _once
        summary = go(spark, pipeline, answers, watcher, stop or threading.Event())
    except PySparkException as error:
        raise LaserError(_cause(error)) from None
    finally:
        with suppress(Exception):
            spark.sparkContext.cancelAllJobs()
    summary.seconds, summary.cut = time.monotonic() - began, answers.cut
    return summary


def _cause(error: PySparkException) -> str:
    """What went wrong in a word: our own message if there is one in the worker's traceback, or the first line of Spark's."""
    text = str(error)
    ours = re.findall(r"laser\.errors\.\w+: (.+)", text)
    return str(ours[-1]) if ours else text.split("\n", 1)[0]


def _answers(spark: SparkSession, pipeline: Pipeline, program: Program) -> Answers:
    inputs = {
        name: read_input(spark, name.partition("/")[0], table, _arity(program, pipeline, name), pipeline.follow)
        for name, table in pipeline.inputs.items()
    }
    background = {
        name: read_table(spark, table, False).select(*(table.columns or ["*"])).drop("_row")
        for name, table in pipeline.background.items()
    }
    return reason(
        program,
        inputs,
        time=pipeline.time or None,
        tick=pipeline.tick,
        key=pipeline.key or None,
        background=background,
        constants=pipeline.constants,
        start=pipeline.start or None,
        until=pipeline.until or None,
        order=pipeline.order or None,
        mixed=pipeline.mixed,
        buckets=pipeline.buckets or None,
        slices=pipeline.slices or None,
        lateness=pipeline.lateness,
        unbounded=pipeline.unbounded,
    )


def _arity(program: Program, pipeline: Pipeline, name: str) -> int | None:
    bare, _, arity = name.partition("/")
    if arity:
        return int(arity)
    core = accept(program, RunSettings.read({"constants": pipeline.constants, "tick": pipeline.tick}))
    found = {
        e.predicate.arity
        for rule in core.rules
        for e in rule.body
        if isinstance(e, ExtendedAtom) and e.predicate.name == bare
    }
    return found.pop() if len(found) == 1 else None


# -- batch


def _once(
    spark: SparkSession, pipeline: Pipeline, answers: Answers, watcher: Watcher, stop: threading.Event
) -> Summary:
    summary = Summary()
    sources = answers.prepared.all_sources
    counts = [s.table.agg(F.count(F.lit(1)), s.rejected()).collect()[0] for s in sources]
    summary.rows, summary.rejected = sum(row[0] for row in counts), sum(row[1] for row in counts)
    table = answers.table if answers.kept is not None else answers.table.persist()
    with _progress(spark, watcher, summary.rows):
        totals = _totals(table)
        if pipeline.output:
            with _whole(pipeline.output, pipeline.overwrite) as place:
                _write_all(answers.split(table), pipeline.format, place)
    if pipeline.rejects and summary.rejected:
        _append_json(pipeline.rejects, answers.rejects, fresh=True)
    summary.held = [_held(answers, name, i, totals) for i, name in enumerate(answers)]
    if not pipeline.output:
        _show(answers, table, watcher)
    table.unpersist()
    answers.unpersist()
    return summary


def _write_all(frames: dict[str, DataFrame], form: str, place: str) -> None:
    """Write several tables at once: most are small, and waiting for one after the other is most of the time."""

    def write(name: str) -> None:
        frames[name].write.format(form).save(f"{place}/{_file_name(name)}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, frames))


def _totals(table: DataFrame) -> dict[int, Any]:
    length = F.col("until") - F.col("since") + 1
    rows = table.groupBy("tag").agg(
        F.count(F.lit(1)).alias("n"), F.sum(length).alias("sum"), F.max(length).alias("max")
    )
    return {row["tag"]: row for row in rows.collect()}


def _held(answers: Answers, name: str, tag: int, totals: dict[int, Any]) -> Held:
    row = totals.get(tag)
    return Held(name, 0, 0, 0) if row is None else Held(name, row["n"], row["sum"], row["max"])


def _show(answers: Answers, table: DataFrame, watcher: Watcher, most: int = 20) -> None:
    """Some of the answers, for somebody who only wants to see."""
    for name, frame in answers.split(table).items():
        rows = frame.orderBy("since").limit(most).collect()
        for row in rows:
            *args, since, until = row
            watcher.say(
                f"{name}({', '.join(map(str, args))})  [{since}, {until}]" if args else f"{name}  [{since}, {until}]"
            )


@contextmanager
def _progress(spark: SparkSession, watcher: Watcher, rows: int) -> Iterator[None]:
    """Tell a watcher how many tasks are done while the body runs."""
    done = threading.Event()

    def watch() -> None:
        tracker = spark.sparkContext.statusTracker()
        while not done.wait(0.5):
            with suppress(Exception):
                stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
                known = [stage for stage in stages if stage is not None]
                if known:
                    watcher.parts(sum(s.numCompletedTasks for s in known), sum(s.numTasks for s in known), rows)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _check_output(pipeline: Pipeline) -> None:
    if pipeline.output and not pipeline.follow and not pipeline.overwrite and _is_local(pipeline.output):
        place = Path(pipeline.output)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise LaserError(f"{pipeline.output} is there already: --overwrite replaces it")


@contextmanager
def _whole(output: str, overwrite: bool) -> Iterator[str]:
    """A place beside the output, which takes its place at the end: it appears whole or not at all."""
    if not _is_local(output):
        yield output  # a store without a move relies on Spark's own commit, which marks it with _SUCCESS
        return
    target = Path(os.path.abspath(output))
    target.parent.mkdir(parents=True, exist_ok=True)
    part, old = (target.parent / f".{target.name}.{os.getpid()}.{kind}" for kind in ("part", "old"))
    _sweep(target)
    part.mkdir()
    try:
        yield str(part)
        if target.exists() and not overwrite:
            target.rmdir()  # it was empty when the run began, and only if it still is may it go
        elif target.exists():
            target.rename(old)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Remove what this run, or one that was killed, left beside its output; readers pass over it, but it takes room."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        number = left.name.split(".")[-2]
        if number.isdigit() and (int(number) == os.getpid() or not _is_running(int(number))):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    return True


def _is_local(path: str) -> bool:
    return "://" not in path


def _file_name(predicate: str) -> str:
    """A predicate as the name of a directory: an IRI has signs that paths do not."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in predicate).strip("_") or "predicate"


def _append_json(path: str, rows: DataFrame, fresh: bool = False) -> int:
    """Rows as JSON Lines in one file."""
    count = 0
    with open(path, "w" if fresh else "a", encoding="utf-8") as file:
        for row in rows.toLocalIterator():
            file.write(json.dumps(row.asDict(), ensure_ascii=False, default=str) + "\n")
            count += 1
    return count


# -- streams


def _follow(
    spark: SparkSession, pipeline: Pipeline, answers: Answers, watcher: Watcher, stop: threading.Event
) -> Summary:
    summary = Summary()
    held: dict[str, int] = dict.fromkeys(answers, 0)
    writer = answers.table.writeStream.foreachBatch(_writer(pipeline, answers, summary, held))
    writer = writer.option("checkpointLocation", f"{pipeline.checkpoint}/answers")
    query = _triggered(writer, pipeline.every).start()
    queries = [query]
    if pipeline.rejects:
        aside = answers.rejects.writeStream.foreachBatch(_aside(pipeline.rejects))
        queries.append(
            _triggered(aside.option("checkpointLocation", f"{pipeline.checkpoint}/rejects"), pipeline.every).start()
        )
    try:
        _await(query, watcher, summary, stop)
        if pipeline.every == "once":
            for other in queries[1:]:
                other.awaitTermination()
    finally:
        for each in queries:
            with suppress(Exception):
                each.stop()
    summary.held = [Held(name, count) for name, count in held.items()]
    return summary


def _aside(path: str) -> Callable[[DataFrame, int], None]:
    def write(rows: DataFrame, batch: int) -> None:
        _append_json(path, rows)

    return write


def _triggered(writer: Any, every: str) -> Any:
    """``once`` takes what is there and ends; a duration waits so long between micro-batches."""
    if every == "once":
        return writer.trigger(availableNow=True)
    return writer.trigger(processingTime=every) if every else writer


def _writer(
    pipeline: Pipeline, answers: Answers, summary: Summary, held: dict[str, int]
) -> Callable[[DataFrame, int], None]:
    """Write a micro-batch: each predicate to a directory of its own, named by the batch, so that a repeated batch writes the same."""

    def write(rows: DataFrame, batch: int) -> None:
        rows = rows.persist()
        counts = {(row["tag"], row["holds"]): row["count"] for row in rows.groupBy("tag", "holds").count().collect()}
        for tag, (name, frame) in enumerate(answers.split(rows).items()):
            begun = counts.get((tag, True), 0)
            held[name] += begun
            if pipeline.output and begun + counts.get((tag, False), 0):
                _write_batch(frame, pipeline, _file_name(name), batch)
        late = counts.get((-1, None), 0)
        summary.late += late
        if late and pipeline.late:
            _append_json(pipeline.late, answers.late_of(rows))
        rows.unpersist()

    return write


def _write_batch(frame: DataFrame, pipeline: Pipeline, name: str, batch: int) -> None:
    place = f"{pipeline.output}/{name}/batch={batch:08d}"
    if _is_local(place):
        with _whole(place, overwrite=True) as part:
            frame.write.format(pipeline.format).mode("append").save(f"{part}/rows")
            _lift_files(Path(part))
    else:
        frame.write.format(pipeline.format).mode("overwrite").save(place)


def _lift_files(part: Path) -> None:
    """Bring the files one level up: Spark wants to make the directory itself."""
    for file in (part / "rows").iterdir():
        file.rename(part / file.name)
    (part / "rows").rmdir()


def _await(query: StreamingQuery, watcher: Watcher, summary: Summary, stop: threading.Event) -> None:
    seen = -1
    while not stop.is_set():
        ended = query.awaitTermination(1)
        for progress in query.recentProgress:
            told = json.loads(progress.json) if hasattr(progress, "json") else dict(progress)
            if told["batchId"] > seen:
                seen = told["batchId"]
                _count(told, summary)
                watcher.batch(told | {"late": summary.late, "rejected": summary.rejected})
        if ended:
            return


def _count(progress: dict[str, Any], summary: Summary) -> None:
    summary.batches += 1
    observed = [_as_dict(value) for value in progress.get("observedMetrics", {}).values()]
    summary.rows += sum(int(one.get("rows") or 0) for one in observed)
    summary.rejected += sum(int(one.get("rejected") or 0) for one in observed)


def _as_dict(value: Any) -> dict[str, Any]:
    return dict(value.asDict() if hasattr(value, "asDict") else value)
