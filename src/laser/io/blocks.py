"""Lines by the block: a file is read and decoded by hundreds of kilobytes, and only a block with something odd is looked at line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from laser.io.lines import MAX_LINE, Line, decode, lines_of, open_bytes, source_name

__all__ = ["Block", "read_blocks"]

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


def read_blocks(path: str | Path) -> Iterator[Block]:
    """The lines of a file, by the block. A line of which no end is in sight is left to who reads line by line."""
    with open_bytes(path) as handle:
        number, rest = 1, b""
        while chunk := handle.read(SIZE):
            if number == 1 and not rest:
                chunk = chunk.removeprefix(_BOM)
            end = chunk.rfind(b"\n") + 1
            if not end and len(rest) + len(chunk) > MAX_LINE:
                handle.seek(handle.tell() - len(rest) - len(chunk))
                for line in lines_of(handle, source_name(path), number - 1):
                    yield Block(line.number, None, [line])
                return
            if not end:
                rest += chunk
                continue
            block = _block(rest + chunk[:end], number)
            rest = chunk[end:]
            number += len(block.texts if block.texts is not None else block.by_line())
            yield block
        if rest:
            yield _block(rest, number)


def _block(raw: bytes, number: int) -> Block:
    try:
        texts = raw.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        pieces = raw.removesuffix(b"\n").split(b"\n")
        return Block(number, None, [decode(piece, at) for at, piece in enumerate(pieces, number)])
    if not texts[-1]:
        texts.pop()
    return Block(number, texts, quotes=raw.count(b'"'))
