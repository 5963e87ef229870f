"""Names of directories that say their predicate."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable

__all__ = ["directory_names"]

_LOWER = string.ascii_lowercase + string.digits
"""What no file system changes."""


def directory_names(predicates: Iterable[str]) -> dict[str, str]:
    """For each predicate the name of its directory, from which it can be read back: other signs are written as in URLs.

    So are upper-case letters where two names differ in nothing else, as some file systems take those for one.

    >>> list(directory_names(["q", "q_", "q/1", "<a:b>"]).values())
    ['q', 'q_', 'q%2F1', '%3Ca%3Ab%3E']
    >>> list(directory_names(["aB", "ab", "B"]).values())
    ['a%42', 'ab', 'B']
    """
    names = {predicate: _escaped(predicate, str.isalnum) for predicate in predicates}
    alike = Counter(map(_folded, names.values()))
    return {p: name if alike[_folded(name)] == 1 else _escaped(p, _LOWER.__contains__) for p, name in names.items()}


def _folded(name: str) -> str:
    """What a file system makes of a name that does not tell upper from lower case."""
    return unicodedata.normalize("NFC", name).casefold()


def _escaped(text: str, is_plain: Callable[[str], bool]) -> str:
    return "".join(c if is_plain(c) or c in "_.-" else "".join(f"%{byte:02X}" for byte in c.encode()) for c in text)
