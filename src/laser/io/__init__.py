"""Reads streams and tables, and writes answers."""

from laser.io.atomic import write_whole, write_whole_bytes
from laser.io.formats import FORMATS, format_of
from laser.io.forms import FORMS
from laser.io.read import read_background, read_stream
from laser.io.records import Record, Rejects

__all__ = [
    "FORMATS",
    "FORMS",
    "Record",
    "Rejects",
    "format_of",
    "read_background",
    "read_stream",
    "write_whole",
    "write_whole_bytes",
]
