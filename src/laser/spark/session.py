"""A Spark session with the settings that the reasoner needs, each with its reason."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from laser.errors import LaserError
from laser.spark.avro import JAVA_LIMITS
from laser.spark.java import chosen_java
from laser.spark.state_settings import STATE_SETTINGS
from laser.spark.stderr import quieted

__all__ = ["session"]

_QUERIES = "DataFrameQueryContextLogger"
ATTEMPTS = 2
"""The number of attempts of a task on this machine, so that a killed worker is replaced once. By default, Spark tries once, and on a cluster four times."""
SIGNAL_AGAIN = 0.1
"""Seconds after which a signal that came before Java answered is sent again."""
_LOGGING = Path(__file__).with_name("log4j2.properties")


def session(
    master: str | None = None,
    *,
    name: str = "laser",
    cores: int | None = None,
    settings: Mapping[str, str] | None = None,
    java: str | None = None,
) -> SparkSession:
    """A session, local by default; a running one (as under spark-submit) is used as it is."""
    running = SparkSession.getActiveSession()
    if running is not None and master is None:
        return running
    if master is not None and master.startswith("sc://"):
        raise LaserError(
            f"{master} is a server of Spark Connect, but a master of Spark itself is needed here, such as spark://host:7077. "
            f'(laser.spark.reason takes static DataFrames of SparkSession.builder.remote("{master}"))'
        )
    cores = cores or os.cpu_count() or 2
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYSPARK_PYTHON"] = _worker_python(master, settings or {})
    builder = SparkSession.builder.appName(name)
    if master is not None or not _submitted():
        builder = builder.master(master or f"local[{cores},{ATTEMPTS}]")
    for key, value in {**_defaults(cores, master), **STATE_SETTINGS, **(settings or {})}.items():
        builder = builder.config(key, value)
    logging.getLogger(_QUERIES).setLevel(logging.CRITICAL)  # what it prints is also raised, and reported by us
    with quieted(), own_interrupts(), nullcontext() if _submitted() else chosen_java(java):
        return builder.getOrCreate()


@contextmanager
def own_interrupts() -> Iterator[None]:
    """Keep the caller's handlers of Ctrl-C and SIGTERM while Spark starts.

    Spark sets a handler for Ctrl-C in the middle of its start, which fails with a traceback if it interrupts a call to Java. And
    until Java answers, it does not notice that this process has ended: a signal waits until then, or Java would stay forever.
    """
    own = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in own.items() if callable(handler)}
    set_handler = signal.signal
    if own[signal.SIGINT] is signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return

    def wait_or_handle(number: int, frame: Any) -> None:
        if SparkContext._gateway is not None:
            handlers[signal.Signals(number)](number, frame)
            return
        again = threading.Timer(SIGNAL_AGAIN, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()

    def refuse(number: Any, handler: Any) -> Any:
        # In the process that becomes Java, Spark has the signal ignored: that is not a function, and stays.
        is_sparks = number == signal.SIGINT and callable(handler)
        return own[signal.SIGINT] if is_sparks else set_handler(number, handler)

    for number in handlers:
        set_handler(number, wait_or_handle)
    signal.signal = refuse  # type: ignore[assignment]
    try:
        yield
    finally:
        signal.signal = set_handler
        for number, handler in handlers.items():
            set_handler(number, handler)


def _worker_python(master: str | None, settings: Mapping[str, str]) -> str:
    """The interpreter of workers. On this machine it is the driver's; on others the user may name one of the same version."""
    is_local = master.startswith("local") if master is not None else not _submitted()
    elsewhere = sys.executable if is_local else os.environ.get("PYSPARK_PYTHON", sys.executable)
    return settings.get("spark.pyspark.python", elsewhere)


def _submitted() -> bool:
    """Whether spark-submit has started this process, and so has chosen Java and the master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _defaults(cores: int, master: str | None) -> dict[str, str]:
    logging_file = (
        f"-Dlog4j2.configurationFile=file:{_LOGGING}" if _LOGGING.exists() else ""
    )  # in an archive there is no such file
    settings = {
        # A shuffle has as many parts as there are cores: an almost empty micro-batch took 3.5 s with 32 parts.
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
        # Dates without a zone mean UTC, here as in all of Laser.
        "spark.sql.session.timeZone": "UTC",
        # If a query is stopped in the middle of a micro-batch, Spark overflows a stack of the usual size.
        "spark.driver.extraJavaOptions": f"-Xss16m {JAVA_LIMITS} {logging_file}".strip(),
        "spark.executor.extraJavaOptions": f"{JAVA_LIMITS} {logging_file}".strip(),
        # Laser shows the progress itself, and a page that nobody requested should not open a port.
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
    }
    if master is None or master.startswith("local"):
        # A local session works even if the machine's name does not resolve.
        settings |= {"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}
    return settings
