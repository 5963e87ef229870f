"""What a bucket did in a micro-batch, counted by the worker."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Work"]


class Work(NamedTuple):
    """What one bucket did in one micro-batch; times in nanoseconds."""

    facts: int = 0
    """Facts that arrived in time."""
    selected: int = 0
    """Facts among them that can matter to the rules; no others are kept."""
    late: int = 0
    changes: int = 0
    """What began or ended to hold."""
    rebuilt: int = 0
    """Whether the reasoner had to be rebuilt from the log."""
    reasoning: int = 0
    """Time within reasoners."""
    busy: int = 0
    """Time within the operator: reasoning, the state, and conversions."""
    kept: int = 0
    """Facts in the log."""
    waiting: int = 0
    """Facts among them that wait for the watermark."""
    keys: int = 0
    """Keys that a lifted program has seen; it never forgets them."""
