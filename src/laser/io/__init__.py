"""Stream files in, answer streams out."""

from laser.io.answers import FORMS
from laser.io.formats import FORMATS, format_of
from laser.io.records import Record, Rejects, by_time
from laser.io.stream import read_background, read_stream
from laser.io.whole import write_whole

__all__ = [
    "FORMATS",
    "FORMS",
    "Record",
    "Rejects",
    "by_time",
    "format_of",
    "read_background",
    "read_stream",
    "write_whole",
]
