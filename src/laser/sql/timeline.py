"""The timeline of a history: its first and its last time point, as SQL."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Timeline"]


class Timeline(NamedTuple):
    """Numbers where a history is at hand; names where only the statements are wanted."""

    first: str
    last: str

    @property
    def length(self) -> int:
        """How many time points it has; 0 where that is not known."""
        is_known = self.first.isdigit() and self.last.isdigit()
        return int(self.last) - int(self.first) + 1 if is_known else 0
