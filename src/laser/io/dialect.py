"""How the text of a table is written: what divides its fields, in which encoding, and with which sign before decimals."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cache

from laser.errors import FactError, LaserError
from laser.values.declared import Declared

__all__ = ["PLAIN", "UTF_8", "Dialect", "is_bytewise", "read_dialect"]

UTF_8 = "utf-8"
_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}
"""Delimiters that are hard to write on a command line, by name."""
_WITH_NUMBERS = (Declared.INTEGER, Declared.NUMBER, Declared.DURATION, Declared.ANY)
_WITH_COMMA = re.compile(r"\s*[-+]?[0-9]*,[0-9]+(?:[eE][-+]?[0-9]+|\s*[a-z]+)?\s*")
_WITH_POINT = re.compile(r"\s*[-+]?[0-9.]*\.[0-9]*(?:,[0-9]*)?(?:[eE][-+]?[0-9]+|\s*[a-z]+)?\s*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The way in which a table is written as text; the encoding counts for JSON Lines, too."""

    delimiter: str = ","
    encoding: str = UTF_8
    decimal: str = "."

    @property
    def has_point(self) -> bool:
        """Whether decimals are written as the language writes them."""
        return self.decimal == "."

    def plain(self, text: str, kind: Declared) -> str:
        """A field with its decimals as the language writes them. A point in such a number could mean thousands, so it is refused.

        >>> Dialect(decimal=",").plain("1,5", Declared.NUMBER), Dialect(decimal=",").plain("Linz, A", Declared.ANY)
        ('1.5', 'Linz, A')
        """
        if self.has_point or kind not in _WITH_NUMBERS:
            return text
        if _WITH_COMMA.fullmatch(text):
            return text.replace(",", ".")
        if _WITH_POINT.fullmatch(text):
            raise FactError(f"{text[:100]!r} has a point, and decimals have a comma here")
        return text


PLAIN = Dialect()


def read_dialect(delimiter: str = ",", encoding: str = UTF_8, decimal: str = ".") -> Dialect:
    """A dialect from what a user says, checked.

    >>> read_dialect("tab", "latin1")
    Dialect(delimiter='\\t', encoding='iso8859-1', decimal='.')
    """
    delimiter = _WORDS.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise LaserError(f"the delimiter is one character, as in ';' or tab, not {delimiter!r}")
    if decimal not in (".", ","):
        raise LaserError(f"decimals stand after '.' or ',', not after {decimal!r}")
    return Dialect(delimiter, _encoding(encoding), decimal)


def _encoding(name: str) -> str:
    try:
        found = codecs.lookup(name)
        "\n".encode(found.name)
    except (LookupError, ValueError, TypeError):  # TypeError: a codec of something else than text
        raise LaserError(f"{name!r} is not an encoding, as in utf-8, latin1, cp1252 or utf-16") from None
    return UTF_8 if found.name == "utf-8-sig" else found.name


@cache
def is_bytewise(encoding: str) -> bool:
    """Whether a byte that looks like a line break, a quote or a comma is one: so in UTF-8 and in the encodings of one byte a letter.

    >>> is_bytewise("cp1252"), is_bytewise("utf-16"), is_bytewise("shift_jis")
    (True, False, False)
    """
    if encoding == UTF_8:
        return True
    alone = [bytes([byte]).decode(encoding, "replace") for byte in range(256)]
    followed = [bytes([byte, 97]).decode(encoding, "replace") for byte in range(256)]
    return alone[:128] == list(map(chr, range(128))) and all(len(text) == 2 for text in followed)
