"""How the text of a table is written: the delimiter, the encoding, and the decimal sign."""

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
    """How a table is written as text; the encoding also applies to JSON Lines."""

    delimiter: str = ","
    encoding: str = UTF_8
    decimal: str = "."

    @property
    def has_point(self) -> bool:
        """Whether decimals are written as in the language, with a point."""
        return self.decimal == "."

    def plain(self, text: str, kind: Declared) -> str:
        """A field with a decimal point, as in the language. A point in the field is refused, because it could separate thousands.

        >>> Dialect(decimal=",").plain("1,5", Declared.NUMBER), Dialect(decimal=",").plain("Linz, A", Declared.ANY)
        ('1.5', 'Linz, A')
        """
        if self.has_point or kind not in _WITH_NUMBERS:
            return text
        if _WITH_COMMA.fullmatch(text):
            return text.replace(",", ".")
        if _WITH_POINT.fullmatch(text):
            raise FactError(f"{text[:100]!r} has a point, but decimals are written with a comma here")
        return text


PLAIN = Dialect()


def read_dialect(delimiter: str = ",", encoding: str = UTF_8, decimal: str = ".") -> Dialect:
    """A dialect from the options of a user, checked.

    >>> read_dialect("tab", "latin1")
    Dialect(delimiter='\\t', encoding='iso8859-1', decimal='.')
    """
    delimiter = _WORDS.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise LaserError(f"the delimiter must be one character, as in ';' or tab, not {delimiter!r}")
    if decimal not in (".", ","):
        raise LaserError(f"the decimal sign must be '.' or ',', not {decimal!r}")
    return Dialect(delimiter, _encoding(encoding), decimal)


def _encoding(name: str) -> str:
    try:
        found = codecs.lookup(name)
        "\n".encode(found.name)
    except (LookupError, ValueError, TypeError):  # TypeError: a codec that is not for text
        raise LaserError(f"{name!r} is not an encoding: use utf-8, latin1, cp1252, utf-16 or the like") from None
    return UTF_8 if found.name == "utf-8-sig" else found.name


@cache
def is_bytewise(encoding: str) -> bool:
    """Whether bytes that look like a line break, a quote or a comma always are: true for UTF-8 and encodings with one byte per character.

    >>> is_bytewise("cp1252"), is_bytewise("utf-16"), is_bytewise("shift_jis")
    (True, False, False)
    """
    if encoding == UTF_8:
        return True
    alone = [bytes([byte]).decode(encoding, "replace") for byte in range(256)]
    followed = [bytes([byte, 97]).decode(encoding, "replace") for byte in range(256)]
    return alone[:128] == list(map(chr, range(128))) and all(len(text) == 2 for text in followed)
