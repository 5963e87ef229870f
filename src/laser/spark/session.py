"""A Spark session with the settings that the reasoner wants, each with its reason."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from pyspark.sql import SparkSession

from laser.errors import LaserError
from laser.spark.java import chosen_java
from laser.spark.state_settings import STATE_SETTINGS
from laser.spark.stderr import quieted

__all__ = ["session"]

_QUERIES = "DataFrameQueryContextLogger"
_LOGGING = Path(__file__).with_name("log4j2.properties")


def session(
    master: str | None = None,
    *,
    name: str = "laser",
    cores: int | None = None,
    settings: Mapping[str, str] | None = None,
    java: str | None = None,
) -> SparkSession:
    """A session, local unless told otherwise; one that runs already (as under spark-submit) is taken as it is."""
    running = SparkSession.getActiveSession()
    if running is not None and master is None:
        return running
    if master is not None and master.startswith("sc://"):
        raise LaserError(
            f"{master} is Spark Connect, which laser.spark.reason takes for static DataFrames: give it a session of "
            f'SparkSession.builder.remote("{master}"). Here the master must be that of Spark itself, as in spark://…'
        )
    cores = cores or os.cpu_count() or 2
    # Workers must be the same interpreter: they import this package and run code that the driver compiled.
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName(name)
    if master is not None or not _submitted():
        builder = builder.master(master or f"local[{cores}]")
    for key, value in {**_defaults(cores, master), **STATE_SETTINGS, **(settings or {})}.items():
        builder = builder.config(key, value)
    logging.getLogger(_QUERIES).setLevel(logging.CRITICAL)  # what it prints is raised as well, and said by us
    with quieted(), _own_interrupts(), nullcontext() if _submitted() else chosen_java(java):
        return builder.getOrCreate()


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Spark replaces the handler of Ctrl-C; one that the caller has set is put back."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if before is not signal.default_int_handler and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, before)


def _submitted() -> bool:
    """Whether spark-submit has started this process, and so has chosen Java and the master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _defaults(cores: int, master: str | None) -> dict[str, str]:
    settings = {
        # A shuffle has as many parts as can be worked on: an almost empty micro-batch took 3.5 s with 32 of them.
        "spark.sql.shuffle.partitions": str(cores),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
        # Dates without a zone mean UTC, here as in all of Laser.
        "spark.sql.session.timeZone": "UTC",
        # A query that is stopped in the middle of a micro-batch overflows a stack of the usual size, inside of Spark.
        "spark.driver.extraJavaOptions": f"-Xss16m -Dlog4j2.configurationFile=file:{_LOGGING}",
        "spark.executor.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{_LOGGING}",
        # Progress is shown by us, and a page nobody asked for opens no port.
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
    }
    if master is None or master.startswith("local"):
        # A machine whose name does not resolve runs a local session all the same.
        settings |= {"spark.driver.host": "localhost", "spark.driver.bindAddress": "127.0.0.1"}
    return settings
