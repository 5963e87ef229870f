"""What Ctrl-C and SIGTERM do: a stream that is followed ends after what is at hand, anything else ends at once."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

__all__ = ["Stop", "interrupts"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop(Protocol):
    """What is told to end: an event, or what has its words."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...


@contextmanager
def interrupts(
    stop: Stop, follows: bool, say: Callable[[str], None], words: str = "ending after the micro-batch at hand"
) -> Iterator[None]:
    """Within, the first signal sets ``stop`` if a stream is followed; any other one raises KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(*_: Any) -> None:
        logging.disable()  # the bridge to Java logs an interrupted call with its stack; the run ends, and we say how
        if not follows or stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say(f"{words}; once more ends at once")

    before = {each: signal.signal(each, handle) for each in _SIGNALS}
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        for each, handler in before.items():
            signal.signal(each, handler)
