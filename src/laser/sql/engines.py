"""The engines that evaluate a history."""

from __future__ import annotations

from typing import Literal, TypeAlias

from laser.errors import LaserError

__all__ = ["ENGINES", "Engine", "check_engine"]

Engine: TypeAlias = Literal["auto", "sql", "reasoner"]
ENGINES: tuple[Engine, ...] = ("auto", "sql", "reasoner")


def check_engine(engine: str) -> Engine:
    """The engine of that name."""
    found = next((known for known in ENGINES if known == engine), None)
    if found is None:
        raise LaserError(f"there is no engine {engine!r}; use one of {', '.join(ENGINES)}")
    return found
