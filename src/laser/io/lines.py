"""Lines of a source: a file, a compressed file, or standard input as it comes."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from laser.errors import RecordError

__all__ = ["MAX_LINE", "STDIN", "Line", "open_lines", "source_name"]

STDIN = "-"
MAX_LINE = 16 * 1024 * 1024
"""The longest line in bytes; a longer one is a malformed record, and never held in memory."""

_KEPT = 1000
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its newline; ``fault`` says why it cannot be a record at all."""

    number: int
    text: str
    fault: str | None = None


def source_name(path: str | Path) -> str:
    """A source as messages call it."""
    return "<stdin>" if str(path) == STDIN else str(path)


@contextmanager
def open_lines(path: str | Path) -> Iterator[Iterator[Line]]:
    """Open a source; ``-`` is standard input, whose lines are handed on as soon as they are complete."""
    with _open_bytes(path) as handle:
        yield _lines(handle, source_name(path))


def _open_bytes(path: str | Path) -> AbstractContextManager[BinaryIO]:
    if str(path) == STDIN:
        return nullcontext(sys.stdin.buffer)
    if Path(path).suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return open(path, "rb")


def _lines(handle: BinaryIO, name: str) -> Iterator[Line]:
    number = 0
    while True:
        try:
            raw = handle.readline(MAX_LINE + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise RecordError(f"the compressed file is damaged: {error}", number + 1, name) from None
        if not raw:
            return
        number += 1
        if number == 1:
            raw = raw.removeprefix(_BOM)
        yield _overlong(handle, raw, number) if len(raw) > MAX_LINE else _decode(raw, number)


def _decode(raw: bytes, number: int) -> Line:
    raw = raw.removesuffix(b"\n")
    try:
        return Line(number, raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "backslashreplace")
        return Line(number, text, f"the line is not UTF-8 (byte {error.start + 1})")


def _overlong(handle: BinaryIO, raw: bytes, number: int) -> Line:
    """Skip the rest of a line that is too long; its beginning is enough to find it again."""
    last = raw
    while last and not last.endswith(b"\n"):
        last = handle.readline(MAX_LINE)
    text = raw[:_KEPT].decode("utf-8", "backslashreplace")
    return Line(number, text, f"the line is longer than {MAX_LINE} bytes")
