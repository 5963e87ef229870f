"""Guesses from the first line if a file is a program or a stream, because people confuse the two.

`laser.io.formats` knows what the lines of each format look like; this file has what they have in common.
"""

from __future__ import annotations

import re

from laser.errors import Diagnostic, Span

__all__ = ["TIME", "first_line", "looks_like_program", "looks_like_stream", "stream_in_place_of_program"]

TIME = r"\s*(?:\d{4}-\d\d-\d\d[T ][^,()]*?|\d+)\s*"
"""A regular expression for the time at the start of a line of a stream."""

_STREAM = re.compile(rf'{TIME}(?::(?![-\d])|[,;|\t])|\s*\{{\s*"|\s*"?time"?\s*[,;\t]', re.I)
_PROGRAM = re.compile(
    r"\s*(?:#(?:const|include|input|prefix|record|show|warmup|zone)\b|@|[a-z]\w*\s*(?:\([^()]*\)\s*)?(?::-|<-|←|\.\s*(?:%|//|\Z)))"
)
_ENOUGH = 300
_IDLE = re.compile(r"\s*(?:%|//|\Z)")


def looks_like_program(line: str) -> bool:
    """Whether a line begins like a rule or a directive.

    >>> looks_like_program("q(X) :- a(X, _)."), looks_like_program("36: a(x1, y).")
    (True, False)
    """
    return bool(_PROGRAM.match(line[:_ENOUGH]))


def looks_like_stream(line: str) -> bool:
    """Whether a line begins with a time and a separator, or is a JSON object or the header of a table.

    >>> looks_like_stream("36: a(x1, y)."), looks_like_stream('{"time": 36}'), looks_like_stream("q(X) :- a(X, _).")
    (True, True, False)
    """
    return bool(_STREAM.match(line[:_ENOUGH]))


def first_line(text: str) -> tuple[int, str]:
    """The number and the text of the first line that is not blank or a comment; 0 and "" if there is none."""
    rows = enumerate(text.removeprefix("\ufeff").splitlines(), 1)
    return next(((number, row) for number, row in rows if not _IDLE.match(row)), (0, ""))


def stream_in_place_of_program(text: str) -> Diagnostic | None:
    """The finding about a stream that was given as a program."""
    number, row = first_line(text)
    if not looks_like_stream(row):
        return None
    return Diagnostic(
        "no-program",
        "this is not a program: it looks like a stream",
        Span(number, 1, number, len(row) + 1),
        "a program has rules, as in `q(X) :- a(X) in [3].`; a stream has facts with times, as in `36: a(x1).`",
        "did you swap PROGRAM and STREAM? The program comes first",
    )
