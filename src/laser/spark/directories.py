"""Directory names from which the predicate can be read."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable

__all__ = ["directory_names"]

_LOWER = string.ascii_lowercase + string.digits
"""Characters that no file system changes."""


def directory_names(predicates: Iterable[str]) -> dict[str, str]:
    """The directory name of each predicate, from which it can be read back: other characters are encoded as in URLs.

    So are upper-case letters if two names differ only in case, because some file systems ignore it.

    >>> list(directory_names(["q", "q_", "q/1", "<a:b>"]).values())
    ['q', 'q_', 'q%2F1', '%3Ca%3Ab%3E']
    >>> list(directory_names(["aB", "ab", "B"]).values())
    ['a%42', 'ab', 'B']
    """
    names = {predicate: _escaped(predicate, str.isalnum) for predicate in predicates}
    alike = Counter(map(_folded, names.values()))
    return {p: name if alike[_folded(name)] == 1 else _escaped(p, _LOWER.__contains__) for p, name in names.items()}


def _folded(name: str) -> str:
    """A name on a file system that ignores case."""
    return unicodedata.normalize("NFC", name).casefold()


def _escaped(text: str, is_plain: Callable[[str], bool]) -> str:
    return "".join(c if is_plain(c) or c in "_.-" else "".join(f"%{byte:02X}" for byte in c.encode()) for c in text)
