"""What a playground is told when it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Limits", "Settings"]

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost; a program that wants more is stopped, and the server goes on."""

    seconds: float = 5.0
    memory: int = 512 * MEGABYTE
    body: int = 2 * MEGABYTE
    answer: int = 8 * MEGABYTE
    derivations: int = 200_000
    workers: int = 2
    waiting: int = 32
    """Requests that may wait for a worker; more are refused at once."""
    sessions: int = 8
    """Live streams at a time, each of which has a process of its own."""
    log: int = 16 * MEGABYTE
    """Events of a live stream that are kept for those who come late or fall behind."""
    clients: int = 200
    """Those who watch one live stream."""
    connections: int = 1000
    head: float = 10.0
    """Seconds for the head of a request, and for the body of a question."""
    idle: float = 600.0
    """Seconds after which a live stream that nobody feeds and nobody follows is ended."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, what to show first, and what to follow."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    """Further names by which the server may be called."""
    program: Path | None = None
    stream: Path | None = None
    follow: tuple[Path, ...] = ()
    tick: str = "1 s"
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What belongs to the program besides: its stream, if that was read from tables; ``background`` as text, ``constants``, ``zone`` and
    ``table``, as requests have them."""
    limits: Limits = field(default_factory=Limits)
