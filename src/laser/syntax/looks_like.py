"""What a file looks to be, by its first line: programs and streams are easily taken for each other."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from laser.errors import Diagnostic, Span

__all__ = ["Kind", "likeness", "taken_for_program"]

Kind: TypeAlias = Literal["text", "jsonl", "csv", "program"]

_TIME = r"\s*(?:\d{4}-\d\d-\d\d[T ][^,()]*?|\d+)\s*"
_KINDS: dict[Kind, re.Pattern[str]] = {
    "text": re.compile(rf"{_TIME}:(?![-\d])"),
    "jsonl": re.compile(r'\s*\{\s*"'),
    "csv": re.compile(rf'\s*"?time"?\s*,\s*"?predicate\b|{_TIME},\s*"*(?:[a-z]\w*|<[^<>\s]+>)"*\s*(?:,|\Z)', re.I),
    "program": re.compile(
        r"\s*(?:#(?:const|show|prefix)\b|@|[a-z]\w*\s*(?:\([^()]*\)\s*)?(?::-|<-|←|\.\s*(?:%|//|\Z)))"
    ),
}
_ENOUGH = 300
_IDLE = re.compile(r"\s*(?:%|//|\Z)")


def likeness(line: str) -> Kind | None:
    """The kind of file that a line looks to be from, where it looks like any.

    >>> likeness("36: a(x1, y)."), likeness('{"time": 36}'), likeness("36,a,x1,y"), likeness("q(X) :- a(X, _).")
    ('text', 'jsonl', 'csv', 'program')
    """
    start = line[:_ENOUGH]
    return next((kind for kind, pattern in _KINDS.items() if pattern.match(start)), None)


def taken_for_program(text: str) -> Diagnostic | None:
    """The one finding about a stream in the place of a program."""
    rows = enumerate(text.removeprefix("\ufeff").splitlines(), 1)
    number, row = next(((number, row) for number, row in rows if not _IDLE.match(row)), (0, ""))
    if likeness(row) in (None, "program"):
        return None
    return Diagnostic(
        "no-program",
        "this is no program: it looks like a stream",
        Span(number, 1, number, len(row) + 1),
        "a program has rules, as in `q(X) :- a(X) in [3].`; a stream has facts with their times, as in `36: a(x1).`",
        "did you swap PROGRAM and STREAM? The program comes first",
    )
