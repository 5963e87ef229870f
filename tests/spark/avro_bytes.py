"""Avro, written by hand: an encoder that knows nothing of the one that is tested."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence

SYNC = b"sixteen bytes..."


def integer(number: int) -> bytes:
    """A variable-length integer, with the sign in the lowest bit."""
    number = (number << 1) ^ (number >> 63)
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def text(given: str) -> bytes:
    return integer(len(given.encode())) + given.encode()


def double(number: float) -> bytes:
    return struct.pack("<d", number)


def file(schema: str, records: Sequence[bytes]) -> bytes:
    """A file of Avro with one block."""
    settings = integer(1) + text("avro.schema") + text(json.dumps(json.loads(schema))) + integer(0)
    block = b"".join(records)
    return b"Obj\x01" + settings + SYNC + integer(len(records)) + integer(len(block)) + block + SYNC
