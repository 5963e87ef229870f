"""The settings of a playground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Limits", "Settings"]

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one request; a program that needs more is stopped, and the server continues."""

    seconds: float = 5.0
    memory: int = 512 * MEGABYTE
    body: int = 2 * MEGABYTE
    answer: int = 8 * MEGABYTE
    derivations: int = 200_000
    workers: int = 2
    waiting: int = 32
    """The number of requests that may wait for a worker; more are refused at once."""
    sessions: int = 8
    """The number of live streams, each of which has its own process."""
    log: int = 16 * MEGABYTE
    """The size of the events of a live stream that are kept for new and slow readers."""
    clients: int = 200
    """The number of clients that may watch one live stream."""
    connections: int = 1000
    head: float = 10.0
    """Seconds for the head of a request, and for its body."""
    idle: float = 600.0
    """Seconds after which a live stream that nobody feeds or follows is ended."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, what to show first, and what to follow."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    """Other names by which browsers may reach the server."""
    program: Path | None = None
    stream: Path | None = None
    follow: tuple[Path, ...] = ()
    tick: str = "1 s"
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What else belongs to the program: its stream, if that was read from tables; ``background`` as text, ``constants``, ``zone`` and
    ``table``, as in requests."""
    limits: Limits = field(default_factory=Limits)
