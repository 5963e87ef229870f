"""The timeline of a history: its first and its last time point, as SQL."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Timeline"]


class Timeline(NamedTuple):
    """Numbers if a history is given; names if only the statements are needed."""

    first: str
    last: str

    @property
    def length(self) -> int:
        """The number of time points; 0 if it is not known."""
        is_known = self.first.isdigit() and self.last.isdigit()
        return int(self.last) - int(self.first) + 1 if is_known else 0
