"""The lines of a source: a file, a compressed file, or standard input as it arrives."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from time import sleep
from typing import BinaryIO, NamedTuple, cast

from laser.errors import LaserError, RecordError
from laser.io.dialect import UTF_8, is_bytewise

__all__ = ["MAX_LINE", "STDIN", "Line", "decode", "lines_of", "open_bytes", "open_lines", "source_name", "whole_utf_8"]

STDIN = "-"
MAX_LINE = 16 * 1024 * 1024
"""The longest line in bytes; a longer one is a malformed record, and is not kept in memory."""

MOST_SKIPPED = 2**30
"""The most bytes to skip of a line that is too long. Some sources (``/dev/zero``) are a line without an end."""

PAUSE = 0.1
"""Seconds between two looks at a file that may have grown."""

_KEPT = 1000
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its newline; ``fault`` says why it cannot be a record."""

    number: int
    text: str
    fault: str | None = None


def source_name(path: str | Path) -> str:
    """The name of a source in messages."""
    return "<stdin>" if str(path) == STDIN else str(path)


@contextmanager
def open_lines(path: str | Path, grows: bool = False, encoding: str = UTF_8) -> Iterator[Iterator[Line]]:
    """Open a source; ``-`` is standard input, whose lines are passed on as soon as they are complete. A file that ``grows`` has no end."""
    if grows and not is_bytewise(encoding):
        raise LaserError(
            f"{source_name(path)}: a stream in {encoding} cannot be followed line by line; convert it to UTF-8"
        )
    with open_bytes(path) as handle:
        followed = grows and Path(path).is_file() and Path(path).suffix != ".gz"
        yield lines_of(cast(BinaryIO, _Growing(handle)) if followed else handle, source_name(path), 0, encoding)


class _Growing:
    """A file to which lines are added: at its end, it waits for more. If the file has become shorter, it is read from the start."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle

    def readline(self, limit: int) -> bytes:
        line = b""
        while not line.endswith(b"\n") and len(line) < limit:
            more = self._handle.readline(limit - len(line))
            line += more
            if not more:
                sleep(PAUSE)
                if os.fstat(self._handle.fileno()).st_size < self._handle.tell():
                    self._handle.seek(0)
                    line = b""
        return line


def open_bytes(path: str | Path) -> AbstractContextManager[BinaryIO]:
    """A source as decompressed bytes."""
    if str(path) == STDIN:
        return nullcontext(_stdin())
    if Path(path).suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return open(path, "rb")


def _stdin() -> BinaryIO:
    """Standard input with a reader of its own: a thread may still wait for a line when the interpreter ends, and must not lock Python's reader."""
    try:
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (AttributeError, OSError, ValueError):  # a replacement of standard input has no descriptor
        return sys.stdin.buffer


def whole_utf_8(handle: BinaryIO, path: str | Path, encoding: str) -> BinaryIO:
    """A complete source in an encoding whose lines cannot be found by their bytes, converted to UTF-8."""
    try:
        return io.BytesIO(handle.read().decode(encoding).encode(UTF_8))
    except UnicodeError as error:
        at = f" (byte {error.start + 1})" if isinstance(error, UnicodeDecodeError) else ""
        raise LaserError(f"{source_name(path)} is not {encoding}{at}") from None


def lines_of(handle: BinaryIO, name: str, number: int = 0, encoding: str = UTF_8) -> Iterator[Line]:
    """The lines of an open source, numbered from the one after ``number`` on."""
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
        yield _overlong(handle, raw, number, name) if len(raw) > MAX_LINE else decode(raw, number, encoding)


def decode(raw: bytes, number: int, encoding: str = UTF_8) -> Line:
    """A line from its bytes."""
    raw = raw.removesuffix(b"\n")
    try:
        return Line(number, raw.decode(encoding))
    except UnicodeDecodeError as error:
        text = raw.decode(encoding, "backslashreplace")
        return Line(number, text, f"the line is not {encoding.upper()} (byte {error.start + 1})")


def _overlong(handle: BinaryIO, raw: bytes, number: int, name: str) -> Line:
    """Skip the rest of a line that is too long; its beginning is enough to find it again."""
    last, skipped = raw, len(raw)
    while last and not last.endswith(b"\n"):
        if skipped > MOST_SKIPPED:
            raise RecordError(
                f"the line does not end within {MOST_SKIPPED:,} bytes, so this is not a stream", number, name
            )
        last = handle.readline(MAX_LINE)
        skipped += len(last)
    text = raw[:_KEPT].decode("utf-8", "backslashreplace")
    return Line(number, text, f"the line is longer than {MAX_LINE:,} bytes")
