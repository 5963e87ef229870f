"""What Ctrl-C and SIGTERM do: a followed stream ends after the current batch, anything else ends at once."""

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
    """An object that can be asked to end: an event, or something with the same methods."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...


@contextmanager
def interrupts(
    stop: Stop, follows: bool, say: Callable[[str], None], words: str = "ending after the current micro-batch"
) -> Iterator[None]:
    """In this context, the first signal sets ``stop`` if a stream is followed; any other one raises KeyboardInterrupt.

    After that, whatever leaves the context is a KeyboardInterrupt: clean-up fails if the interrupt ended a call to Java halfway.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    ended = False

    def handle(*_: Any) -> None:
        nonlocal ended
        logging.disable()  # the bridge to Java would log the interrupted call with a traceback
        if not follows or stop.is_set():
            ended = True
            raise KeyboardInterrupt
        stop.set()
        say(f"{words}; press Ctrl-C again to end at once")

    before = {each: signal.signal(each, handle) for each in _SIGNALS}
    try:
        yield
    except Exception:
        if ended:
            raise KeyboardInterrupt from None
        raise
    finally:
        logging.disable(logging.NOTSET)
        for each, handler in before.items():
            signal.signal(each, handler)
