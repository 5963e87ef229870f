"""The timeline of a history: its first and its last time point, as SQL."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Timeline"]


class Timeline(NamedTuple):
    """Numbers where a history is at hand; names where only the statements are wanted."""

    first: str
    last: str
