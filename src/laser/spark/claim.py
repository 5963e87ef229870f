"""One run at a time on a checkpoint: two would spoil it for each other, and Spark notices that in the middle of a batch."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from laser.errors import StateError

__all__ = ["claimed"]

_LOCK = "laser.lock"


@contextmanager
def claimed(checkpoint: str) -> Iterator[None]:
    """Nobody else has this checkpoint meanwhile, or StateError. Places that are not on this machine are left to Spark."""
    if not checkpoint or "://" in checkpoint:
        yield
        return
    place = Path(checkpoint)
    place.mkdir(parents=True, exist_ok=True)
    with (place / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # it ends with the process, however that ends
        except BlockingIOError:
            raise StateError(
                f"another run is at work on the checkpoint {checkpoint}: wait for its end, or give this run its own"
            ) from None
        yield
