"""Runs a pipeline: from files to files, with a listener for its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

from laser.checks.accept import accept
from laser.checks.load import load
from laser.errors import LaserError
from laser.pipeline import Pipeline, Table
from laser.rules.rule import ResolvedProgram
from laser.rules.uses import find_uses
from laser.settings import RunSettings
from laser.spark.answers import Answers
from laser.spark.claim import claimed
from laser.spark.cluster import named
from laser.spark.failures import explain_failure
from laser.spark.follow import Sinks, Watchers, checkpoint_of, follow
from laser.spark.named_sinks import read_sinks
from laser.spark.progress import PredicateSummary, ProgressListener, Summary, watched_tasks
from laser.spark.prometheus import PrometheusPage, serve_metrics
from laser.spark.reason import answer
from laser.spark.request import ReasonOptions, Request
from laser.spark.session import session
from laser.spark.sinks import check_output, output_directory, write_all, write_json
from laser.spark.tables import Uses, check_table, read_background_table, read_input, spark_output_format
from laser.syntax.program import Program
from laser.syntax.tree import InputDirective
from laser.ticks import Tick
from laser.values import Predicate
from laser.values.static_type import ANY

__all__ = ["run_pipeline"]


def run_pipeline(pipeline: Pipeline, listener: ProgressListener, stop: threading.Event | None = None) -> Summary:
    """Run, write the answers, and return a summary."""
    pipeline = pipeline.checked()
    pipeline = replace(pipeline, format=spark_output_format(pipeline.format))
    for name, table in pipeline.inputs.items():
        check_table(name, table)
    program = load(pipeline.program)
    check_output(pipeline)
    sinks = read_sinks(pipeline.sinks)
    with claimed(*([pipeline.checkpoint, pipeline.output] if pipeline.follow else [""])):
        page = PrometheusPage()
        watchers = Watchers(listener, stop or threading.Event(), [page.receive])
        with _served(pipeline, page, listener):
            return _run(pipeline, program, sinks, watchers)


@contextmanager
def _served(pipeline: Pipeline, page: PrometheusPage, listener: ProgressListener) -> Iterator[None]:
    """Serve the metrics of a stream, if that is requested."""
    if not pipeline.metrics_port:
        yield
        return
    with serve_metrics(page, pipeline.metrics_port, pipeline.metrics_host) as port:
        listener.say(f"metrics at http://{pipeline.metrics_host}:{port}/metrics")
        yield


def _run(pipeline: Pipeline, program: Program, sinks: Sinks, watchers: Watchers) -> Summary:
    listener = watchers.listener
    listener.say("starting Spark …")
    spark = session(pipeline.master or None, name=f"laser run {Path(pipeline.program).name}", settings=pipeline.spark)
    began = time.monotonic()
    try:
        answers = answer(_request(spark, pipeline, program))
        listener.say(answers.cut)
        if pipeline.follow:
            summary = follow(pipeline, answers, sinks, watchers)
        else:
            summary = _once(spark, pipeline, answers, listener)
    except PySparkException as error:
        raise LaserError(explain_failure(error)) from None
    finally:
        with suppress(Exception):
            spark.sparkContext.cancelAllJobs()
    summary.seconds, summary.cut = time.monotonic() - began, answers.cut
    return summary


# -- from a pipeline to a request


def _request(spark: SparkSession, pipeline: Pipeline, program: Program) -> Request:
    """The request of a pipeline; its settings have the names of the options, and empty ones are left out."""
    tick = Tick.parse(pipeline.tick)
    core = accept(program, RunSettings.read({"constants": pipeline.constants, "tick": pipeline.tick}))
    types = find_uses(core)

    def used(name: str, of: Uses) -> Uses:
        predicate = _predicate(core, name)
        if not isinstance(predicate, Predicate):
            return of
        of = replace(of, types=types.get(predicate, ()))
        return _declared(of, program.inputs[predicate]) if predicate in program.inputs else of

    inputs = {
        name: read_input(
            spark, _predicate(core, name), table, used(name, _uses(pipeline, table)), tick, pipeline.follow
        )
        for name, table in pipeline.inputs.items()
    }
    options: Any = {name: given for name in ReasonOptions.__annotations__ if (given := getattr(pipeline, name, None))}
    options["background"] = {
        name: read_background_table(spark, name, table, used(name, Uses(columns=table.columns)))
        for name, table in pipeline.background.items()
    }
    if not pipeline.follow:
        options.pop("idle", None)
    options["flush"] = bool(pipeline.flush)
    options["checkpoint"] = checkpoint_of(pipeline, "answers") if pipeline.follow else ""
    return Request.read(program, inputs, options)


def _predicate(core: ResolvedProgram, name: str) -> Predicate | str:
    """The predicate of an input, or its name if the program reads it with several numbers of arguments, or not at all."""
    bare, _, arity = name.partition("/")
    if arity:
        return Predicate(bare, int(arity))
    found = [predicate for predicate in core.reads if predicate.name == bare]
    return found[0] if len(found) == 1 else bare


def _uses(pipeline: Pipeline, table: Table) -> Uses:
    return Uses((), table.columns, table.time or pipeline.time, table.order or pipeline.order, pipeline.key)


def _declared(uses: Uses, given: InputDirective) -> Uses:
    """The declared types of a program instead of those that its rules suggest."""
    names = [name for name, _ in given.fields]
    columns = uses.columns or names
    types = [None if declared.static == ANY else declared.static for _, declared in given.fields]
    kinds = (declared for _, declared in given.fields)
    return replace(uses, types=types, columns=columns, declared=dict(zip(columns, kinds, strict=False)))


# -- static tables


def _once(spark: SparkSession, pipeline: Pipeline, answers: Answers, listener: ProgressListener) -> Summary:
    summary = Summary()
    sources = answers.prepared.all_sources
    with named(spark, "count rows"):
        counts = [s.table.agg(F.count(F.lit(1)), s.rejected()).collect()[0] for s in sources]
    summary.rows, summary.rejected = sum(row[0] for row in counts), sum(row[1] for row in counts)
    table = answers.table if answers.kept is not None else answers.table.persist()
    with watched_tasks(spark, listener, summary.rows):
        with named(spark, "reason"):
            totals = _totals(table)
        if pipeline.output:
            with output_directory(pipeline.output, pipeline.overwrite) as place:
                write_all(answers.split(table), pipeline.format, place)
    if pipeline.rejects and summary.rejected:
        write_json(pipeline.rejects, answers.rejects)
    summary.held = [_held(name, totals.get(tag)) for tag, name in enumerate(answers)]
    if not pipeline.output:
        _show(answers, table, listener)
    table.unpersist()
    answers.unpersist()
    return summary


def _totals(table: DataFrame) -> dict[int, Any]:
    length = F.col("until") - F.col("since") + 1
    rows = table.groupBy("tag").agg(
        F.count(F.lit(1)).alias("n"), F.sum(length).alias("sum"), F.max(length).alias("max")
    )
    return {row["tag"]: row for row in rows.collect()}


def _held(name: str, row: Any) -> PredicateSummary:
    return PredicateSummary(name, 0, 0, 0) if row is None else PredicateSummary(name, row["n"], row["sum"], row["max"])


def _show(answers: Answers, table: DataFrame, listener: ProgressListener, most: int = 20) -> None:
    """Show some of the answers, if there is no output."""
    for name, frame in answers.split(table).items():
        for row in frame.orderBy("since").limit(most).collect():
            *args, since, until = row
            atom = f"{name}({', '.join(map(str, args))})" if args else name
            listener.say(f"{atom}  [{since}, {until}]")
