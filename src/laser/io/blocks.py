"""Reads lines in blocks: a file is read and decoded in large pieces, and only a block with something unusual is read line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from laser.io.dialect import UTF_8, is_bytewise
from laser.io.lines import MAX_LINE, Line, decode, lines_of, open_bytes, source_name, whole_utf_8

__all__ = ["Block", "block_of_text", "read_blocks"]

SIZE = 1 << 18
"""Bytes in a block: large enough that the cost per block does not matter, small enough to stay in the cache."""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Block:
    """Successive lines, with the number of the first; ``texts`` is None if some of them cannot be decoded."""

    number: int
    texts: list[str] | None
    lines: list[Line] | None = None
    quotes: int = 0
    """The number of quotation marks in the texts."""

    def by_line(self) -> list[Line]:
        """The same lines, one by one."""
        if self.lines is not None:
            return self.lines
        return [Line(number, text) for number, text in enumerate(self.texts or (), self.number)]

    def joined(self, other: Block) -> Block:
        """This block and the next one."""
        if self.texts is not None and other.texts is not None:
            return Block(self.number, self.texts + other.texts, quotes=self.quotes + other.quotes)
        return Block(self.number, None, self.by_line() + other.by_line())


def read_blocks(path: str | Path, encoding: str = UTF_8) -> Iterator[Block]:
    """The lines of a file, in blocks. A line that is longer than a block is left to the reader of single lines."""
    with open_bytes(path) as handle:
        if is_bytewise(encoding):
            yield from _blocks(handle, source_name(path), encoding)
        else:
            yield from _blocks(whole_utf_8(handle, path, encoding), source_name(path), UTF_8)


def block_of_text(text: str) -> Block:
    """A block of lines that are in memory."""
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
