"""Timelines: when each atom holds, as bars and lines, for terminals, pages and papers."""

from laser.plot.model import Bar, Curve, Group, Row, Timeline
from laser.plot.reading import read
from laser.plot.run import timeline

__all__ = ["Bar", "Curve", "Group", "Row", "Timeline", "read", "timeline"]
