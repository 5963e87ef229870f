"""What all tests share."""

from __future__ import annotations

import os
import signal

os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")
"""Java compiles quickly and not thoroughly: the queries of tests are short, and the thorough compiler took half of their time."""


def pytest_configure() -> None:
    """Let Ctrl-C reach the processes that tests start: a shell lets what runs in its background ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
