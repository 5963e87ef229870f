"""The exception for parts of a program that have no SQL."""

from __future__ import annotations

from laser.errors import LaserError

__all__ = ["NotLowered"]


class NotLowered(LaserError):  # noqa: N818 - not a failure: the reasoner does it
    """A part of a program has no SQL; the text says which, in words for users."""
