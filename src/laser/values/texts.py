"""The tests of strings such as ``contains(S, "x")``, one record each. They compare, as ``<`` does, but are written as calls.

They are defined only for two strings, and so are their negations: an undefined test never fires.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from laser.errors import LaserError

__all__ = ["NOT", "TESTS", "TextTest", "bad_expression", "holds", "negated"]

NOT: Final = "not "
"""The prefix of the name of a negated test."""


@dataclass(frozen=True, eq=False)
class TextTest:
    """A test of two strings; a predicate with two arguments cannot have its name."""

    name: str
    compute: Callable[[str, str], bool]
    sql: str | None = None
    """The same test in SQL; None if SQL may give another result."""


def holds(symbol: str, one: Any, other: Any) -> bool | None:
    """Whether a test, or a negated test, holds; None if it is not defined.

    >>> holds("contains", "abc", "b"), holds("not contains", "abc", "b"), holds("not contains", 5, "b")
    (True, False, None)
    """
    if type(one) is not str or type(other) is not str:
        return None
    try:
        found = TESTS[symbol.removeprefix(NOT)].compute(one, other)
    except ValueError:  # not an expression, or a lone surrogate, which UTF-8 cannot encode
        return None
    return found is not symbol.startswith(NOT)


def negated(symbol: str) -> str:
    """The negation of a test."""
    return symbol.removeprefix(NOT) if symbol.startswith(NOT) else NOT + symbol


def bad_expression(text: str) -> str | None:
    """What is wrong with a regular expression; None if it is valid.

    >>> bad_expression("a(b"), bad_expression("a.*b")
    ('missing ): a(b', None)
    """
    try:
        _compiled(text)
    except ValueError as error:
        return str(error)
    return None


def _matches(text: str, expression: str) -> bool:
    return _compiled(expression).search(text.encode()) is not None


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> Any:
    """A compiled expression, or ValueError if it is not valid. RE2 always takes linear time."""
    try:
        import re2
    except ImportError:
        raise LaserError("`matches` needs another package: pip install 'laser-reasoner[re2]'") from None
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not an expression"
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None


TESTS: Final[Mapping[str, TextTest]] = {
    each.name: each
    for each in (
        TextTest("contains", lambda text, part: part in text, "contains"),
        TextTest("starts", str.startswith, "starts_with"),
        TextTest("ends", str.endswith, "ends_with"),
        TextTest("matches", _matches),
    )
}
"""All tests by name."""
