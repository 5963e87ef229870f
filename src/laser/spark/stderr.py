"""Filters the chatter of Java's workers."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = ["quieted"]

# A stateful operator's driver-side worker prints its every step, whatever the logging is set to.
_CHATTER = re.compile(
    rb"\s*\Z|(Starting )?Streaming TransformWithState|Setting default log level|To adjust logging level"
)


@contextmanager
def quieted() -> Iterator[None]:
    """Processes that are started in this context have their standard error filtered for as long as they live."""
    kept = os.dup(2)
    reading, writing = os.pipe()
    threading.Thread(target=_hand_on, args=(os.fdopen(reading, "rb"), kept), daemon=True).start()
    before = os.dup(2)
    os.dup2(writing, 2)
    os.close(writing)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def _hand_on(source: BinaryIO, target: int) -> None:
    """Pass on every line except the chatter. It reads to the end, because the writer must never wait."""
    for line in source:
        if not _CHATTER.match(line):
            os.write(target, line)
