"""What is not lowered, and the words for it."""

from __future__ import annotations

from laser.errors import LaserError

__all__ = ["NotLowered"]


class NotLowered(LaserError):  # noqa: N818 - not a failure: the reasoner does it
    """Part of a program has no SQL; the text says which, for people."""
