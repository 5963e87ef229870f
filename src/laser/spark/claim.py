"""Allows one run at a time on a checkpoint and on an output: two would damage it, and Spark notices that late, or never."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from laser.errors import StateError

__all__ = ["claimed"]

_LOCK = "laser.lock"


@contextmanager
def claimed(checkpoint: str, output: str = "") -> Iterator[None]:
    """Hold this checkpoint and this output exclusively, or raise StateError. Places that are not on this machine are left to Spark."""
    with _locked(checkpoint, _LOCK, "uses the checkpoint"), _locked(output, ".", "writes to the output"):
        yield


@contextmanager
def _locked(path: str, name: str, does: str) -> Iterator[None]:
    """Lock a file in the directory, or the directory itself, so that no extra file is among the answers."""
    if not path or "://" in path:
        yield
        return
    place = Path(path)
    place.mkdir(parents=True, exist_ok=True)
    lock = os.open(place / name, os.O_RDONLY if name == "." else os.O_RDWR | os.O_CREAT)
    try:
        _take(lock, f"another run {does} {path}: wait until it ends, or give this run another directory")
        yield
    finally:
        os.close(lock)


def _take(lock: int, otherwise: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # released when the process ends in any way
    except BlockingIOError:
        raise StateError(otherwise) from None
