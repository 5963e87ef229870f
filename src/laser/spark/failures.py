"""What went wrong on Spark, in one sentence.

Spark raises the failure of a query with the plan, the offsets and two stack traces: kilobytes of text, of which one line matters.
Workers put our own message first; here it is found, and Spark's messages are stripped of what only its developers need.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql.streaming.query import StreamingQuery

from laser.errors import LaserError

__all__ = ["KNOWN", "NO_PACKAGE", "await_termination", "explain_failure", "speaks_first"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

_OURS = re.compile(r"laser\.errors\.\w+: (.+)")
_RAISED = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Warning)): (.+)", re.MULTILINE)
_AROUND = re.compile(
    r"^\[STREAM_FAILED\] Query .*? terminated with exception: |^\[[A-Z0-9_.]+\] |\s*SQLSTATE: \w{5}|^Job aborted due to .*?: "
)
NO_PACKAGE = (
    "a worker does not have the package laser-reasoner: install laser-reasoner[spark] for the Python of every worker "
    "(spark.pyspark.python names it), or send the package with the job: run laser package -o laser.zip, then add "
    "--conf spark.submit.pyFiles=laser.zip"
)
KNOWN = {
    "No module named 'laser": NO_PACKAGE,
    "CONCURRENT_STREAM_LOG_UPDATE": "another query is at work on this checkpoint: each query needs one of its own",
    "sources in the checkpoint offsets": "the checkpoint was made with other inputs, or with another choice of idle or "
    "flush, which cannot be changed later: begin with a new checkpoint",
    "CONCURRENT_QUERY": "another query is at work on this checkpoint: each query needs one of its own",
}
"""Failures that Spark describes misleadingly, by words in their texts."""


def explain_failure(failure: BaseException | StreamingQuery) -> str:
    """What failed, in one sentence: for an exception that Spark raised, or a query that has ended; empty if it has not failed."""
    if isinstance(failure, BaseException):
        return _sentence(str(failure))
    raised = failure.exception()
    return "" if raised is None else _sentence(str(raised))


def await_termination(query: StreamingQuery, timeout: int | None = None) -> bool:
    """Like ``query.awaitTermination``, but a failure is a LaserError with one sentence.

    Spark's full text is not printed with it; it is in the error's ``__context__``.
    """
    try:
        return bool(query.awaitTermination(timeout) or not query.isActive)
    except PySparkException as error:
        raise LaserError(explain_failure(error)) from None


def _sentence(text: str) -> str:
    ours = _OURS.findall(text)
    if ours:
        return str(ours[-1])
    for words, meaning in KNOWN.items():
        if words in text:
            return meaning
    in_python = _RAISED.findall(text) if "Traceback (most recent call last)" in text else []
    if in_python:
        return f"a worker failed: {': '.join(in_python[-1])}"
    return _without_frame(text.strip().split("\n", 1)[0])


def _without_frame(line: str) -> str:
    before = None
    while before != line:
        before, line = line, _AROUND.sub("", line).strip()
    return line


def speaks_first(function: Callable[_P, Iterator[_T]]) -> Callable[_P, Iterator[_T]]:
    """A worker function whose own errors come without a traceback, so that they are in the first line of Spark's error.

    Spark reads this variable when a worker fails, and the worker then ends, so no other traceback is lost.
    """

    @wraps(function)
    def speaking(*args: _P.args, **kwargs: _P.kwargs) -> Iterator[_T]:
        try:
            yield from function(*args, **kwargs)
        except LaserError:
            os.environ["SPARK_HIDE_TRACEBACK"] = "1"
            raise

    return speaking
