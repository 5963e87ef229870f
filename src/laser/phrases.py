"""Helpers for messages: suggestions for misspelt names, lists of names, shortened texts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from unicodedata import combining, east_asian_width

__all__ = [
    "Names", "closest", "columns_of", "count", "did_you_mean", "fit", "is_slip", "listed", "printable", "quoted", "short",
    "shown",
]  # fmt: skip

_FORBIDDEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]"
)

LONGEST_TYPED = 100
"""Nobody types a longer name by hand, so for longer names only differences in case are considered."""

MOST_COMPARISONS = 100_000
"""The number of names that may be compared letter by letter for the hints of one check: about one second."""


def printable(text: str) -> str:
    """A text for terminals and drawings: control characters and characters that XML does not allow are replaced.

    >>> printable("a\\x1b[31mb\\n")
    'a␛[31mb\\n'
    """
    return text if _FORBIDDEN.search(text) is None else _FORBIDDEN.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def short(text: str, most: int = 80) -> str:
    """The beginning of a text that is too long to show.

    >>> short("a" * 100, 5)
    'aaaaa…'
    """
    return text if len(text) <= most else f"{text[:most]}…"


def shown(value: object) -> str:
    """Any value as text for a message; Python refuses to write very long integers."""
    try:
        return short(repr(value))
    except ValueError:
        return f"{type(value).__name__} with very many digits"


def columns_of(text: str) -> int:
    """The width of a text in columns of a terminal or a monospaced font: East Asian letters take two columns.

    >>> columns_of("abc"), columns_of("東京")
    (3, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    return 0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1


def fit(text: str, most: int) -> str:
    """As much of a text as fits into a number of columns.

    >>> fit("東京タワー", 7)
    '東京タ…'
    """
    if columns_of(text) <= most:
        return text
    kept, room = "", max(1, most - 1)
    for letter in text:
        room -= _columns(letter)
        if room < 0:
            break
        kept += letter
    return f"{kept}…"


def quoted(thing: object) -> str:
    return f"`{thing}`"


def listed(things: Iterable[object], joint: str = "and") -> str:
    """Names as a phrase.

    >>> listed(["a", "b", "c"])
    '`a`, `b` and `c`'
    """
    names = list(map(quoted, things))
    return f" {joint} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "tick"), count(3600, "tick")
    ('1 tick', '3,600 ticks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a misspelt name probably means.

    >>> closest("isSteem", ["temp", "isSteam"])
    'isSteam'
    """
    others = [other for other in candidates if other != name]
    same = [other for other in others if other.lower() == name.lower()]
    return next(iter(same or get_close_matches(name, others, n=1, cutoff=0.6)), None)


def did_you_mean(name: str, candidates: Collection[str], otherwise: str | None = None) -> str | None:
    """A hint that names the closest candidate, or else another hint."""
    found = closest(name, candidates)
    return f"did you mean `{found}`?" if found else otherwise


def is_slip(name: str, other: str) -> bool:
    """Whether two names differ by one typing error: case, or one letter missing, doubled, wrong or swapped.

    Names that differ in a digit, and very short names, are assumed to be different on purpose.

    >>> is_slip("isSteam", "issteam"), is_slip("alarm", "alram"), is_slip("temp1", "temp2")
    (True, True, False)
    """
    if name == other or min(len(name), len(other)) < 4:
        return False
    if name.lower() == other.lower():
        return True
    start = _common_start(name, other)
    end = min(_common_start(name[::-1], other[::-1]), min(len(name), len(other)) - start)
    left, right = name[start : len(name) - end], other[start : len(other) - end]
    if any(letter.isdigit() for letter in left + right):
        return False
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])


def _common_start(name: str, other: str) -> int:
    pairs = zip(name, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(name), len(other)))


class Names:
    """An index of names that finds similar ones without comparing every pair.

    >>> Names(["isSteam", "alarm", "temp"]).near("alram")
    ['alarm']
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(set(names))
        self._by_rest: defaultdict[str, set[str]] = defaultdict(set)
        for name in self._names:
            for rest in _rests(name):
                self._by_rest[rest].add(name)
        self._comparisons = MOST_COMPARISONS

    def same(self, name: str) -> list[str]:
        """The names that differ only in case, in order."""
        return sorted(other for other in self._by_rest.get(name.lower(), ()) if _differ_in_case(name, other))

    def near(self, name: str) -> list[str]:
        """The names that differ by one typing error, in order."""
        found = {other for rest in _rests(name) for other in self._by_rest.get(rest, ())}
        return sorted(other for other in found if is_slip(name, other))

    def closest(self, name: str) -> str | None:
        """The name that a misspelt one probably means; after many calls, only single typing errors are found."""
        self._comparisons -= len(self._names)
        if self._comparisons >= 0:
            return closest(name, self._names)
        return next(iter(self.same(name) or self.near(name)), None)


def _differ_in_case(name: str, other: str) -> bool:
    return name != other and name.lower() == other.lower()


def _rests(name: str) -> set[str]:
    """Index keys that two names share if they differ by one typing error: the lower-case name, the name without one letter."""
    letters = range(len(name)) if len(name) <= LONGEST_TYPED else ()
    return {name, name.lower(), *(name[:i] + name[i + 1 :] for i in letters)}
