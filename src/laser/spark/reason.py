"""The main function of this package: DataFrames in, DataFrames out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Unpack

from pyspark.sql import DataFrame

from laser.errors import LaserError
from laser.phrases import count
from laser.spark.answers import Answers, keep, whole_intervals
from laser.spark.batch import answer_batch, divide
from laser.spark.cluster import check_workers, cores_of, is_connect
from laser.spark.history import answer_history
from laser.spark.prepare import Prepared, facts_of_source, prepare
from laser.spark.request import Programs, ReasonOptions, Request
from laser.spark.sources import Input
from laser.sql.refusal import NotLowered

__all__ = ["answer", "reason"]


def reason(program: Programs, inputs: Mapping[str, DataFrame | Input], **options: Unpack[ReasonOptions]) -> Answers:
    """The answers of a program, for static DataFrames as intervals and for streaming ones as changes.

    Several programs, as a list, are a chain: each takes the answers of those before it as facts.
    ``inputs`` has a DataFrame, or an Input that describes it further, for each predicate of the stream. The options, each
    with a default:

    - ``time`` is the column of the time, a timestamp or an integer, and ``tick`` the length of one time point; ``start`` and
      ``until`` are the first and the last time point, ``order`` the column with the order in which rows arrived.
    - ``key`` is the column by which the stream is divided; if the program does not have it, the program is lifted over it; with
      False, the stream is not divided by key. ``buckets`` and ``slices`` set the number of parts.
    - ``engine`` selects what evaluates static DataFrames: ``"sql"``, which refuses some programs; ``"reasoner"``; or ``"auto"``, SQL
      if the program has it, in turns with the reasoner for recursions. ``Answers.cut`` says which was used, and why.
    - ``background`` are tables or facts that hold at every time point, ``constants`` values for the program's constants.
    - ``columns`` names the columns of answers, ``mixed`` lets numbers and strings share one, ``limit`` stops a recursion.
    - ``max_ahead`` is how far ahead of the clock rows with dates may be before they are rejected; by default a day in streams, and
      no limit in batches; "off" means no limit.
    - For streams, ``lateness`` is how late facts may arrive, ``idle`` how long an input may pause before time follows the clock,
      and ``unbounded`` accepts a state that always grows. ``checkpoint`` is the checkpoint of the query. Changed rules continue from there if
      the facts that they need are still kept (``Answers.exact_from`` says since when they are exact); otherwise they are refused, unless
      ``inexact`` allows it. ``keep`` is how long facts are kept at least. With ``flush``, the stream can be ended there (``Answers.flush``).
    """
    return answer(Request.read(program, inputs, options))


def answer(request: Request) -> Answers:
    """The answers to a request."""
    streaming = {source.table.isStreaming for source in request.sources}
    if len(streaming) > 1:
        raise LaserError("some inputs are streams and others are static: give the static ones as background")
    prepared = prepare(request)
    if not prepared.sources:
        names = ", ".join(source.name for source in request.sources)
        raise LaserError(
            f"the program reads none of the inputs {names}: the name of an input must be that of a predicate in the program"
        )
    if streaming == {False}:
        return _history(request, prepared)
    spark = prepared.sources[0].table.sparkSession
    check_workers(spark)
    if request.engine == "sql":
        raise LaserError('engine="sql" needs all facts at once, so it does not work with streams: use engine="auto"')
    if is_connect(spark):
        raise LaserError(
            "streams do not work over Spark Connect, only static DataFrames do: use a session of Spark itself"
        )
    if request.settings.until is not None or request.slices is not None:
        raise LaserError("until and slices work only with static DataFrames, not with streams")
    from laser.spark.stream import answer_stream

    return answer_stream(request, prepared)


def _history(request: Request, prepared: Prepared) -> Answers:
    """By SQL where the program has it, unless somebody asks for the reasoner or for its parts."""
    if request.engine == "reasoner":
        return _batch(request, prepared)
    divided = request.buckets is not None or request.slices is not None
    try:
        if divided:
            raise NotLowered("buckets and slices are parts for the reasoner")
        return answer_history(prepared, alone=request.engine == "sql")
    except NotLowered as refusal:
        if request.engine == "sql":
            raise
        why = "" if divided else f"; not by SQL: {refusal}"
    answers = _batch(request, prepared)
    return replace(answers, cut=answers.cut + why)


def _batch(request: Request, prepared: Prepared) -> Answers:
    check_workers(prepared.sources[0].table.sparkSession)
    facts = facts_of(prepared)
    spark = facts.sparkSession
    job, slices = divide(request, prepared, facts, cores_of(spark))
    table = answer_batch(job, facts, slices)
    kept = keep(table) if len(slices) > 1 or len(job.outputs.predicates) > 1 else None
    cut = f"{prepared.why}; {count(job.partition.buckets, 'bucket')}, {count(len(slices), 'slice')} of time"
    return Answers(prepared, whole_intervals(job, table if kept is None else kept, len(slices)), cut, kept=kept)


def facts_of(prepared: Prepared) -> DataFrame:
    """The facts of all inputs in one table."""
    return reduce(DataFrame.unionByName, [facts_of_source(prepared, source) for source in prepared.sources])
