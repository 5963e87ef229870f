"""Messages between the server and its workers: a length in four bytes, then JSON."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

__all__ = ["HEAD", "decode_length", "pack", "read_frame"]

HEAD = 4


def pack(message: Any) -> bytes:
    """A message as bytes."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    return struct.pack(">I", len(body)) + body


def decode_length(head: bytes) -> int:
    """The number of bytes that follow."""
    return int(struct.unpack(">I", head)[0])


def read_frame(pipe: BinaryIO) -> Any:
    """The next message, or None at the end."""
    head = pipe.read(HEAD)
    return json.loads(pipe.read(decode_length(head))) if len(head) == HEAD else None
