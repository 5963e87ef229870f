"""Lines by the block: a file is read and decoded by hundreds of kilobytes, and only a block with something odd is looked at line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from laser.io.dialect import UTF_8, is_bytewise
from laser.io.lines import MAX_LINE, Line, decode, lines_of, open_bytes, source_name, whole_utf_8

__all__ = ["Block", "block_of_text", "read_blocks"]

SIZE = 1 << 18
"""Bytes of a block: enough that what is done once for each does not count, and few enough to stay in the cache."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Block:
    """Successive lines, from a number on; ``texts`` is None where some of them are no lines of text."""

    number: int
    texts: list[str] | None
    lines: list[Line] | None = None
    quotes: int = 0
    """How many quotation marks there are in the texts."""

    def by_line(self) -> list[Line]:
        """The same, one by one."""
        if self.lines is not None:
            return self.lines
        return [Line(number, text) for number, text in enumerate(self.texts or (), self.number)]

    def joined(self, other: Block) -> Block:
        """This block and the next one."""
        if self.texts is not None and other.texts is not None:
            return Block(self.number, self.texts + other.texts, quotes=self.quotes + other.quotes)
        return Block(self.number, None, self.by_line() + other.by_line())


def read_blocks(path: str | Path, encoding: str = UTF_8) -> Iterator[Block]:
    """The lines of a file, by the block. A line of which no end is in sight is left to who reads line by line."""
    with open_bytes(path) as handle:
        if is_bytewise(encoding):
            yield from _blocks(handle, source_name(path), encoding)
        else:
            yield from _blocks(whole_utf_8(handle, path, encoding), source_name(path), UTF_8)


def block_of_text(text: str) -> Block:
    """Lines that are there already."""
    texts = text.split("\n")
    return Block(1, texts if texts[-1] else texts[:-1], quotes=text.count('"'))


def _blocks(handle: BinaryIO, name: str, encoding: str) -> Iterator[Block]:
    number, rest = 1, b""
    while chunk := handle.read(SIZE):
        if number == 1 and not rest:
            chunk = chunk.removeprefix(_BOM)
        end = chunk.rfind(b"\n") + 1
        if not end and len(rest) + len(chunk) > MAX_LINE:
            handle.seek(handle.tell() - len(rest) - len(chunk))
            for line in lines_of(handle, name, number - 1, encoding):
                yield Block(line.number, None, [line])
            return
        if not end:
            rest += chunk
            continue
        block = _block(rest + chunk[:end], number, encoding)
        rest = chunk[end:]
        number += len(block.texts if block.texts is not None else block.by_line())
        yield block
    if rest:
        yield _block(rest, number, encoding)


def _block(raw: bytes, number: int, encoding: str) -> Block:
    try:
        texts = raw.decode(encoding).split("\n")
    except UnicodeDecodeError:
        pieces = raw.removesuffix(b"\n").split(b"\n")
        return Block(number, None, [decode(piece, at, encoding) for at, piece in enumerate(pieces, number)])
    if not texts[-1]:
        texts.pop()
    return Block(number, texts, quotes=raw.count(b'"'))
