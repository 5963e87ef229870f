"""What Ctrl-C and SIGTERM do to a pipeline: a stream ends after the micro-batch at hand, a batch ends at once."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["interrupts"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts(stop: threading.Event, follows: bool, say: Callable[[str], None]) -> Iterator[None]:
    """Within, the first signal sets ``stop`` if the pipeline follows a stream; any other one raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(*_: Any) -> None:
        logging.disable()  # the bridge to Java logs an interrupted call with its stack; the run ends, and we say how
        if not follows or stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("ending after the micro-batch at hand; once more ends at once")

    before = {each: signal.signal(each, handle) for each in _SIGNALS}
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        for each, handler in before.items():
            signal.signal(each, handler)
